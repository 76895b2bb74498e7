package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ticketing/admin"
	"ticketing/lock"
	"ticketing/loop"
	"ticketing/node"
)

// source answers for HTTP, out of short visits to the event loop.
type source struct {
	replica *replica
	server  *loop.Server
	set     *metrics.Set
	started time.Time
}

func (s *source) admin() admin.Source {
	return admin.Source{Ready: s.ready, Metrics: s.metrics, Status: s.status, Locks: s.locks}
}

// visit returns what the node shows of itself.
func (s *source) visit(ctx context.Context) (status node.Status, now lock.Time, err error) {
	type seen struct {
		status node.Status
		now    lock.Time
	}
	got := make(chan seen, 1) // a visit that comes too late must not write to what we return
	err = s.server.Do(ctx, func() { got <- seen{s.replica.node.Status(), s.replica.node.LogTime()} })
	if err != nil {
		return node.Status{}, 0, err
	}
	v := <-got
	return v.status, v.now, nil
}

func (s *source) ready(ctx context.Context) error {
	status, _, err := s.visit(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("the event loop does not answer: %w", err)
	case !status.Serving:
		return errors.New("the server is stopping")
	}
	return nil
}

func (s *source) status(ctx context.Context) (admin.Status, error) {
	n, now, err := s.visit(ctx)
	if err != nil {
		return admin.Status{}, err
	}
	status := admin.Status{
		Version:  version,
		Mode:     "single",
		Node:     1,
		Role:     "single",
		Leader:   s.server.Addr().String(),
		Ballot:   fmt.Sprintf("%d.%d", n.Consensus.Ballot.Round, n.Consensus.Ballot.Node),
		Commit:   uint64(n.Consensus.Commit),
		Applied:  uint64(n.Consensus.Applied),
		LogTimeS: seconds(now),
		Keys:     n.Keys,
		Waiters:  n.Waiters,
		Conns:    n.Conns,
		UptimeS:  time.Since(s.started).Seconds(),
		Durable:  s.replica.store != nil,
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
	if n, now, err := s.visit(ctx); err == nil {
		writeNodeMetrics(w, &n, now)
	}
	if s.replica.store != nil {
		writeStoreMetrics(w, s.replica.store.Figures())
	}
	metrics.WriteProcessMetrics(w)
}

func seconds(t lock.Time) float64 { return float64(t) / float64(time.Second) }
