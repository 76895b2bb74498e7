package consensus

// campaign takes a ballot above every one this node has seen.
func (c *Core) campaign() {
	round := max(c.promised.Round, c.state.mark.Round)
	for s := c.log.first; s <= c.log.last(); s++ {
		round = max(round, c.log.at(s).Ballot.Round)
	}
	c.promised = Ballot{Round: round + 1, Node: c.cfg.Node}
	c.gate.promise(c.promised)
	c.lead()
}

// lead begins this node's reign over a recovered log: everything that is not
// known to be chosen is accepted again under the own ballot, and then comes
// the LeaderStart.
func (c *Core) lead() {
	c.role = RoleLeader
	c.leader = c.cfg.Node
	base := c.state
	for s := c.applied + 1; s <= c.log.last(); s++ {
		base.apply(c.log.at(s))
	}
	c.reign = reign{base: base.now, since: c.now}
	c.acked = c.commit
	for i := range c.matches {
		c.matches[i] = 0
	}
	for s := c.commit + 1; s <= c.log.last(); s++ {
		e := *c.log.at(s)
		e.Ballot = c.promised
		c.accept(e)
	}
	c.append(KindLeaderStart, c.cfg.Start)
}
