package consensus

// handOver is a leadership that is being given away on purpose.
type handOver struct {
	active bool
	until  Mono // given up then
	told   NodeID
	toldAt Mono
}

// HandOver gives leadership away: nothing more is proposed, and as soon as a
// follower has everything it is told to take over without waiting. Should
// none do so within two election time-outs, this node leads on. What is
// committed meanwhile is handed out as always. It does nothing while this
// node does not lead, or alone.
func (c *Core) HandOver() {
	if c.role == RoleLeader && c.cfg.Members > 1 && !c.reign.handOver.active {
		c.reign.handOver = handOver{active: true, until: c.now + 2*c.cfg.ElectionTimeout}
	}
}

func (c *Core) tickHandOver() {
	h := &c.reign.handOver
	switch {
	case !h.active:
	case c.now >= h.until:
		*h = handOver{}
	case h.told == 0 || c.now-h.toldAt >= c.cfg.ElectionTimeout/2:
		c.tellSuccessor()
	}
}

// tellSuccessor tells a follower that has everything to take over: the next
// one after the one that was told last, so that a deaf one is not the only one
// ever told.
func (c *Core) tellSuccessor() {
	h := &c.reign.handOver
	n := NodeID(c.cfg.Members)
	for i := NodeID(1); i <= n; i++ {
		to := (h.told+i-1)%n + 1
		f := &c.reign.followers[to-1]
		if to == c.cfg.Node || !c.alive(f) || f.match < c.log.last() {
			continue
		}
		h.told, h.toldAt = to, c.now
		c.send(to, Message{Type: MsgHandOver, Ballot: c.promised})
		return
	}
}

func (c *Core) onHandOver(from NodeID, m *Message) {
	if c.role == RoleFollower && c.leader == from && m.Ballot == c.promised {
		c.campaign()
	}
}
