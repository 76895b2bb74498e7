package benchmarks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"time"
)

var errHungUp = errors.New("the server closed the connection")

// worker is one thread of the generator, with an epoll over its connections.
type worker struct {
	dialect dialect
	conns   []*conn
	poll    int
	buf     []byte
	random  *rand.PCG

	shared  uint64 // number of keys that all share; 0: each pair has its own
	holding bool   // pairs end with the grant
	counter uint64 // names the next key of its own
	last    uint64 // holding: the first name that is not for this worker

	start  time.Time     // the worker's clock counts from here
	ending bool          // no pair begins any more
	ended  time.Duration // when the last pair that counts was done
	open   int           // pairs in flight

	latency histogram
	errors  uint64
	retries uint64
}

// now is the worker's clock, in nanoseconds.
func (w *worker) now() int64 { return int64(time.Since(w.start)) }

// next names the key of the next pair. false: there is none.
func (w *worker) next(p *pair) bool {
	switch {
	case w.ending || w.holding && w.counter == w.last:
		return false
	case w.shared > 0:
		p.name(sharedKeys + w.random.Uint64()%w.shared)
	default:
		p.name(w.counter)
		w.counter++
	}
	return true
}

// watch tells epoll what c waits for.
func (w *worker) watch(c *conn, op int) error {
	event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(c.index)}
	if c.hungry {
		event.Events |= syscall.EPOLLOUT
	}
	if err := syscall.EpollCtl(w.poll, op, c.fd, &event); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

// run carries the load until the clock shows length (when holding: until all
// keys are held, and no longer than that), then waits for what is in flight.
func (w *worker) run(length time.Duration) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	if w.poll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("epoll_create1: %w", err)
	}
	defer syscall.Close(w.poll)
	for _, c := range w.conns {
		if err := w.watch(c, syscall.EPOLL_CTL_ADD); err != nil {
			return err
		}
	}
	for _, c := range w.conns {
		for slot := range c.pairs {
			c.begin(slot, w.now())
		}
		if err := c.flush(); err != nil {
			return err
		}
	}
	return w.turns(length)
}

// turns is the loop. All that is open at the end counts as an error.
func (w *worker) turns(length time.Duration) error {
	events := make([]syscall.EpollEvent, min(len(w.conns), 256))
	for {
		now := time.Duration(w.now())
		if now >= length && !w.ending {
			w.ending, w.ended = true, now
		}
		left := length - now
		if w.ending {
			left += drainTimeout
		}
		if w.open == 0 && w.holding {
			w.ended = now
		}
		if w.open == 0 && (w.ending || w.holding) {
			return nil
		}
		if left <= 0 {
			w.errors += uint64(w.open)
			return nil
		}
		n, err := syscall.EpollWait(w.poll, events, int(left/time.Millisecond)+1)
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("epoll_wait: %w", err)
		}
		for i := range max(n, 0) {
			if err := w.serve(w.conns[events[i].Fd], events[i].Events); err != nil {
				return err
			}
		}
	}
}

func (w *worker) serve(c *conn, events uint32) error {
	if events&syscall.EPOLLOUT != 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if events&^uint32(syscall.EPOLLOUT) == 0 {
		return nil
	}
	return c.turn(w.now())
}
