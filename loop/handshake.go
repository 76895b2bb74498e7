package loop

import (
	"log/slog"

	"ticketing/proto"
)

// answered reads the answer to the challenge. Requests may stand behind it in
// the same bytes.
func (s *Server) answered(c *conn, b []byte) (used int, closeNow bool) {
	answer, n, ok := proto.ParseAnswer(b)
	if ok && n == 0 {
		return 0, false
	}
	if !ok || !proto.CheckDigest(s.cfg.Secrets, c.random[:], answer) {
		s.metrics.handshakeFailures.Inc()
		s.tellWrongSecret(c)
		return 0, s.hold(c)
	}
	c.phase = phaseOpen
	c.id = s.replica.Open()
	for c.id.Index() >= len(s.byIndex) {
		s.byIndex = append(s.byIndex, nil)
	}
	s.byIndex[c.id.Index()] = c
	s.deadlines.set(c, after(s.now, s.cfg.Limits.KeepAlive))
	return n, false
}

// tellWrongSecret logs one of them now and then.
func (s *Server) tellWrongSecret(c *conn) {
	if s.now < s.nextTelling {
		return
	}
	s.nextTelling = after(s.now, tellInterval)
	s.cfg.Log.Warn("a client does not know the secret, or speaks another protocol", slog.String("client", c.link.remote()))
}

// hold keeps a connection with a wrong digest waiting for its refusal. The
// published clients come back at once after it, two connections each: without
// the wait, one wrong secret is a storm. It returns true if too many are
// waiting already.
func (s *Server) hold(c *conn) (closeNow bool) {
	if s.held >= s.cfg.Limits.HeldConns {
		c.phase = phaseLeaving
		return true
	}
	s.held++
	c.phase = phaseHeld
	s.deadlines.set(c, after(s.now, s.cfg.Limits.Hold))
	return false
}

// refuseHandshake says that there was no right digest, in time.
func (s *Server) refuseHandshake(c *conn) {
	c.phase = phaseLeaving
	s.hand(c, authFailedFrame)
	if c.phase != phaseGone {
		s.finish(c)
	}
}

var authFailedFrame = proto.AppendError(nil, proto.AuthFailed)
