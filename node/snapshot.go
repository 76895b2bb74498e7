package node

import (
	"ticketing/consensus"
	"ticketing/lock"
)

// snapshotter encodes a snapshot of the table, a chunk in a round, each only
// when the one before it is durable: so a snapshot never piles up in front of
// the entries, and never holds up a request by more than a chunk.
type snapshotter struct {
	source *lock.Snapshot // nil while there is none
	// waiting is set from the making of a chunk until it is durable; seq is
	// its write, 0 until it has one.
	waiting bool
	seq     uint64
}

// begin starts a snapshot of the table as it is now.
func (s *snapshotter) begin(t *lock.Table) { s.source = t.Snapshot() }

// wantsRound reports whether the next chunk can be made.
func (s *snapshotter) wantsRound() bool { return s.source != nil && !s.waiting }

// pump makes the next chunk.
func (s *snapshotter) pump(core *consensus.Core) {
	if !s.wantsRound() {
		return
	}
	chunk, last := s.source.Next(snapshotChunkBytes)
	core.SnapshotChunk(chunk, last)
	s.waiting = true
	s.seq = 0
	if last {
		s.source.Close()
		s.source = nil
	}
}

// sent notes which write carries the chunk.
func (s *snapshotter) sent(w *consensus.Write) {
	if w.Chunk != nil {
		s.seq = w.Seq
	}
}

// persisted notes that writes up to seq are durable.
func (s *snapshotter) persisted(seq uint64) {
	if s.waiting && s.seq != 0 && seq >= s.seq {
		s.waiting = false
	}
}
