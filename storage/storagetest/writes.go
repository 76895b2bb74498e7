package storagetest

import (
	"math/rand/v2"

	"ticketing/consensus"
)

// Writes is an endless source of random writes that follow from one another,
// as a replica would make them: promises, new entries and overwritten ones,
// snapshots that come to be and snapshots that don't.
type Writes struct {
	rng *rand.Rand
	m   *Model
	seq uint64

	maxBytes int // of a payload or chunk
	gen      uint64
	building *consensus.SnapshotMeta
}

// NewWrites returns a source that goes on from what m holds; it keeps m up to
// date. Payloads and chunks have up to maxBytes bytes.
func NewWrites(rng *rand.Rand, m *Model, maxBytes int) *Writes {
	w := &Writes{rng: rng, m: m, maxBytes: maxBytes}
	for gen := range m.Chunks {
		w.gen = max(w.gen, gen)
	}
	return w
}

// Next returns what one call of Store.Write gets: one to four writes.
func (w *Writes) Next() []consensus.Write {
	ws := make([]consensus.Write, 1+w.rng.IntN(4))
	for i := range ws {
		w.seq++
		ws[i].Seq = w.seq
		w.fill(&ws[i])
		w.m.Write(ws[i : i+1])
	}
	return ws
}

func (w *Writes) fill(out *consensus.Write) {
	switch n := w.rng.IntN(100); {
	case n < 15:
		out.Promised = consensus.Ballot{Round: w.m.Promised.Round + uint64(w.rng.IntN(3)), Node: 5}
	case n < 70:
		out.Entries = w.entries()
	case n < 75:
		out.Promised = consensus.Ballot{Round: w.m.Promised.Round + 1, Node: 1}
		out.Entries = w.entries()
	default:
		w.snapshotStep(out)
	}
	if w.rng.IntN(3) == 0 {
		out.Commit = w.m.Commit + consensus.Slot(w.rng.IntN(int(w.m.Last()-w.m.Commit)+1))
	}
}

// entries begins at or below the end of the log, and above the snapshot.
func (w *Writes) entries() []consensus.Entry {
	first := w.m.Last() + 1
	if w.rng.IntN(4) == 0 {
		first -= consensus.Slot(w.rng.IntN(len(w.m.Log) + 1))
	}
	entries := make([]consensus.Entry, 1+w.rng.IntN(5))
	for i := range entries {
		entries[i] = consensus.Entry{
			Slot:    first + consensus.Slot(i),
			Ballot:  w.m.Promised,
			Origin:  consensus.Ballot{Round: w.rng.Uint64(), Node: 2},
			Stamp:   consensus.Stamp(w.rng.Uint64()),
			Kind:    consensus.KindCommands,
			Payload: w.bytes(),
		}
	}
	return entries
}

// snapshotStep begins a snapshot, adds to it, puts it in force or gives it up.
func (w *Writes) snapshotStep(out *consensus.Write) {
	switch b := w.building; {
	case b == nil || w.rng.IntN(20) == 0:
		w.gen++
		slot := w.m.Base() + consensus.Slot(w.rng.IntN(len(w.m.Log)+1))
		if w.rng.IntN(10) == 0 {
			slot = w.m.Last() + 5 // one that came from another member
		}
		w.building = &consensus.SnapshotMeta{Gen: w.gen, Slot: slot, Mark: w.m.Promised,
			Now: consensus.Stamp(w.rng.Uint64())}
		w.addChunk(out)
	case b.Chunks < 2 || w.rng.IntN(2) == 0:
		w.addChunk(out)
	default:
		b.Slot = max(b.Slot, w.m.Base())
		out.Snapshot = b
		w.building = nil
	}
}

func (w *Writes) addChunk(out *consensus.Write) {
	b := w.building
	out.Chunk = &consensus.Chunk{Gen: b.Gen, Index: b.Chunks, Data: w.bytes()}
	b.Chunks++
	b.Bytes += uint64(len(out.Chunk.Data))
}

func (w *Writes) bytes() []byte {
	b := make([]byte, w.rng.IntN(w.maxBytes+1))
	for i := range b {
		b[i] = byte(w.rng.Uint32())
	}
	return b
}
