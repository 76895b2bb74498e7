package consensus

// snapshots is what a member knows of snapshots of its own state machine.
type snapshots struct {
	inForce SnapshotMeta // zero: none
	gen     uint64       // the newest generation used
	grown   uint64       // cost of the entries handed out above inForce

	taking bool         // one has been asked for and is not all here
	meta   SnapshotMeta // of the one being taken or stored
	seq    uint64       // the write that puts meta in force; 0: none on its way
	chunks []uint64     // writes that hold its chunks and are not durable
}

// wantSnapshot reports whether a snapshot is due, and then begins it: it will
// be of what has just been handed out.
func (c *Core) wantSnapshot() bool {
	s := &c.snapshot
	if c.cfg.SnapshotBytes == 0 || s.taking || s.seq != 0 ||
		s.grown < max(c.cfg.SnapshotBytes, snapshotGrowth*s.inForce.Bytes) {
		return false
	}
	s.gen++
	s.taking = true
	s.grown = 0
	s.meta = SnapshotMeta{Gen: s.gen, Slot: c.applied, Mark: c.state.mark, Now: c.state.now}
	return true
}

// SnapshotReady reports whether a snapshot has been asked for and the disk is
// ready for its next chunk. A caller that waits for it keeps the memory of a
// snapshot bounded however slow the disk is.
func (c *Core) SnapshotReady() bool {
	return c.snapshot.taking && len(c.snapshot.chunks) < maxChunksInFlight
}

// SnapshotChunk hands over the next chunk of the snapshot that WantSnapshot
// asked for; last ends it. The core keeps data. Calling it when no snapshot
// has been asked for is a bug.
func (c *Core) SnapshotChunk(data []byte, last bool) {
	s := &c.snapshot
	if !s.taking {
		panic("BUG: a chunk of a snapshot that nobody asked for")
	}
	c.gate.chunk(Chunk{Gen: s.meta.Gen, Index: s.meta.Chunks, Data: data})
	s.chunks = append(s.chunks, c.gate.newest)
	s.meta.Chunks++
	s.meta.Bytes += uint64(len(data))
	if last {
		s.taking = false
		c.gate.snapshot(s.meta)
		s.seq = c.gate.newest
	}
}

// ChunkRead answers a ChunkRead of Output. The core keeps data.
func (c *Core) ChunkRead(r ChunkRead, data []byte) {}

func (s *snapshots) persisted(seq uint64) {
	n := 0
	for n < len(s.chunks) && s.chunks[n] <= seq {
		n++
	}
	s.chunks = s.chunks[:copy(s.chunks, s.chunks[n:])]
	if s.seq != 0 && s.seq <= seq {
		s.inForce, s.seq = s.meta, 0
	}
}
