package main

import (
	"context"
	"strings"
	"time"

	"ticketing/admin"
	"ticketing/lock"
	"ticketing/node"
)

const (
	// visitLocks is how many held keys one visit to the loop looks at: a few
	// tenths of a millisecond.
	visitLocks = 2048

	// placesKept of those last looked at are where the next visit may go on.
	// It goes on behind the latest that is still held.
	placesKept = 64
)

// listing collects held keys in the order of their grants, in many short visits
// to the loop, between which locks come and go.
type listing struct {
	node  *node.Node
	query admin.Query

	found  []admin.Lock
	places []place // the last ones looked at, latest last
	looked int     // in this visit
	done   bool
}

type place struct {
	key   string
	token uint64
}

// locks lists what q asks for.
func (s *source) locks(ctx context.Context, q admin.Query) ([]admin.Lock, error) {
	live := s.live.Load()
	if live == nil {
		return nil, errStarting
	}
	l := &listing{node: live.replica.node, query: q}
	for !l.done {
		// A visit that comes too late is of a listing that nobody reads.
		if err := live.server.Do(ctx, l.visit); err != nil {
			return nil, err
		}
	}
	return l.found, nil
}

// visit goes on where the last visit ended. If all the places that it knows
// are gone, it begins anew and passes over what it has seen.
func (l *listing) visit() {
	now := l.node.LogTime()
	l.looked = 0
	look := func(h *lock.Held) bool { return l.look(h, now) }
	l.done = true // unless look finds that there is more
	for i := len(l.places) - 1; i >= 0; i-- {
		if p := l.places[i]; l.node.LocksAfter(p.key, p.token, look) {
			return
		}
	}
	l.node.Locks(look)
}

// look takes in one held key and reports whether to go on in this visit.
func (l *listing) look(h *lock.Held, now lock.Time) bool {
	if n := len(l.places); n > 0 && h.Token <= l.places[n-1].token {
		return true // seen before; few are, if all places behind them are gone
	}
	if l.looked == visitLocks {
		l.done = false
		return false
	}
	l.looked++
	l.remember(h)
	if strings.HasPrefix(h.Key, l.query.Prefix) && held(h, now) >= l.query.HeldFor {
		l.found = append(l.found, show(h, now))
	}
	return len(l.found) < l.query.Limit
}

func (l *listing) remember(h *lock.Held) {
	if len(l.places) == 2*placesKept {
		l.places = append(l.places[:0], l.places[placesKept:]...)
	}
	l.places = append(l.places, place{h.Key, h.Token})
}

func held(h *lock.Held, now lock.Time) time.Duration { return time.Duration(now - h.Granted) }

func show(h *lock.Held, now lock.Time) admin.Lock {
	return admin.Lock{
		Key:        h.Key,
		Token:      h.Token,
		Owner:      h.Owner,
		HeldS:      held(h, now).Seconds(),
		RemainingS: seconds(h.Deadline - min(h.Deadline, now)),
		Waiters:    h.Waiters,
	}
}
