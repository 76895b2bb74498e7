package storage

import (
	"fmt"

	"ticketing/consensus"
)

// progress is what the store knows of what it holds: enough to tell a write
// that would break it. A write that does not fit is a bug of the caller.
type progress struct {
	state
	snapSlot consensus.Slot
	building map[uint64]*building // by generation, all above that in force
}

// building is a snapshot whose chunks are being stored.
type building struct {
	lengths map[uint32]int // by index
	bytes   uint64
}

// advance checks w and takes it in.
func (p *progress) advance(w *consensus.Write) {
	p.promise(w.Promised)
	p.commit = max(p.commit, w.Commit)
	for i := range w.Entries {
		if i > 0 && w.Entries[i].Slot != w.Entries[i-1].Slot+1 {
			panic(fmt.Sprintf("BUG: slot %d follows %d in one write", w.Entries[i].Slot, w.Entries[i-1].Slot))
		}
		p.entry(&w.Entries[i])
	}
	if w.Chunk != nil {
		p.chunk(w.Chunk)
	}
	if w.Snapshot != nil {
		p.snapshot(w.Snapshot)
	}
}

func (p *progress) promise(b consensus.Ballot) {
	if b == (consensus.Ballot{}) {
		return
	}
	if b.Less(p.promised) {
		panic(fmt.Sprintf("BUG: promise goes back from %v to %v", p.promised, b))
	}
	p.promised = b
}

func (p *progress) entry(e *consensus.Entry) {
	if e.Slot <= p.snapSlot || e.Slot > p.last+1 {
		panic(fmt.Sprintf("BUG: entry at slot %d, snapshot at %d, log to %d", e.Slot, p.snapSlot, p.last))
	}
	if len(e.Payload) > maxRecordBytes {
		panic(fmt.Sprintf("BUG: entry of %d bytes at slot %d", len(e.Payload), e.Slot))
	}
	p.last = max(p.last, e.Slot)
}

func (p *progress) chunk(c *consensus.Chunk) {
	if c.Gen <= p.gen {
		panic(fmt.Sprintf("BUG: chunk %d of snapshot %d, and %d is in force", c.Index, c.Gen, p.gen))
	}
	if len(c.Data) > maxRecordBytes {
		panic(fmt.Sprintf("BUG: chunk of %d bytes", len(c.Data)))
	}
	b := p.building[c.Gen]
	if b == nil {
		b = &building{lengths: map[uint32]int{}}
		p.building[c.Gen] = b
	}
	b.bytes += uint64(len(c.Data)) - uint64(b.lengths[c.Index])
	b.lengths[c.Index] = len(c.Data)
}

func (p *progress) snapshot(m *consensus.SnapshotMeta) {
	b := p.building[m.Gen]
	if b == nil || len(b.lengths) != int(m.Chunks) || b.bytes != m.Bytes || !b.contiguous() {
		panic(fmt.Sprintf("BUG: snapshot %+v put in force without its chunks", *m))
	}
	if m.Slot < p.snapSlot {
		panic(fmt.Sprintf("BUG: snapshot goes back from slot %d to %d", p.snapSlot, m.Slot))
	}
	p.gen, p.snapSlot, p.last = m.Gen, m.Slot, max(p.last, m.Slot)
	clear(p.building)
}

func (b *building) contiguous() bool {
	for i := range uint32(len(b.lengths)) {
		if _, ok := b.lengths[i]; !ok {
			return false
		}
	}
	return true
}
