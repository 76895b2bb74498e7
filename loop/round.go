package loop

import (
	"ticketing/consensus"
	"ticketing/node"
)

// post has the loop run a round, from now on. Any goroutine.
func (s *Server) post() { s.rounds.post() }

// look reads the clock once a round, at its first event.
func (s *Server) look() {
	if !s.looked {
		s.looked = true
		s.now = s.cfg.Clock()
	}
}

// round is the end of a round: what has come in since the last goes through the
// replica, and what comes out of it to the disk and the clients.
func (s *Server) round() {
	if s.over.Load() {
		return
	}
	s.rounds.begin()
	s.alarm.hush()
	s.inbox.run()
	s.now = s.cfg.Clock() // after the round's last event: see node.Flush
	s.expire()
	if quiet := s.flush(); quiet {
		s.refuseAllBroken()
	}
	s.retry()
	s.stopWhenDrained()
	s.metrics.endRound(s.requests)
	s.looked = false
	s.taken, s.requests = 0, 0
	s.setAlarm()
	if s.rounds.end() {
		s.alarm.hush() // it may have been what wanted the round
		s.alarm.set(s.now, s.now)
		s.rounds.looked() // they will be, before it rings
	}
}

// flush runs the replica until it has nothing to do before the next event. It
// reports whether all that was asked is decided: no write is on its way.
func (s *Server) flush() (quiet bool) {
	if seq := s.disk.durable(); seq > s.persisted {
		s.persisted = seq
		s.replica.Persisted(seq)
	}
	for range flushesPerRound {
		s.replica.Flush(s.now, &s.out)
		s.deliver(s.out.Replies)
		if len(s.out.Writes) == 0 {
			return s.persisted == s.written
		}
		s.written = s.out.Writes[len(s.out.Writes)-1].Seq
		if !s.disk.write(s.out.Writes) {
			return false
		}
		s.persisted = s.written
		s.replica.Persisted(s.written)
		s.now = s.cfg.Clock()
	}
	s.post()
	return false
}

// deliver gives each connection its replies of this flush, in one write.
func (s *Server) deliver(replies []node.Reply) {
	for i := range replies {
		r := &replies[i]
		c := s.byIndex[r.Conn.Index()]
		switch {
		case r.Drop:
			c.queue = append(c.queue, r.Bytes...)
			s.drop(c, "too many of its requests wait for an answer")
		default:
			s.send(c, r.Bytes)
		}
	}
}

// setAlarm makes sure of a round when the next thing is due.
func (s *Server) setAlarm() {
	s.wakeAt(s.out.Wake)
	s.wakeAt(s.deadlines.next())
	if len(s.backlog.list) > 0 {
		s.wakeAt(after(s.now, retryInterval))
	}
	if s.draining {
		s.wakeAt(s.drainUntil)
	}
}

// wakeAt makes sure of a round at `at`; 0 is never.
func (s *Server) wakeAt(at consensus.Mono) {
	if at != 0 && at <= s.now {
		s.post()
		return
	}
	s.alarm.set(at, s.now)
}
