package loop

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"ticketing/consensus"
)

// BootClock reads the monotonic clock that goes on while the machine is
// suspended: a lease that would outlast a night's sleep has ended by morning.
// Any goroutine may call it.
func BootClock() consensus.Mono {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic(fmt.Sprintf("BUG: read CLOCK_BOOTTIME: %v", err))
	}
	return consensus.Mono(ts.Nano())
}

// after returns the reading d later than t.
func after(t consensus.Mono, d time.Duration) consensus.Mono { return t + consensus.Mono(d) }
