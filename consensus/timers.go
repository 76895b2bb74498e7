package consensus

// timers is what a member knows of time. Events of a round are dated by the
// Tick that ends it, so these are flags until then.
type timers struct {
	heard   bool // a live leader, in this round
	restart bool // the election timer, though no leader was heard
	lent    bool // a heartbeat's stamp, in this round

	heardAt Mono // when a live leader was last heard
	elect   Mono // when to stand for election
	resumed Mono // when this node last woke from a pause

	loan loan
}

// loan is log time as a leader's heartbeat gave it.
type loan struct {
	ballot Ballot
	stamp  Stamp // at sending
	at     Mono  // receipt, on the own clock
}

func (t *timers) lend(m *Message) {
	t.lent = true
	t.loan.ballot, t.loan.stamp = m.Ballot, m.Stamp
}

// lendToSelf keeps the clock of a reign that ends, in case this node is the
// next to lead.
func (c *Core) lendToSelf() {
	if c.role == RoleLeader {
		c.timers.loan = loan{ballot: c.reign.ballot, stamp: c.reign.clock.at(c.now), at: c.now}
	}
}

// Tick gives the core the time: the clock of the node, read after the last
// event of the round. It is the only source of time, and never goes back.
func (c *Core) Tick(now Mono) {
	gap := now - c.now
	if now < c.now {
		panic("BUG: the clock went back")
	}
	c.now = now
	if c.cfg.Members > 1 {
		c.dateEvents(gap)
	}
	if c.elected() {
		c.lead()
	}
	switch {
	case c.cfg.Members == 1:
	case c.role == RoleLeader:
		c.tickLeader()
	case now >= c.timers.elect:
		c.standForElection()
	}
	c.tickFetch()
}

// dateEvents gives the events of the round that ends their time.
func (c *Core) dateEvents(gap Mono) {
	t := &c.timers
	if gap > c.cfg.ElectionTimeout/2 {
		t.resumed = c.now
	}
	if t.heard {
		t.heardAt = c.now
	}
	if t.heard || t.restart {
		c.resetElection()
	}
	if t.lent {
		t.loan.at = c.now
	}
	t.heard, t.restart, t.lent = false, false, false
}

// resetElection draws when to stand for election if nothing is heard.
func (c *Core) resetElection() {
	c.timers.elect = c.now + c.cfg.ElectionTimeout + Mono(c.rng.Int64N(int64(max(c.cfg.ElectionTimeout, 1))))
}

// stalled reports whether the own disk has not finished a write for so long
// that this node is of no use to others.
func (c *Core) stalled() bool { return c.gate.stalled(c.now, c.cfg.ElectionTimeout/2) }

// hearsLeader reports whether a live leader, this node included, makes an
// election unwelcome.
func (c *Core) hearsLeader() bool {
	if c.role == RoleLeader {
		return c.Leading()
	}
	return c.timers.heard || c.now-c.timers.heardAt < c.cfg.ElectionTimeout
}

// wake is when Tick must be called though nothing happened.
func (c *Core) wake() Mono {
	if c.cfg.Members == 1 {
		return 0
	}
	at := c.timers.elect
	switch {
	case c.elected():
		at = c.now
	case c.role == RoleLeader:
		at = c.reign.beatAt
	}
	if c.fetch.active() {
		at = min(at, c.fetch.retryAt)
	}
	return max(at, 1)
}
