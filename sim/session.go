package sim

import (
	"ticketing/node"
	"ticketing/proto"
)

// session is one connection of a client with a host: two streams of bytes, cut
// at random places, each in order.
type session struct {
	w      *World
	id     int // no two sessions of a world share one
	client *client
	host   *host
	life   int

	// The server's side.
	conn   node.Conn // 0: not accepted yet, or ended
	in     []byte    // received, not parsed
	broken bool      // received what is no frame
	unsent []byte    // replies not handed to the socket layer
	slow   bool      // the client's side takes nothing just now

	// The client's side.
	up       bool           // usable: established and not ended
	deaf     bool           // whatever arrives is lost
	replies  []byte         // received, not parsed
	open     []*op          // sent, not answered, in order
	refusals []proto.Reason // that must come, in order

	toServer, toClient Time // when the last byte arrives
}

// segments cuts b at random places.
func (w *World) segments(b []byte, each func([]byte)) {
	for len(b) > 0 {
		n := len(b)
		if w.clientRand.chance(w.params.Client.Cut) {
			n = 1 + w.clientRand.IntN(len(b))
		}
		each(b[:n:n])
		b = b[n:]
	}
}

// later plans f for when the next thing on a stream arrives.
func (s *session) later(last *Time, f func()) {
	d := s.w.params.Client.Delay
	d = d/2 + s.w.clientRand.around(d/2)
	*last = max(*last, s.w.now+d)
	s.w.at(*last, f)
}

// send carries bytes to the server.
func (s *session) send(b []byte) {
	s.w.segments(b, func(part []byte) {
		s.later(&s.toServer, func() {
			s.host.deliver(s.life, func() { s.host.received(s, part) })
		})
	})
}

// reply takes whole frames from the server: they are handed to the socket layer
// unless earlier ones still wait because the client's side is slow. A client
// that leaves too much lying is cut off.
func (s *session) reply(b []byte, drop bool) {
	p := &s.w.params.Client
	if drop {
		s.w.checks.dropped(s)
	}
	if !s.slow && s.w.faulty && s.w.clientRand.chance(p.Sluggish) {
		s.slow = true
		s.w.after(s.w.clientRand.around(second), s.quicken)
	}
	if !s.slow {
		s.handOver(b)
		return
	}
	tooMuch := len(s.unsent) > p.UnsentMax
	s.unsent = append(s.unsent, b...)
	if tooMuch && s.conn != 0 {
		s.w.checks.stats.CutOff++
		s.host.hangUp(s)
	}
}

func (s *session) quicken() {
	s.slow = false
	if s.conn == 0 || len(s.unsent) == 0 {
		return
	}
	b := s.unsent
	s.unsent = nil
	s.handOver(b)
}

// handOver gives reply bytes to the socket layer: they may still get lost.
func (s *session) handOver(b []byte) {
	b = append([]byte(nil), b...)
	s.w.segments(b, func(part []byte) {
		s.later(&s.toClient, func() {
			s.client.awake(func() {
				if !s.deaf {
					s.client.received(s, part)
				}
			})
		})
	})
}

// serverDied and serverClosed let the client notice the end, perhaps before
// everything has arrived.
func (s *session) serverDied() {
	s.conn = 0
	if s.w.clientRand.chance(0.5) {
		s.deaf = true
	}
	s.serverClosed()
}

func (s *session) serverClosed() {
	s.later(&s.toClient, func() {
		s.client.awake(func() {
			s.deaf = true
			s.client.ended(s)
		})
	})
}

// hangUp ends the connection from the client's side. half: the client still
// reads what comes. vanish: the server notices only by its own time-out.
func (s *session) hangUp(half, vanish bool) {
	s.up = false
	s.deaf = s.deaf || !half
	notice := func() {
		s.host.deliver(s.life, func() { s.host.ended(s) })
	}
	if vanish {
		s.w.after(vanishedAfter, notice)
		return
	}
	s.later(&s.toServer, notice)
}

// vanishedAfter is how soon a server notices that a client has gone without a
// word.
const vanishedAfter = 25 * second
