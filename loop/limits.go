package loop

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Limits bound what a connection may cost. DefaultLimits are the promises of
// the protocol; tests shorten them.
type Limits struct {
	// Handshake is how long a connection may take to answer the challenge.
	Handshake time.Duration
	// Hold is how long auth_failed is held back: the published clients
	// reconnect at once after it. At most HeldConns wait so at a time, and one
	// more is closed without a word.
	Hold      time.Duration
	HeldConns int
	// KeepAlive is how long a connection may be sent nothing before it is sent
	// a keep-alive.
	KeepAlive time.Duration
	// Linger is how long a connection stays for its last answer to be read.
	Linger time.Duration
	// OutboundBytes that a connection has not taken make it a slow reader: the
	// next answer drops it.
	OutboundBytes int
	// Drain is how long a stopping server waits for what is in flight, and
	// DrainFlush how long after that for the answers to be taken.
	Drain      time.Duration
	DrainFlush time.Duration
}

// DefaultLimits returns the limits of a server in production.
func DefaultLimits() Limits {
	return Limits{
		Handshake:     10 * time.Second,
		Hold:          time.Second,
		HeldConns:     1024,
		KeepAlive:     10 * time.Second,
		Linger:        time.Second,
		OutboundBytes: 4 << 20,
		Drain:         4 * time.Second,
		DrainFlush:    500 * time.Millisecond,
	}
}

const (
	// ConnsMax is the most connections that a server takes, whatever the
	// system allows.
	ConnsMax = 50_000

	// descriptorsReserved are kept for all that is not a client: the store,
	// the log, HTTP, peers, and the second descriptor that a connection has
	// while it is enrolled.
	descriptorsReserved = 512

	// userTimeout is how long sent bytes may stay unacknowledged before the
	// kernel ends the connection (TCP_USER_TIMEOUT). With the keep-alive it
	// bounds how long a vanished peer goes unnoticed.
	userTimeout = 15 * time.Second

	// The kernel probes a connection on which nothing is under way, in case the
	// keep-alive frame never went out.
	keepAliveIdleSeconds     = 15
	keepAliveIntervalSeconds = 5
	keepAliveProbes          = 2

	// readBytes is the most that one read takes from a socket: some hundred
	// requests, so that a crowd of busy sockets does not hold up the others.
	readBytes = 8 << 10

	// roundBytesMax of frames end a round early, so that an entry stays small
	// and the first of a thousand busy sockets does not wait for the last.
	roundBytesMax = 1 << 20

	// flushesPerRound bounds how often the replica is flushed before the
	// sockets are looked at again.
	flushesPerRound = 4

	// deadlinesPerRound bounds how many connections' deadlines are dealt with
	// before the sockets are looked at again.
	deadlinesPerRound = 256

	// retriesPerRound bounds how many backed-up connections are looked at in a
	// round, and retryInterval is how soon again while there are any.
	retriesPerRound = 1024
	retryInterval   = 2 * time.Millisecond

	// alarmMax is the longest sleep of the timer. Its clock stands still while
	// the machine is suspended, the loop's does not.
	alarmMax = time.Second

	// tellInterval is the least time between two lines about wrong secrets.
	tellInterval = 5 * time.Second

	// slowWrite is when a write that has not ended is worth a line in the log.
	slowWrite = time.Second
)

// MaxConns returns how many connections fit into the limit on open files,
// after raising the soft limit to the hard one.
func MaxConns() (int, error) {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return 0, fmt.Errorf("read the limit on open files: %w", err)
	}
	if l.Cur < l.Max {
		l.Cur = l.Max
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
			return 0, fmt.Errorf("raise the limit on open files to %d: %w", l.Max, err)
		}
	}
	if l.Cur <= descriptorsReserved {
		return 0, fmt.Errorf("the limit on open files is %d: at least %d are needed (ulimit -n)", l.Cur, descriptorsReserved+1)
	}
	return int(min(l.Cur-descriptorsReserved, ConnsMax)), nil
}

func (l *Limits) check() error {
	if l.Handshake <= 0 || l.KeepAlive <= 0 || l.OutboundBytes <= 0 || l.Drain <= 0 {
		return errors.New("a limit is not above zero")
	}
	return nil
}
