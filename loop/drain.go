package loop

// Drain begins the end: clients that come now are turned away, new requests get
// not_active, what is in flight is still carried out and answered, and then the
// server ends (Done). Any goroutine may call it, any number of times.
func (s *Server) Drain() {
	s.turningAway.Store(true)
	s.later(func() {
		if s.draining {
			return
		}
		s.draining = true
		s.drainUntil = after(s.now, s.cfg.Limits.Drain)
		s.replica.Drain()
	})
}

// stopWhenDrained ends the server once nothing is in flight and the answers
// have been taken, or it has waited long enough for either.
func (s *Server) stopWhenDrained() {
	if !s.draining {
		return
	}
	if !s.settled && (s.out.Idle || s.now >= s.drainUntil) {
		s.settled = true
		s.drainUntil = after(s.now, s.cfg.Limits.DrainFlush)
	}
	if s.settled && (len(s.backlog.list) == 0 || s.now >= s.drainUntil) {
		s.end(nil)
	}
}
