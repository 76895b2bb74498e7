package loop

import "ticketing/proto"

// A connection whose stream can't be read on gets bad_frame and is closed. What
// it asked for before that is settled first, so that its answers do not depend
// on how the bytes were cut into segments: the refusal waits until no write is
// on its way, at most until the connection's deadline.

// breakStream notes that c sent what is no frame.
func (s *Server) breakStream(c *conn) {
	s.metrics.badFrames.Inc()
	c.phase = phaseBroken
	s.deadlines.set(c, after(s.now, s.cfg.Limits.Linger))
	s.broken = append(s.broken, c)
}

// refuseAllBroken is called when nothing is being written.
func (s *Server) refuseAllBroken() {
	for i, c := range s.broken {
		s.broken[i] = nil
		if c.phase == phaseBroken { // else it went, or its deadline came
			s.refuseBroken(c)
		}
	}
	s.broken = s.broken[:0]
}

// refuseBroken says so, and waits for the client to go.
func (s *Server) refuseBroken(c *conn) {
	s.send(c, badFrameFrame)
	if c.phase != phaseGone {
		s.finish(c)
	}
}

var badFrameFrame = proto.AppendError(nil, proto.BadFrame)
