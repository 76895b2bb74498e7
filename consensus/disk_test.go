package consensus

import (
	"fmt"
	"slices"
)

// disk is what a store does with writes, in memory: it keeps them in order,
// makes a prefix durable, and loses the rest in a crash. It panics on a write
// that breaks the rules of Write.
type disk struct {
	seq     uint64 // of the newest write of this process
	waiting []Write
	state   stored
}

// stored is what survives a crash.
type stored struct {
	promised Ballot
	commit   Slot
	roster   []byte
	snapshot *SnapshotMeta
	entries  []Entry
	chunks   map[ChunkRead][]byte
}

func (s *stored) first() Slot {
	if s.snapshot == nil {
		return 1
	}
	return s.snapshot.Slot + 1
}

func (s *stored) last() Slot { return s.first() + Slot(len(s.entries)) - 1 }

// add takes writes in; they are not durable yet.
func (d *disk) add(writes []Write) {
	for _, w := range writes {
		if w.Seq != d.seq+1 {
			panic(fmt.Sprintf("write %d after write %d", w.Seq, d.seq))
		}
		d.seq = w.Seq
		d.waiting = append(d.waiting, w)
	}
}

// sync makes the next n writes durable and returns the Seq of the last.
func (d *disk) sync(n int) uint64 {
	for _, w := range d.waiting[:n] {
		d.state.apply(&w)
	}
	d.waiting = slices.Clone(d.waiting[n:])
	return d.durable()
}

// durable is the Seq of the last write that is durable.
func (d *disk) durable() uint64 { return d.seq - uint64(len(d.waiting)) }

// crash loses what is not durable and returns what the store then holds.
func (d *disk) crash() Recovered {
	d.waiting, d.seq = nil, 0
	return Recovered{
		Promised: d.state.promised,
		Commit:   d.state.commit,
		Roster:   d.state.roster,
		Snapshot: d.state.snapshot,
		Entries:  slices.Clone(d.state.entries),
	}
}

func (s *stored) apply(w *Write) {
	if w.Promised != (Ballot{}) {
		if w.Promised.Less(s.promised) {
			panic(fmt.Sprintf("promise goes back from %v to %v", s.promised, w.Promised))
		}
		s.promised = w.Promised
	}
	if w.Roster != nil {
		s.roster = w.Roster
	}
	for i, e := range w.Entries {
		if i > 0 && e.Slot != w.Entries[i-1].Slot+1 {
			panic(fmt.Sprintf("slot %d after slot %d in one write", e.Slot, w.Entries[i-1].Slot))
		}
		s.put(e)
	}
	if k := w.Chunk; k != nil {
		if s.chunks == nil {
			s.chunks = map[ChunkRead][]byte{}
		}
		s.chunks[ChunkRead{k.Gen, k.Index}] = k.Data
	}
	if w.Snapshot != nil {
		s.switchTo(*w.Snapshot)
	}
	if w.Commit != 0 {
		if w.Commit < s.commit || w.Commit > s.last() {
			panic(fmt.Sprintf("commit hint %d: it was %d, and the log ends at %d", w.Commit, s.commit, s.last()))
		}
		s.commit = w.Commit
	}
}

func (s *stored) put(e Entry) {
	switch {
	case e.Slot < s.first() || e.Slot > s.last()+1:
		panic(fmt.Sprintf("slot %d written, the log is %d..%d", e.Slot, s.first(), s.last()))
	case e.Slot == s.last()+1:
		s.entries = append(s.entries, e)
	default:
		s.entries[e.Slot-s.first()] = e
	}
}

func (s *stored) switchTo(m SnapshotMeta) {
	var bytes uint64
	for i := range m.Chunks {
		data, ok := s.chunks[ChunkRead{m.Gen, i}]
		if !ok {
			panic(fmt.Sprintf("snapshot %d put in force without chunk %d", m.Gen, i))
		}
		bytes += uint64(len(data))
	}
	if m.Chunks == 0 || bytes != m.Bytes || m.Slot < s.first()-1 {
		panic(fmt.Sprintf("snapshot %+v put in force over %+v, its chunks have %d bytes", m, s.snapshot, bytes))
	}
	keep := min(m.Slot, s.last()) + 1 - s.first()
	s.entries = slices.Clone(s.entries[keep:])
	s.snapshot = &m
	for r := range s.chunks {
		if r.Gen != m.Gen {
			delete(s.chunks, r)
		}
	}
}
