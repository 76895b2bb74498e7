package storagetest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"ticketing/consensus"
)

// Model is what a store must hold, in the plainest form.
type Model struct {
	Promised consensus.Ballot
	Commit   consensus.Slot
	Log      map[consensus.Slot]consensus.Entry
	Snapshot *consensus.SnapshotMeta
	Chunks   map[uint64]map[uint32][]byte // by generation and index
}

// NewModel returns the model of an empty store.
func NewModel() *Model {
	return &Model{Log: map[consensus.Slot]consensus.Entry{}, Chunks: map[uint64]map[uint32][]byte{}}
}

// Clone returns a copy that later writes to m don't change.
func (m *Model) Clone() *Model {
	c := *m
	c.Log = maps.Clone(m.Log)
	c.Chunks = map[uint64]map[uint32][]byte{}
	for gen, chunks := range m.Chunks {
		c.Chunks[gen] = maps.Clone(chunks)
	}
	return &c
}

// Write does what a store does.
func (m *Model) Write(ws []consensus.Write) {
	for _, w := range ws {
		if w.Promised != (consensus.Ballot{}) {
			m.Promised = w.Promised
		}
		m.Commit = max(m.Commit, w.Commit)
		for _, e := range w.Entries {
			m.Log[e.Slot] = e
		}
		if c := w.Chunk; c != nil {
			if m.Chunks[c.Gen] == nil {
				m.Chunks[c.Gen] = map[uint32][]byte{}
			}
			m.Chunks[c.Gen][c.Index] = c.Data
		}
		if w.Snapshot != nil {
			m.putInForce(*w.Snapshot)
		}
	}
}

func (m *Model) putInForce(s consensus.SnapshotMeta) {
	m.Snapshot = &s
	maps.DeleteFunc(m.Log, func(slot consensus.Slot, _ consensus.Entry) bool { return slot <= s.Slot })
	maps.DeleteFunc(m.Chunks, func(gen uint64, _ map[uint32][]byte) bool { return gen != s.Gen })
}

// Reopen does what the end of a process does: snapshots that are not in force
// are gone.
func (m *Model) Reopen() {
	maps.DeleteFunc(m.Chunks, func(gen uint64, _ map[uint32][]byte) bool {
		return m.Snapshot == nil || gen != m.Snapshot.Gen
	})
}

// Base is the slot of the snapshot in force, or 0.
func (m *Model) Base() consensus.Slot {
	if m.Snapshot == nil {
		return 0
	}
	return m.Snapshot.Slot
}

// Last is the last slot of the log, or Base.
func (m *Model) Last() consensus.Slot { return m.Base() + consensus.Slot(len(m.Log)) }

// Diff says in what a recovered store differs from m; "" is in nothing.
func (m *Model) Diff(rec consensus.Recovered, chunks [][]byte) string {
	switch {
	case rec.Promised != m.Promised:
		return fmt.Sprintf("promised %v, want %v", rec.Promised, m.Promised)
	case rec.Commit != m.Commit:
		return fmt.Sprintf("commit %d, want %d", rec.Commit, m.Commit)
	case (rec.Snapshot == nil) != (m.Snapshot == nil):
		return fmt.Sprintf("snapshot %v, want %v", rec.Snapshot, m.Snapshot)
	case rec.Snapshot != nil && *rec.Snapshot != *m.Snapshot:
		return fmt.Sprintf("snapshot %+v, want %+v", *rec.Snapshot, *m.Snapshot)
	case len(rec.Entries) != len(m.Log):
		return fmt.Sprintf("%d entries, want %d", len(rec.Entries), len(m.Log))
	}
	for i, e := range rec.Entries {
		if want := m.Log[m.Base()+consensus.Slot(i)+1]; !sameEntry(e, want) {
			return fmt.Sprintf("entry %+v, want %+v", e, want)
		}
	}
	return m.diffChunks(chunks)
}

func (m *Model) diffChunks(chunks [][]byte) string {
	var want [][]byte
	if m.Snapshot != nil {
		for i := range m.Snapshot.Chunks {
			want = append(want, m.Chunks[m.Snapshot.Gen][i])
		}
	}
	if !slices.EqualFunc(chunks, want, bytes.Equal) {
		return fmt.Sprintf("%d chunks that differ from the %d written", len(chunks), len(want))
	}
	return ""
}

func sameEntry(a, b consensus.Entry) bool {
	return a.Slot == b.Slot && a.Ballot == b.Ballot && a.Origin == b.Origin && a.Stamp == b.Stamp &&
		a.Kind == b.Kind && bytes.Equal(a.Payload, b.Payload)
}
