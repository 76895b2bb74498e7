package loop

import "log/slog"

// Decision 12 wants to know exactly which replies the socket layer has had a
// byte of: a grant among the others goes back when the connection ends. gnet
// keeps what a socket does not take in a buffer of its own, and writes from it
// even after OnClose. So a reply is handed over only while that buffer is
// empty; the rest waits here.
//
// gnet does not say when its buffer has run empty. The connections that wait
// are few, for their socket holds megabytes that the client has not read, so
// they are looked at in the end of each round and every retryInterval. (A
// second epoll instance on the descriptors would say it sooner, and would have
// to be kept in step with gnet's own life of each of them.)

// backlog holds the connections that wait for their socket.
type backlog struct {
	list []*conn
	turn int // the next to be looked at
}

func (b *backlog) add(c *conn) {
	c.waiting = len(b.list)
	b.list = append(b.list, c)
}

func (b *backlog) remove(c *conn) {
	if c.waiting == nowhere {
		return
	}
	last := len(b.list) - 1
	b.list[c.waiting] = b.list[last]
	b.list[c.waiting].waiting = c.waiting
	b.list[last] = nil
	b.list = b.list[:last]
	c.waiting = nowhere
}

// next returns the connections in turn.
func (b *backlog) next() *conn {
	if b.turn >= len(b.list) {
		b.turn = 0
	}
	b.turn++
	return b.list[b.turn-1]
}

// send passes whole frames on to the client, behind what waits already.
func (s *Server) send(c *conn, frames []byte) {
	if c.waiting == nowhere {
		s.hand(c, frames)
		return
	}
	slow := len(c.queue)+c.link.buffered() > s.cfg.Limits.OutboundBytes
	c.queue = append(c.queue, frames...)
	if slow {
		s.drop(c, "it does not read its answers")
	}
}

// hand gives frames to the socket layer. The connection may be gone afterwards.
func (s *Server) hand(c *conn, frames []byte) {
	c.told = s.now
	s.metrics.sent += len(frames)
	c.link.write(frames)
	if c.phase != phaseGone && c.link.full() {
		s.backlog.add(c)
	}
}

// retry hands over what waits where the socket has taken what it had.
func (s *Server) retry() {
	for range min(len(s.backlog.list), retriesPerRound) {
		c := s.backlog.next()
		if c.link.full() {
			continue
		}
		s.backlog.remove(c)
		queue := c.queue
		c.queue = nil
		if len(queue) > 0 {
			s.hand(c, queue)
		}
		if len(s.backlog.list) == 0 {
			return
		}
	}
}

// drop closes a connection that costs more than it may.
func (s *Server) drop(c *conn, why string) {
	s.metrics.drops.Inc()
	s.cfg.Log.Warn("connection dropped: "+why, slog.String("client", c.link.remote()),
		slog.Int("unsent_bytes", len(c.queue)), slog.Int("buffered_bytes", c.link.buffered()))
	c.link.close()
}
