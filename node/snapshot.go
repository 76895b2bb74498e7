package node

import (
	"ticketing/consensus"
	"ticketing/lock"
)

// snapshotter encodes a snapshot of the table, at most one chunk in a round and
// only while the disk keeps up: so a snapshot never piles up in front of the
// entries, and holds up no request by more than a chunk.
type snapshotter struct {
	source *lock.Snapshot // nil while there is none
}

// begin starts a snapshot of the table as it is now.
func (s *snapshotter) begin(t *lock.Table) { s.source = t.Snapshot() }

// wantsRound reports whether the next chunk can be made.
func (s *snapshotter) wantsRound(core *consensus.Core) bool {
	return s.source != nil && core.SnapshotReady()
}

// pump makes the next chunk.
func (s *snapshotter) pump(core *consensus.Core) {
	if !s.wantsRound(core) {
		return
	}
	chunk, last := s.source.Next(snapshotChunkBytes)
	core.SnapshotChunk(chunk, last)
	if last {
		s.end()
	}
}

// end lets go of a snapshot that is done or not wanted any more.
func (s *snapshotter) end() {
	if s.source != nil {
		s.source.Close()
		s.source = nil
	}
}
