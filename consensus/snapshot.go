package consensus

import "fmt"

// snapshots is what a member knows of snapshots of its own state machine. At
// most one generation is being stored at a time, taken here or fetched.
type snapshots struct {
	inForce SnapshotMeta // durably; zero: none
	gen     uint64       // the newest generation used
	grown   uint64       // cost of the entries handed out above the newest

	taking bool         // one has been asked for and is not all here
	meta   SnapshotMeta // of the one being taken, or put in force
	seq    uint64       // the write that puts meta in force; 0: none on its way
	stored []uint64     // writes that hold its chunks and are not durable
}

// wantSnapshot reports whether a snapshot is due, and then begins it: it will
// be of what has just been handed out.
func (c *Core) wantSnapshot() bool {
	s := &c.snapshot
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

// SnapshotReady reports whether the next chunk of a snapshot may be handed
// over: one has been asked for, and the disk keeps up, so that its memory is
// bounded however slow the disk is.
func (c *Core) SnapshotReady() bool {
	return c.snapshot.taking && len(c.snapshot.stored) < maxChunksInFlight
}

// SnapshotChunk hands over the next chunk of the snapshot that WantSnapshot
// asked for, at most MaxChunk bytes; last ends it. The core keeps data. A
// snapshot of another member may come in between: then SnapshotReady stays
// false, and a Restore with Index 0 tells the state machine to drop what it was
// about to hand over. Calling this when not SnapshotReady is a bug.
func (c *Core) SnapshotChunk(data []byte, last bool) {
	s := &c.snapshot
	if !c.SnapshotReady() || len(data) > MaxChunk {
		panic(fmt.Sprintf("BUG: chunk of %d bytes of a snapshot, ready: %v", len(data), c.SnapshotReady()))
	}
	c.gate.chunk(Chunk{Gen: s.meta.Gen, Index: s.meta.Chunks, Data: data})
	s.stored = append(s.stored, c.gate.newest)
	s.meta.Chunks++
	s.meta.Bytes += uint64(len(data))
	if last {
		s.taking = false
		c.recordSeen()
		c.gate.snapshot(s.meta)
		s.putInForce(s.meta, c.gate.newest)
	}
}

// putInForce notes that write seq puts m in force.
func (s *snapshots) putInForce(m SnapshotMeta, seq uint64) { s.meta, s.seq = m, seq }

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
