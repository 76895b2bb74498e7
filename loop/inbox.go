package loop

import (
	"context"
	"errors"
	"sync"
)

// inbox is what other goroutines want to be done on the loop.
type inbox struct {
	mu    sync.Mutex
	calls []func()
}

func (i *inbox) add(f func()) {
	i.mu.Lock()
	i.calls = append(i.calls, f)
	i.mu.Unlock()
}

// run calls what came in, in order.
func (i *inbox) run() {
	i.mu.Lock()
	calls := i.calls
	i.calls = nil
	i.mu.Unlock()
	for _, f := range calls {
		f()
	}
}

// ErrEnded says that the server runs no more.
var ErrEnded = errors.New("the server has ended")

// Do runs f on the event loop's goroutine, where the replica may be looked at,
// and waits for its end. f must be short: meanwhile nobody is served. Where ctx
// ends the waiting, f may still run later. Any goroutine but the loop's may
// call Do.
func (s *Server) Do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	s.later(func() {
		f()
		close(done)
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return ErrEnded
	}
}

// later runs f on the loop, at the begin of the next round. Any goroutine.
func (s *Server) later(f func()) {
	s.inbox.add(f)
	s.post()
}
