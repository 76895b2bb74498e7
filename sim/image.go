package sim

import (
	"fmt"

	"ticketing/consensus"
)

// image is what a store durably holds, in its plainest form.
type image struct {
	promised consensus.Ballot
	commit   consensus.Slot
	roster   []byte
	snapshot *consensus.SnapshotMeta
	entries  []consensus.Entry // contiguous
	chunks   []consensus.Chunk // of all generations
}

// apply makes w durable.
func (d *image) apply(w *consensus.Write) {
	if d.promised.Less(w.Promised) {
		d.promised = w.Promised
	}
	d.commit = max(d.commit, w.Commit)
	if w.Roster != nil {
		d.roster = w.Roster
	}
	for _, e := range w.Entries {
		d.put(e)
	}
	if w.Chunk != nil {
		d.chunks = append(d.chunks, *w.Chunk)
	}
	if w.Snapshot != nil {
		d.enforce(w.Snapshot)
	}
}

func (d *image) first() consensus.Slot {
	if d.snapshot == nil {
		return 1
	}
	return d.snapshot.Slot + 1
}

// last is the last slot of the log, or that of the snapshot.
func (d *image) last() consensus.Slot { return d.first() + consensus.Slot(len(d.entries)) - 1 }

func (d *image) put(e consensus.Entry) {
	i := int(e.Slot) - int(d.first())
	switch {
	case i < 0 || i > len(d.entries):
		panic(fmt.Sprintf("BUG: write to slot %d, log is %d to %d", e.Slot, d.first(), d.last()))
	case i == len(d.entries):
		d.entries = append(d.entries, e)
	default:
		d.entries[i] = e
	}
}

func (d *image) enforce(m *consensus.SnapshotMeta) {
	if m.Slot >= d.last() {
		d.entries = nil
	} else if drop := int(m.Slot) + 1 - int(d.first()); drop > 0 {
		d.entries = append([]consensus.Entry(nil), d.entries[drop:]...)
	}
	meta := *m
	d.snapshot = &meta
	d.keepChunks(m.Gen)
}

// keepChunks drops the chunks of all generations but gen.
func (d *image) keepChunks(gen uint64) {
	var keep []consensus.Chunk
	for _, c := range d.chunks {
		if c.Gen == gen {
			keep = append(keep, c)
		}
	}
	d.chunks = keep
}

// dropLeftovers is what opening a store does: a snapshot that never came into
// force is gone.
func (d *image) dropLeftovers() {
	if d.snapshot == nil {
		d.chunks = nil
		return
	}
	d.keepChunks(d.snapshot.Gen)
}

// recovered is what the store hands over when it is opened. Later writes do not
// change it.
func (d *image) recovered() (consensus.Recovered, [][]byte) {
	rec := consensus.Recovered{
		Promised: d.promised,
		Commit:   d.commit,
		Roster:   d.roster,
		Entries:  append([]consensus.Entry(nil), d.entries...),
	}
	if d.snapshot == nil {
		return rec, nil
	}
	meta := *d.snapshot
	rec.Snapshot = &meta
	chunks := make([][]byte, meta.Chunks)
	for i := range chunks {
		data, ok := d.chunk(meta.Gen, uint32(i))
		if !ok {
			panic(fmt.Sprintf("BUG: chunk %d of snapshot %d was never written", i, meta.Gen))
		}
		chunks[i] = data
	}
	return rec, chunks
}

func (d *image) chunk(gen uint64, index uint32) ([]byte, bool) {
	for i := len(d.chunks) - 1; i >= 0; i-- {
		if c := &d.chunks[i]; c.Gen == gen && c.Index == index {
			return c.Data, true
		}
	}
	return nil, false
}
