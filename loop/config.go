package loop

import (
	"crypto/tls"
	"errors"
	"log/slog"

	"github.com/VictoriaMetrics/metrics"

	"ticketing/consensus"
	"ticketing/node"
	"ticketing/proto"
)

// Replica is what a Server drives: the methods of node.Node that it calls, all
// of them on the event loop's goroutine.
type Replica interface {
	Open() node.Conn
	Request(node.Conn, *proto.Request)
	Refuse(node.Conn, proto.Reason)
	Gone(c node.Conn, unsent []byte)
	Persisted(seq uint64)
	Drain()
	Flush(now consensus.Mono, out *node.Output)
}

// Store makes writes durable.
type Store interface {
	// Write returns once all of ws is durable. After an error nothing is known
	// about them: the server ends and never tries again.
	Write(ws []consensus.Write) error
}

// Config is what a Server is made of.
type Config struct {
	Replica Replica
	// Store is nil where nothing has to survive the process.
	Store Store
	// WriteOnLoop makes the loop itself wait for the store. That is faster, and
	// right only for a member that is alone: others would miss its heartbeats.
	WriteOnLoop bool

	// Listen and ListenTLS are host:port. ListenTLS, which wants TLS, may be
	// empty.
	Listen    string
	ListenTLS string
	TLS       *tls.Config
	// Secrets that clients may prove to know. None: only clients without one.
	Secrets [][]byte
	// MaxConns is at least 1 and at most what MaxConns() returned.
	MaxConns int
	Limits   Limits

	Log     *slog.Logger
	Metrics *metrics.Set
	// Clock is BootClock but in tests.
	Clock func() consensus.Mono
}

func (c *Config) check() error {
	switch {
	case c.MaxConns < 1:
		return errors.New("the limit on connections is below 1")
	case (c.ListenTLS != "") != (c.TLS != nil):
		return errors.New("a TLS address and a TLS certificate go together")
	}
	return c.Limits.check()
}
