package sim

import (
	"fmt"

	"ticketing/consensus"
)

// image is what a disk durably holds.
type image struct {
	promised consensus.Ballot
	commit   consensus.Slot
	snapshot *consensus.SnapshotMeta
	entries  []consensus.Entry // contiguous
	chunks   []consensus.Chunk // of all generations
}

// disk is one node's store: an image, and writes on their way to it. It makes
// durable what waits as one batch, as the server's disk goroutine does.
type disk struct {
	image   image
	queue   []consensus.Write // handed over, not being written
	syncing []consensus.Write // being written
	// epoch rises with each crash, so that a sync of before is not finished
	// after.
	epoch int
	// stalledUntil holds back syncs; failNext lets one fail; full refuses.
	stalledUntil Time
	failNext     bool
}

// apply makes w durable.
func (d *image) apply(w *consensus.Write) {
	if d.promised.Less(w.Promised) {
		d.promised = w.Promised
	}
	d.commit = max(d.commit, w.Commit)
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

func (d *image) put(e consensus.Entry) {
	i := int(e.Slot) - int(d.first())
	switch {
	case i < 0 || i > len(d.entries):
		panic(fmt.Sprintf("BUG: write to slot %d, log is [%d, %d)", e.Slot, d.first(), int(d.first())+len(d.entries)))
	case i == len(d.entries):
		d.entries = append(d.entries, e)
	default:
		d.entries[i] = e
	}
}

func (d *image) enforce(m *consensus.SnapshotMeta) {
	drop := min(int(m.Slot)+1-int(d.first()), len(d.entries))
	d.entries = append([]consensus.Entry(nil), d.entries[max(drop, 0):]...)
	if len(d.entries) > 0 && d.entries[0].Slot != m.Slot+1 {
		d.entries = nil
	}
	meta := *m
	d.snapshot = &meta
	var keep []consensus.Chunk
	for _, c := range d.chunks {
		if c.Gen == m.Gen {
			keep = append(keep, c)
		}
	}
	d.chunks = keep
}

// recovered is what a process finds when it starts.
func (d *image) recovered() (consensus.Recovered, [][]byte) {
	rec := consensus.Recovered{
		Promised: d.promised,
		Commit:   d.commit,
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

// clone is a copy that later writes do not change.
func (d *image) clone() image {
	c := *d
	c.entries = append([]consensus.Entry(nil), d.entries...)
	c.chunks = append([]consensus.Chunk(nil), d.chunks...)
	return c
}

// crash keeps of what was being written a random part from the front, and
// forgets the rest.
func (d *disk) crash(r stream) {
	for i := range d.syncing[:r.IntN(len(d.syncing)+1)] {
		d.image.apply(&d.syncing[i])
	}
	d.syncing, d.queue = nil, nil
	d.epoch++
	d.failNext = false
}
