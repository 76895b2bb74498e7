package sim

import (
	"strings"

	"ticketing/proto"
)

// sendGarbage sends a frame that must be refused. It returns false if it was one
// after which the connection is of no more use.
func (c *client) sendGarbage(s *session) bool {
	r := c.w.clientRand
	if c.w.faulty && r.chance(0.1) {
		s.refusals = append(s.refusals, proto.BadFrame)
		s.send([]byte(brokenFrames[r.IntN(len(brokenFrames))]))
		s.up = false
		c.disconnected(s)
		c.w.after(linger+r.around(10*millisecond), func() { c.redial(s, c.target) })
		return false
	}
	frame, reason := badFrame(r)
	s.refusals = append(s.refusals, reason)
	s.send(frame)
	return true
}

// brokenFrames can't be told apart from what comes behind them.
var brokenFrames = []string{
	"X\n", "GET / HTTP/1.1\r\n", "\x00\n", "A" + strings.Repeat("k", 300),
}

var badKeys = []string{
	"", "a key", " ", "key\r", "\xff\xfe", strings.Repeat("k", 129), strings.Repeat("k", 170),
}

// badFrame draws a frame that is wrong in a stream that stays in step.
func badFrame(r stream) ([]byte, proto.Reason) {
	key, lease, reason := []byte("key-0"), uint16(0), proto.BadLease
	if r.chance(0.7) {
		key, lease, reason = []byte(badKeys[r.IntN(len(badKeys))]), uint16(r.IntN(2)), proto.BadKey
	}
	switch {
	case reason == proto.BadKey && r.chance(0.3):
		return proto.AppendRelease(nil, r.Uint64(), key), reason
	case r.chance(0.5):
		return proto.AppendKeep(nil, r.Uint64(), lease, key), reason
	}
	return proto.AppendAcquire(nil, uint16(r.IntN(1<<16)), lease, r.Uint64(), key), reason
}
