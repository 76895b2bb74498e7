package loop

import (
	"errors"

	"github.com/panjf2000/gnet/v2"
)

// events is what gnet calls, all of it on the loop's goroutine.
type events struct {
	gnet.BuiltinEventEngine
	s *Server
}

// bell is the context of the one connection that is no client: gnet gives
// access to its loop only through a connection, and the loop has work before
// the first client comes.
type bell struct{ ready chan gnet.EventLoop }

func (e *events) OnOpen(g gnet.Conn) ([]byte, gnet.Action) {
	switch c := g.Context().(type) {
	case *bell:
		c.ready <- g.EventLoop()
		return nil, gnet.None
	default:
		return e.s.opened(c.(*conn), &plain{sock: g}), gnet.None
	}
}

func (e *events) OnTraffic(g gnet.Conn) gnet.Action {
	c := g.Context().(*conn)
	e.s.rounds.looked()
	b, _ := g.Peek(-1)
	used, closeNow := e.s.take(c, b)
	if used > 0 { // Discard(0) would discard everything
		_, _ = g.Discard(used)
	}
	if closeNow {
		return gnet.Close
	}
	if e.s.taken >= roundBytesMax {
		e.s.round()
	}
	return gnet.None
}

func (e *events) OnClose(g gnet.Conn, _ error) gnet.Action {
	switch c := g.Context().(type) {
	case *bell:
		e.s.bellFell.Store(true)
		e.s.end(errors.New("the event loop has ended by itself; the lines above may say why"))
	default:
		e.s.gone(c.(*conn))
	}
	return gnet.None
}
