package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ticketing/admin"
	"ticketing/lock"
	"ticketing/loop"
	"ticketing/node"
)

// source answers for HTTP, out of short visits to the event loop.
type source struct {
	set     *metrics.Set
	started time.Time
	// live is nil until the server has started.
	live atomic.Pointer[live]
}

// live is what there is to look at.
type live struct {
	replica *replica
	server  *loop.Server
}

var errStarting = errors.New("the server is starting")

func (s *source) admin() admin.Source {
	return admin.Source{Ready: s.ready, Metrics: s.metrics, Status: s.status, Locks: s.locks}
}

// visit returns what the node shows of itself.
func (l *live) visit(ctx context.Context) (status node.Status, now lock.Time, err error) {
	type seen struct {
		status node.Status
		now    lock.Time
	}
	got := make(chan seen, 1) // a visit that comes too late must not write to what we return
	err = l.server.Do(ctx, func() { got <- seen{l.replica.node.Status(), l.replica.node.LogTime()} })
	if err != nil {
		return node.Status{}, 0, err
	}
	v := <-got
	return v.status, v.now, nil
}

func (s *source) ready(ctx context.Context) error {
	l := s.live.Load()
	if l == nil {
		return errStarting
	}
	status, _, err := l.visit(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("the event loop does not answer: %w", err)
	case !status.Serving:
		return errors.New("the server is stopping")
	}
	return nil
}

func (s *source) status(ctx context.Context) (admin.Status, error) {
	l := s.live.Load()
	if l == nil {
		return admin.Status{}, errStarting
	}
	n, now, err := l.visit(ctx)
	if err != nil {
		return admin.Status{}, err
	}
	status := admin.Status{
		Version:  version,
		Mode:     "single",
		Node:     1,
		Role:     "single",
		Leader:   l.server.Addr().String(),
		Ballot:   fmt.Sprintf("%d.%d", n.Consensus.Ballot.Round, n.Consensus.Ballot.Node),
		Commit:   uint64(n.Consensus.Commit),
		Applied:  uint64(n.Consensus.Applied),
		LogTimeS: seconds(now),
		Keys:     n.Keys,
		Waiters:  n.Waiters,
		Conns:    n.Conns,
		UptimeS:  time.Since(s.started).Seconds(),
		Durable:  l.replica.store != nil,
	}
	for _, d := range n.Digests {
		status.Digests = append(status.Digests, admin.Digest{Index: uint64(d.Slot), Hash: fmt.Sprintf("%016x", d.Hash)})
	}
	return status, nil
}

// metrics writes what the loop counts, and what the node and the store show.
// The former does not need the loop: it comes even if that hangs.
func (s *source) metrics(ctx context.Context, w io.Writer) {
	s.set.WritePrometheus(w)
	if l := s.live.Load(); l != nil {
		if n, now, err := l.visit(ctx); err == nil {
			writeNodeMetrics(w, &n, now)
		}
		if l.replica.store != nil {
			writeStoreMetrics(w, l.replica.store.Figures())
		}
	}
	metrics.WriteProcessMetrics(w)
}

func seconds(t lock.Time) float64 { return float64(t) / float64(time.Second) }
