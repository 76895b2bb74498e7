package client

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

// clockBoottime goes on while the machine is suspended, as the leases at the
// server do; the clock behind time.Now stops then.
const clockBoottime = 7

// now reads a clock that never jumps and counts suspension. Its zero is of no
// meaning.
func now() time.Duration {
	var t syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		panic(fmt.Sprintf("BUG: clock_gettime(CLOCK_BOOTTIME): %v", errno))
	}
	return time.Duration(t.Nano())
}

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall lacks.
const tcpUserTimeout = 18

// setUserTimeout makes the kernel give up a connection whose peer vanished.
// Without it sent bytes are repeated for a quarter of an hour.
func setUserTimeout(_, _ string, c syscall.RawConn) error {
	var err error
	control := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(userTimeout.Milliseconds()))
	})
	if control != nil {
		return control
	}
	return err
}
