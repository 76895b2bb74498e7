package loop

import (
	"slices"

	"ticketing/consensus"
	"ticketing/node"
	"ticketing/proto"
)

// phase is how far a connection has come. It only ever goes forward.
type phase uint8

const (
	// phaseChallenged: the answer to the challenge is not there yet. Its
	// deadline is the end of the handshake.
	phaseChallenged phase = iota
	// phaseOpen: requests are taken. Its deadline is the next look at whether
	// it has been silent.
	phaseOpen
	// phaseBroken: a frame could not be read, so nothing more is taken in. The
	// answer follows when what came before is settled (broken.go), at the
	// deadline if need be.
	phaseBroken
	// phaseHeld: the digest was wrong. Its deadline is when that is said.
	phaseHeld
	// phaseLeaving: the last answer is on its way, and our side of the
	// connection is shut. It is closed by the client or at the deadline.
	phaseLeaving
	// phaseGone: closed. Its link must not be touched any more: the descriptor
	// may be someone else's by now.
	phaseGone
)

// conn is the shell's side of a client connection.
type conn struct {
	link  link
	phase phase
	// id is the replica's name for it, from the end of the handshake on until
	// the replica has been told Gone; then 0 again.
	id     node.Conn
	random [proto.NonceBytes]byte // of the challenge
	told   consensus.Mono         // when it was last sent something

	// queue holds replies that were not handed over because the socket has
	// not taken earlier ones. It begins at a frame.
	queue   []byte
	waiting int // place in the backlog

	due   consensus.Mono
	place int // in deadlines
}

func newConn() *conn { return &conn{place: nowhere, waiting: nowhere} }

// opened begins the life of a connection, and returns its challenge.
func (s *Server) opened(c *conn, l link) []byte {
	s.look()
	c.link = l
	c.random = s.nonces.draw()
	s.conns.Add(1)
	s.metrics.connsTotal.Inc()
	s.deadlines.set(c, after(s.now, s.cfg.Limits.Handshake))
	s.post() // for the alarm
	return proto.AppendChallenge(nil, c.random[:])
}

// take reads what the client sent. It returns how much of b is done with, and
// whether the connection is to be closed at once. It writes nothing.
func (s *Server) take(c *conn, b []byte) (used int, closeNow bool) {
	s.look()
	if c.phase == phaseChallenged {
		used, closeNow = s.answered(c, b)
	}
	switch c.phase {
	case phaseChallenged:
	case phaseOpen:
		used += s.frames(c, b[used:])
	default:
		used = len(b)
	}
	s.metrics.received += used // the rest comes again, with what follows it
	s.post()
	return used, closeNow
}

// frames hands all whole frames of b to the replica. Published clients queue
// thousands of waiting acquires on one connection, and the releases that will
// serve them behind those: reading never stops.
func (s *Server) frames(c *conn, b []byte) (used int) {
	for {
		n, reason := proto.ParseRequest(b[used:], &s.request)
		switch {
		case reason == proto.BadFrame:
			s.breakStream(c)
			return len(b)
		case n == 0:
			s.taken += used
			return used
		case reason != "":
			s.replica.Refuse(c.id, reason)
		case s.request.Op != 0:
			s.requests++
			s.replica.Request(c.id, &s.request)
		}
		used += n
	}
}

// gone is called once for each connection, when it has ended for whatever
// cause: within a write or close of ours, or because the client went.
func (s *Server) gone(c *conn) {
	if c.phase == phaseHeld {
		s.held--
	}
	s.leave(c, append(slices.Clip(c.link.untaken()), c.queue...))
	c.phase = phaseGone
	s.deadlines.remove(c)
	s.backlog.remove(c)
	c.queue = nil
	s.conns.Add(-1)
	s.post()
}

// leave tells the replica that the connection is no more, and which replies the
// socket layer has had no byte of.
func (s *Server) leave(c *conn, unsent []byte) {
	if c.id == 0 {
		return
	}
	s.byIndex[c.id.Index()] = nil
	s.replica.Gone(c.id, unsent)
	c.id = 0
}

// finish shuts our side after the last answer, and leaves the client a moment
// to read it: closing with its bytes unread would reset the connection and
// take the answer with it.
func (s *Server) finish(c *conn) {
	s.leave(c, c.queue)
	c.phase = phaseLeaving
	c.queue = nil
	s.backlog.remove(c)
	c.link.shut()
	s.deadlines.set(c, after(s.now, s.cfg.Limits.Linger))
}

// expire deals with connections whose deadline has come, a bounded number.
func (s *Server) expire() {
	for range deadlinesPerRound {
		c := s.deadlines.first(s.now)
		if c == nil {
			return
		}
		s.expired(c)
	}
}

func (s *Server) expired(c *conn) {
	switch c.phase {
	case phaseOpen:
		s.keepAlive(c)
	case phaseChallenged:
		s.metrics.handshakeTimeouts.Inc()
		s.refuseHandshake(c)
	case phaseHeld:
		s.held--
		s.refuseHandshake(c)
	case phaseBroken:
		s.refuseBroken(c)
	case phaseLeaving, phaseGone:
		c.link.close()
	}
}

// keepAlive sends one if the client has been sent nothing for so long, whatever
// it sends itself: it wants to know that the server lives. It looks again when
// that next may be so.
func (s *Server) keepAlive(c *conn) {
	if s.now >= after(c.told, s.cfg.Limits.KeepAlive) {
		if c.waiting == nowhere { // else there is enough on its way
			s.hand(c, keepAliveFrame)
			if c.phase == phaseGone {
				return
			}
		}
		c.told = s.now
	}
	s.deadlines.set(c, after(c.told, s.cfg.Limits.KeepAlive))
}

var keepAliveFrame = proto.AppendKeepAlive(nil)
