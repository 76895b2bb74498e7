package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"ticketing/proto"
)

// Lock is a key that was granted. It is over when its lease is, when it was
// released, or when a keep found that it is gone; it does not come back.
//
// What its holder may believe: the server counts the lease from the grant, on
// its own clock. The grant was made after the acquire was sent, and the clocks
// drift apart by no more than DriftPPM each. So the key is surely held until
//
//	sending of the acquire (or keep) + lease · (1-ρ)/(1+ρ)
//
// on the client's own clock, whatever the network does, and Lost is closed at
// that moment.
type Lock struct {
	client *Client
	key    string
	token  uint64
	lease  uint16 // seconds
	lost   chan struct{}

	mu    sync.Mutex
	until time.Duration // end of what may be believed, by the client's clock
	over  bool          // lost is closed
	watch *time.Timer   // looks at the clock; calls look
}

// newLock begins to believe in a lease that was asked for at sentAt.
func newLock(c *Client, key string, token uint64, lease uint16, sentAt time.Duration) *Lock {
	l := &Lock{client: c, key: key, token: token, lease: lease, lost: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = sentAt + surely(lease)
	l.watch = time.AfterFunc(min(l.until-c.now(), suspendCheck), l.look)
	return l
}

// surely is the part of a lease that drift can't take away.
func surely(lease uint16) time.Duration {
	d := seconds(lease)
	return d - (d*2*DriftPPM+1e6+DriftPPM-1)/(1e6+DriftPPM)
}

// Key is what is held.
func (l *Lock) Key() string { return l.key }

// Token is larger than that of any grant before this one, of any key.
func (l *Lock) Token() uint64 { return l.token }

// Lost is closed as soon as the lock may not be believed in any more: before
// its lease is over at the server, when a keep finds that it is gone, and by
// Release. After a suspension of the machine it may come up to a second late.
func (l *Lock) Lost() <-chan struct{} { return l.lost }

// Keep renews the lease once: it ends no earlier than one lease from now. The
// error is ErrLost when the lock is over; otherwise it is one of Release's,
// and the lock is still held until Lost.
func (l *Lock) Keep(ctx context.Context) error {
	left := l.left()
	if left <= 0 {
		return ErrLost
	}
	// Nothing that comes after the end of the lease is of use.
	inTime, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	got, err := l.client.exchange(inTime, proto.Request{Op: proto.OpKeep, Token: l.token, Lease: l.lease, Key: []byte(l.key)})
	switch {
	case ctx.Err() != nil && err != nil:
		return err
	case inTime.Err() != nil && err != nil:
		l.finish()
		return ErrLost
	case err != nil:
		return err
	case got.op == proto.ReplyNotHeld:
		l.finish()
		return ErrLost
	}
	return l.believe(got.sentAt)
}

// Hold runs work and keeps the lease while it runs: a keep for each third of
// it. The context that work gets ends when the lock is lost (its cause is
// ErrLost), or when ctx does. Hold returns what work returns.
//
// When work returns, panics or ends its goroutine, keeping ends with it. The
// lock is not released: that is for the caller to do, or the lease will lapse.
func (l *Lock) Hold(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() {
		if err := l.keepOn(ctx); err != nil {
			cancel(err)
		}
	})
	defer keeping.Wait()
	defer cancel(nil)
	return work(ctx)
}

// keepOn keeps the lease until ctx is over (nil) or the lock is (ErrLost).
func (l *Lock) keepOn(ctx context.Context) error {
	pause := seconds(l.lease) / 3
	next := time.NewTimer(pause)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.lost:
			return ErrLost
		case <-next.C:
		}
		switch err := l.Keep(ctx); {
		case err == nil:
			next.Reset(pause)
		case errors.Is(err, ErrLost):
			return err
		default:
			next.Reset(pause / 4)
		}
	}
}

// Release gives the key back, to the first of those who wait for it. Lost is
// closed before the release is sent, whatever comes of it. Errors are those of
// Client.Release; ErrNotHeld says that the lease had ended before.
func (l *Lock) Release(ctx context.Context) error {
	l.finish()
	return l.client.Release(ctx, l.key, l.token)
}

// left is how long the lock may still be believed in; 0 or less when it is over.
func (l *Lock) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0
	}
	return l.until - l.client.now()
}

// believe takes in that a lease was renewed, by a keep that was sent at sentAt.
func (l *Lock) believe(sentAt time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return ErrLost
	}
	l.until = max(l.until, sentAt+surely(l.lease))
	return nil
}

// look ends the lock when its time has come.
func (l *Lock) look() {
	left := l.left()
	if left <= 0 {
		l.finish()
		return
	}
	l.watch.Reset(min(left, suspendCheck))
}

// finish ends the lock for its holder.
func (l *Lock) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		l.watch.Stop()
		close(l.lost)
	}
}
