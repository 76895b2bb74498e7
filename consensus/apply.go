package consensus

// handOut passes everything chosen to the state machine, each slot once.
func (c *Core) handOut() {
	clear(c.chosen)
	c.chosen = c.chosen[:0]
	for c.applied < c.commit {
		e := c.log.at(c.applied + 1)
		chosen := Chosen{
			Slot:      e.Slot,
			Origin:    e.Origin,
			Kind:      e.Kind,
			Payload:   e.Payload,
			Effective: c.state.apply(e),
		}
		chosen.Now = c.state.now
		c.applied = e.Slot
		if e.Kind == KindReplace {
			chosen.Kind, chosen.Payload = KindCommands, nil
			if chosen.Effective {
				c.applyReplacement(e)
			}
		}
		c.chosen = append(c.chosen, chosen)
		c.pending -= cost(e)
		c.snapshot.grown += cost(e)
	}
	c.grow()
}

// trim forgets the part of the log in memory that nobody needs. Alone, that is
// all that has been handed out. With others, everything above the snapshot
// stays: a member that needs it could get it from nowhere else.
func (c *Core) trim() {
	if c.cfg.Members == 1 {
		c.log.dropTo(c.applied)
		return
	}
	limits := &c.cfg.Limits
	needed := c.neededByLiving()
	end := min(c.applied, c.snapshot.inForce.Slot)
	for c.log.count > 0 && c.log.first <= end && c.log.bytes > limits.KeptBytes &&
		(c.log.first < needed || c.log.bytes > limits.AwaitedBytes) {
		c.log.dropTo(c.log.first)
	}
}

// neededByLiving is the first slot that a member which is alive may still ask
// this leader for.
func (c *Core) neededByLiving() Slot {
	needed := c.log.last() + 1
	if c.role != RoleLeader {
		return needed
	}
	for i := range c.reign.followers {
		if f := &c.reign.followers[i]; NodeID(i+1) != c.cfg.Node && c.alive(f) {
			needed = min(needed, f.has+1)
		}
	}
	return needed
}
