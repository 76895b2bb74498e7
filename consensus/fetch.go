package consensus

// fetch is a snapshot on its way here from another member. The receiver asks
// for each chunk, so that the sender keeps nothing for it, and a transfer goes
// on where it stopped: even from another member, since all members' snapshots
// of one slot are the same.
type fetch struct {
	from    NodeID       // 0: from nobody at this moment
	meta    SnapshotMeta // as the sender has it, with the sender's Gen
	gen     uint64       // its name here; 0 until the first chunk is here
	next    uint32       // the chunk that is needed next
	asked   uint32       // the chunk that will be asked for next
	bytes   uint64
	stored  []uint64 // writes that hold its chunks and are not durable
	heardAt Mono     // when it was last got on with
	retryAt Mono     // when to ask again for what has not come
}

func (f *fetch) active() bool { return f.from != 0 }

func (f *fetch) stop() { *f = fetch{stored: f.stored} }

// sameState reports whether two snapshots are of the same state.
func (m SnapshotMeta) sameState(o SnapshotMeta) bool {
	m.Gen, o.Gen = 0, 0
	return m == o
}

func (c *Core) onOffer(from NodeID, m *Message) {
	if v := &c.candidacy; c.role == RoleCandidate && v.preparing && m.Ballot == v.ballot {
		c.follow(0)
	}
	if c.role == RoleLeader || m.Meta.Slot <= c.commit {
		return
	}
	f := &c.fetch
	if f.active() && (f.from == from && f.meta == m.Meta || f.from != from && !c.fetchLate()) {
		return
	}
	if f.gen == c.snapshot.gen && f.meta.sameState(m.Meta) {
		f.from, f.meta = from, m.Meta
	} else {
		*f = fetch{from: from, meta: m.Meta, stored: f.stored}
	}
	c.askAgain()
}

// fetchLate reports whether a fetch has not got on for a whole election
// time-out.
func (c *Core) fetchLate() bool { return c.now-c.fetch.heardAt >= c.cfg.ElectionTimeout }

// askAgain starts over with the chunk that is needed next.
func (c *Core) askAgain() {
	f := &c.fetch
	f.asked = f.next
	f.heardAt = c.now
	f.retryAt = c.now + c.cfg.ElectionTimeout/2
	c.ask()
}

// ask asks for more chunks, as many as may be on their way.
func (c *Core) ask() {
	f := &c.fetch
	for f.asked < f.meta.Chunks && f.asked-f.next+uint32(len(f.stored)) < maxChunksInFlight {
		c.send(f.from, Message{Type: MsgAsk, Meta: f.meta, Index: f.asked})
		f.asked++
	}
}

func (c *Core) tickFetch() {
	f := &c.fetch
	switch {
	case !f.active():
	case f.meta.Slot <= c.commit:
		f.stop()
	case c.now >= f.retryAt && c.fetchLate():
		f.from = 0
	case c.now >= f.retryAt:
		f.asked = f.next
		f.retryAt = c.now + c.cfg.ElectionTimeout/2
		c.ask()
	default:
		c.ask()
	}
}

func (c *Core) onChunk(from NodeID, m *Message) {
	f := &c.fetch
	if !f.active() || from != f.from || m.Meta != f.meta || m.Index != f.next {
		return
	}
	f.bytes += uint64(len(m.Data))
	if m.Index+1 == f.meta.Chunks && f.bytes != f.meta.Bytes {
		f.stop() // it is not what it was said to be: begin again with the next offer
		return
	}
	if f.gen == 0 {
		c.snapshot.taking = false // at most one generation is being stored
		c.snapshot.gen++
		f.gen = c.snapshot.gen
	}
	meta := f.meta
	meta.Gen = f.gen
	c.gate.chunk(Chunk{Gen: f.gen, Index: m.Index, Data: m.Data})
	f.stored = append(f.stored, c.gate.newest)
	c.restores = append(c.restores, Restore{Meta: meta, Index: m.Index, Data: m.Data})
	f.next++
	f.heardAt = c.now
	f.retryAt = c.now + c.cfg.ElectionTimeout/2
	if f.next == meta.Chunks {
		c.install(meta)
		return
	}
	c.ask()
}

// install puts a fetched snapshot in the place of the state machine. The
// promise stays, and so does everything accepted above it.
func (c *Core) install(meta SnapshotMeta) {
	c.fetch.stop()
	c.gate.snapshot(meta)
	c.snapshot.putInForce(meta, c.gate.newest)
	c.snapshot.grown = 0
	if c.role == RoleCandidate {
		c.follow(0)
	}
	for s := c.applied + 1; s <= min(meta.Slot, c.log.last()); s++ {
		c.pending -= cost(c.log.at(s))
	}
	c.log.dropTo(meta.Slot)
	c.state = replay{mark: meta.Mark, now: meta.Now}
	c.applied = meta.Slot
	c.commit = max(c.commit, meta.Slot)
}
