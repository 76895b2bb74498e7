package consensus

// tickLeader is what a leader does as time passes.
func (c *Core) tickLeader() {
	if c.reign.outbid && c.answerOutbid() {
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

// answerOutbid goes above a ballot that some member has promised, and reports
// whether it did. That member would refuse this leader for ever, perhaps for
// the sake of a candidate that is gone. But the candidate may as well have the
// majority by now, and two leaders that outbid each other at once would never
// end. So this leader does it only if a majority has answered a heartbeat that
// left after it was outbid, or at once if it has led for an election time-out:
// that happens once in an election time-out at most. If neither is so, it has
// been replaced, and will hear of it or lose its majority.
func (c *Core) answerOutbid() bool {
	r := &c.reign
	if r.outbidAt == 0 {
		r.outbidAt = c.now + 1
		r.beatAt = c.now
	}
	at, ok := c.confirmed()
	if ok && at+1 >= r.outbidAt || c.Leading() && c.now-r.clock.since >= c.cfg.ElectionTimeout {
		c.campaign()
		return true
	}
	return false
}

// confirmed returns the time at which the last heartbeat left that a majority
// has answered. The leader answers its own, unless its disk has stopped: then
// its followers must be able to do without it.
func (c *Core) confirmed() (Mono, bool) {
	for i := range c.reign.followers {
		c.reign.acks[i] = 0
		if c.counts(NodeID(i + 1)) {
			c.reign.acks[i] = c.reign.followers[i].ackedAt
		}
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
	}
}

func (c *Core) onAlive(from NodeID, m *Message) {
	if c.role != RoleLeader || m.Ballot != c.promised {
		return
	}
	f := &c.reign.followers[from-1]
	f.heard(m.Sent)
	c.onAccepted(from, m)
	c.liftLearner(f, m.Promised)
	if f.next < c.log.first {
		c.offer(from, Ballot{})
	}
}
