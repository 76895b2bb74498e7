package consensus

// snapshots is what a member knows of snapshots of its own state machine. At
// most one generation is being stored at a time, taken here or fetched.
type snapshots struct {
	inForce SnapshotMeta // durably; zero: none
	gen     uint64       // the newest generation used
	grown   uint64       // cost of the entries handed out above the newest

	taking    bool         // one has been asked for and is not all here
	abandoned bool         // it will never be, and the state machine does not know yet
	meta      SnapshotMeta // of the one being taken, or put in force
	seq       uint64       // the write that puts meta in force; 0: none on its way
	stored    []uint64     // writes that hold its chunks and are not durable
}

// wantSnapshot reports whether a snapshot is due, and then begins it: it will
// be of what has just been handed out.
func (c *Core) wantSnapshot() bool {
	s := &c.snapshot
	if len(c.restores) > 0 {
		s.abandoned = false
	}
	if c.cfg.SnapshotBytes == 0 || s.taking || s.seq != 0 || c.fetch.active() || s.grown < c.snapshotDue() {
		return false
	}
	s.gen++
	s.taking = true
	s.grown = 0
	s.meta = SnapshotMeta{Gen: s.gen, Slot: c.applied, Mark: c.state.mark, Now: c.state.now}
	return true
}

// snapshotDue is how far the log may grow before the next snapshot. While the
// one in force is being fetched it stays as long as it can: a member that is
// slow to fetch would otherwise begin again and again.
func (c *Core) snapshotDue() uint64 {
	due := snapshotGrowth * c.snapshot.inForce.Bytes
	if c.cfg.Members > 1 {
		due = min(due, c.cfg.Limits.LogBytes)
		if c.beingFetched() {
			due = c.cfg.Limits.LogBytes
		}
	}
	return max(due, c.cfg.SnapshotBytes)
}

// SnapshotReady reports whether a snapshot has been asked for and the disk is
// ready for its next chunk. A caller that waits for it keeps the memory of a
// snapshot bounded however slow the disk is.
func (c *Core) SnapshotReady() bool {
	return c.snapshot.taking && len(c.snapshot.stored) < maxChunksInFlight
}

// SnapshotChunk hands over the next chunk of the snapshot that WantSnapshot
// asked for, at most MaxChunk bytes; last ends it. The core keeps data.
//
// A Restore with Index 0 ends a snapshot that is being taken: its caller drops
// it. Calling this when no snapshot has been asked for is a bug.
func (c *Core) SnapshotChunk(data []byte, last bool) {
	s := &c.snapshot
	if s.abandoned {
		return
	}
	if !s.taking || len(data) > MaxChunk {
		panic("BUG: a chunk too large, or of a snapshot that nobody asked for")
	}
	c.gate.chunk(Chunk{Gen: s.meta.Gen, Index: s.meta.Chunks, Data: data})
	s.stored = append(s.stored, c.gate.newest)
	s.meta.Chunks++
	s.meta.Bytes += uint64(len(data))
	if last {
		s.taking = false
		c.gate.snapshot(s.meta)
		s.putInForce(s.meta, c.gate.newest)
	}
}

// putInForce notes that write seq puts m in force.
func (s *snapshots) putInForce(m SnapshotMeta, seq uint64) { s.meta, s.seq = m, seq }

// abandon gives up the snapshot that is being taken, if there is one.
func (s *snapshots) abandon() {
	s.abandoned = s.taking
	s.taking = false
}

func (s *snapshots) persisted(seq uint64) {
	s.stored = dropUpTo(s.stored, seq)
	if s.seq != 0 && s.seq <= seq {
		s.inForce, s.seq = s.meta, 0
	}
}

// dropUpTo removes what is at most seq from the front of rising numbers.
func dropUpTo(seqs []uint64, seq uint64) []uint64 {
	n := 0
	for n < len(seqs) && seqs[n] <= seq {
		n++
	}
	return seqs[:copy(seqs, seqs[n:])]
}
