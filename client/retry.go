package client

import (
	"context"
	"errors"
	"time"

	"ticketing/proto"
)

// decided is what came of a request.
type decided struct {
	answer
	sentAt time.Duration // when the try that was answered was sent
	open   bool          // an earlier try may have taken effect
}

// exchange sends a request until a server decides it. What ends a connection is
// no decision: the same request goes out again on the next one, an acquire with
// what is left of its wait, until its patience is over. The server drops the
// earlier try when it sees that its connection has ended.
func (c *Client) exchange(ctx context.Context, r proto.Request) (decided, error) {
	began, wait := c.now(), seconds(r.Wait)
	limited, cancel := context.WithTimeout(ctx, wait+patience)
	defer cancel()
	var last error
	open := false
	for {
		if wait > 0 {
			r.Wait = waitLeft(wait - (c.now() - began))
		}
		got, sentAt, err := c.try(limited, r)
		if err == nil {
			return decided{got, sentAt, open}, nil
		}
		if aborted := (abortedError{}); errors.As(err, &aborted) {
			open = open || aborted.open
		}
		switch {
		case ctx.Err() != nil:
			return decided{}, ctx.Err()
		case final(err):
			return decided{}, err
		case limited.Err() != nil:
			if last == nil || !errors.Is(err, limited.Err()) {
				last = err
			}
			return decided{}, unavailable(last, open)
		}
		last = err
	}
}

// try sends a request once.
func (c *Client) try(ctx context.Context, r proto.Request) (answer, time.Duration, error) {
	cn, err := c.connection(ctx)
	if err != nil {
		return answer{}, 0, err
	}
	cl := cn.send(r)
	silent := time.NewTimer(seconds(r.Wait) + patienceFor(r))
	defer silent.Stop()
	select {
	case <-cl.done:
	case <-silent.C:
		cn.end(errSilent)
		<-cl.done
	case <-ctx.Done():
		cn.abandon(cl)
		return answer{}, 0, abortedError{cause: ctx.Err(), open: true}
	}
	return cl.answer, cl.sentAt, cl.err
}

// patienceFor is how long the answer may take beyond the wait. A keep of a
// short lease can't bide as long as others, or nothing is left for a second
// try.
func patienceFor(r proto.Request) time.Duration {
	if r.Op == proto.OpKeep {
		return min(answerTime, seconds(r.Lease)/3)
	}
	return answerTime
}

// waitLeft rounds up, so that a server never gives up before the caller would.
// It never makes a wait into a single try.
func waitLeft(left time.Duration) uint16 {
	return uint16(max(1, (left+time.Second-1)/time.Second))
}

func seconds(n uint16) time.Duration { return time.Duration(n) * time.Second }
