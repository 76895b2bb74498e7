package consensus

// serving is what a member keeps for those that fetch its snapshot.
type serving struct {
	reads   []read
	askedAt Mono // when a chunk was last asked for, plus 1; 0: never
}

// read is a chunk that the shell is reading for a member.
type read struct {
	chunk ChunkRead
	to    NodeID
}

// offer tells a member that needs what is not in the log any more of the
// snapshot that has it. Ballot is that of the Prepare that is refused so.
func (c *Core) offer(to NodeID, b Ballot) {
	c.send(to, Message{Type: MsgOffer, Ballot: b, Meta: c.snapshot.inForce})
}

func (c *Core) onAsk(from NodeID, m *Message) {
	s := &c.serving
	s.askedAt = c.now + 1
	if m.Meta != c.snapshot.inForce {
		c.offer(from, Ballot{})
		return
	}
	r := read{chunk: ChunkRead{Gen: m.Meta.Gen, Index: m.Index}, to: from}
	for _, have := range s.reads {
		if have == r {
			return
		}
	}
	s.reads = append(s.reads, r)
	c.reads = append(c.reads, r.chunk)
}

// ChunkRead answers a ChunkRead of Output; data is nil if the store has
// dropped that generation since. The core keeps data.
func (c *Core) ChunkRead(r ChunkRead, data []byte) {
	s := &c.serving
	kept := s.reads[:0]
	for _, have := range s.reads {
		if have.chunk != r {
			kept = append(kept, have)
			continue
		}
		if m := c.snapshot.inForce; data != nil && m.Gen == r.Gen {
			c.send(have.to, Message{Type: MsgChunk, Meta: m, Index: r.Index, Data: data})
		}
	}
	s.reads = kept
}

// beingFetched reports whether some member is fetching the snapshot in force.
func (c *Core) beingFetched() bool {
	return c.serving.askedAt != 0 && c.now-(c.serving.askedAt-1) < 2*c.cfg.ElectionTimeout
}
