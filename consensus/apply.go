package consensus

// handOut passes everything chosen to the state machine, each slot once.
func (c *Core) handOut() {
	clear(c.chosen)
	c.chosen = c.chosen[:0]
	for c.applied < c.commit {
		e := c.log.at(c.applied + 1)
		effective := c.state.apply(e)
		c.chosen = append(c.chosen, Chosen{
			Slot:      e.Slot,
			Origin:    e.Origin,
			Now:       c.state.now,
			Kind:      e.Kind,
			Payload:   e.Payload,
			Effective: effective,
		})
		c.applied = e.Slot
		c.snapshot.grown += cost(e)
	}
	if c.cfg.Members == 1 {
		c.log.dropTo(c.applied)
	}
}
