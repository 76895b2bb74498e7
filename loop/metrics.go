package loop

import (
	"fmt"

	"github.com/VictoriaMetrics/metrics"

	"ticketing/proto"
)

// loopMetrics counts what happens at the edge. Histograms take a lock, so they
// are fed once a round or a write, never for each request; what is counted for
// each is added up on the loop and handed on in the end of the round.
type loopMetrics struct {
	set *metrics.Set

	connsTotal        *metrics.Counter
	handshakeFailures *metrics.Counter
	handshakeTimeouts *metrics.Counter
	tlsFailures       *metrics.Counter
	badFrames         *metrics.Counter
	drops             *metrics.Counter
	receivedBytes     *metrics.Counter
	sentBytes         *metrics.Counter
	requests          *metrics.Counter
	rounds            *metrics.Counter
	roundRequests     *metrics.Histogram
	writeSeconds      *metrics.Histogram

	received, sent int // in this round
}

func newLoopMetrics(set *metrics.Set, s *Server) *loopMetrics {
	set.NewGauge("ticketd_connections", func() float64 { return float64(s.conns.Load()) })
	set.NewGauge("ticketd_connections_max", func() float64 { return float64(s.cfg.MaxConns) })
	return &loopMetrics{
		set:               set,
		connsTotal:        set.NewCounter("ticketd_connections_total"),
		handshakeFailures: set.NewCounter(`ticketd_handshake_failures_total{why="digest"}`),
		handshakeTimeouts: set.NewCounter(`ticketd_handshake_failures_total{why="timeout"}`),
		tlsFailures:       set.NewCounter(`ticketd_handshake_failures_total{why="tls"}`),
		badFrames:         set.NewCounter("ticketd_bad_frames_total"),
		drops:             set.NewCounter("ticketd_connections_dropped_total"),
		receivedBytes:     set.NewCounter("ticketd_received_bytes_total"),
		sentBytes:         set.NewCounter("ticketd_sent_bytes_total"),
		requests:          set.NewCounter("ticketd_requests_total"),
		rounds:            set.NewCounter("ticketd_rounds_total"),
		roundRequests:     set.NewHistogram("ticketd_round_requests"),
		writeSeconds:      set.NewHistogram("ticketd_write_seconds"),
	}
}

// turnedAway counts a connection that was not let in. Any goroutine.
func (m *loopMetrics) turnedAway(why proto.Reason) {
	m.set.GetOrCreateCounter(fmt.Sprintf("ticketd_connections_turned_away_total{why=%q}", why)).Inc()
}

// endRound hands on what the round added up.
func (m *loopMetrics) endRound(requests int) {
	m.rounds.Inc()
	m.receivedBytes.Add(m.received)
	m.sentBytes.Add(m.sent)
	m.received, m.sent = 0, 0
	if requests > 0 {
		m.requests.Add(requests)
		m.roundRequests.Update(float64(requests))
	}
}
