package consensus

// tickLeader is what a leader does as time passes.
func (c *Core) tickLeader() {
	if c.reign.outbid {
		c.answerOutbid()
		return
	}
	if c.now-c.lastSupport() >= c.cfg.ElectionTimeout {
		c.follow(0)
		c.resetElection()
		return
	}
	c.tickHandOver()
	if c.now >= c.reign.beatAt && !c.stalled() {
		c.beat()
	}
}

// answerOutbid: some member has promised a higher ballot and would refuse this
// leader for ever, perhaps to a candidate that is gone. A leader with a
// majority goes above it at once. One without has been replaced, or will be.
func (c *Core) answerOutbid() {
	if c.Leading() {
		c.campaign()
		return
	}
	c.follow(0)
	c.resetElection()
}

// confirmed returns the time at which the last heartbeat left that a majority
// has answered. The leader answers its own, unless its disk has stopped: then
// its followers must be able to do without it.
func (c *Core) confirmed() (Mono, bool) {
	for i := range c.reign.followers {
		c.reign.acks[i] = c.reign.followers[i].ackedAt
	}
	own := &c.reign.acks[c.cfg.Node-1]
	*own = 0
	if !c.stalled() {
		*own = c.now + 1
	}
	at := nth(c.reign.acks, c.quorum)
	return at - 1, at != 0
}

// lastSupport is from when on a leader may go on without a majority's answer.
func (c *Core) lastSupport() Mono {
	from := max(c.reign.clock.since, c.timers.resumed)
	if at, ok := c.confirmed(); ok {
		return max(at, from)
	}
	return from
}

// beat sends a heartbeat to every member.
func (c *Core) beat() {
	c.reign.beatAt = c.now + c.cfg.Heartbeat
	for i := range c.reign.followers {
		to := NodeID(i + 1)
		if to == c.cfg.Node {
			continue
		}
		f := &c.reign.followers[i]
		c.send(to, Message{
			Type:   MsgHeartbeat,
			Ballot: c.promised,
			Slot:   f.next - 1,
			Commit: c.commit,
			Stamp:  c.reign.clock.at(c.now),
			Sent:   c.now,
		})
		if f.next < c.log.first && c.alive(f) {
			c.offer(to, Ballot{})
		}
	}
}

func (c *Core) onAlive(from NodeID, m *Message) {
	if c.role != RoleLeader || m.Ballot != c.promised {
		return
	}
	c.reign.followers[from-1].heard(m.Sent)
	c.onAccepted(from, m)
}
