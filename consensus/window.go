package consensus

import "fmt"

// window is the part of the log that is in memory: contiguous slots, in a
// ring. Dropping from the front and adding at the end cost the same however
// long it is.
type window struct {
	ring  []Entry // its length is a power of two, or 0
	head  int     // index of the entry of slot first
	first Slot    // of the first entry; where the next goes, when empty
	count int
	bytes uint64 // cost of all entries
}

// cost is what an entry counts for where logs are measured in bytes.
func cost(e *Entry) uint64 { return uint64(len(e.Payload)) + entryOverhead }

// last is the slot of the last entry, first-1 when there is none.
func (w *window) last() Slot { return w.first + Slot(w.count) - 1 }

// at returns the entry of slot s, which must be held.
func (w *window) at(s Slot) *Entry {
	if s < w.first || s > w.last() {
		panic(fmt.Sprintf("BUG: slot %d is outside the window %d..%d", s, w.first, w.last()))
	}
	return &w.ring[(w.head+int(s-w.first))&(len(w.ring)-1)]
}

// put stores e at its slot: in place of the entry there, or as the next.
func (w *window) put(e Entry) {
	if e.Slot == w.last()+1 {
		w.push(e)
		return
	}
	old := w.at(e.Slot)
	w.bytes += cost(&e) - cost(old)
	*old = e
}

func (w *window) push(e Entry) {
	if w.count == len(w.ring) {
		w.grow()
	}
	w.ring[(w.head+w.count)&(len(w.ring)-1)] = e
	w.count++
	w.bytes += cost(&e)
}

func (w *window) grow() {
	ring := make([]Entry, max(16, 2*len(w.ring)))
	n := copy(ring, w.ring[w.head:])
	copy(ring[n:], w.ring[:w.head])
	w.ring, w.head = ring, 0
}

// slice copies entries from slot from on, up to slot to, as many as fit in
// limit bytes, but at least one if there is one.
func (w *window) slice(from, to Slot, limit uint64) []Entry {
	var bytes uint64
	n := 0
	for s := from; s <= to; s++ {
		bytes += cost(w.at(s))
		if n > 0 && bytes > limit {
			break
		}
		n++
	}
	if n == 0 {
		return nil
	}
	out := make([]Entry, n)
	for i := range out {
		out[i] = *w.at(from + Slot(i))
	}
	return out
}

// dropTo forgets every entry up to slot s.
func (w *window) dropTo(s Slot) {
	for w.count > 0 && w.first <= s {
		e := &w.ring[w.head]
		w.bytes -= cost(e)
		*e = Entry{}
		w.head = (w.head + 1) & (len(w.ring) - 1)
		w.first++
		w.count--
	}
	if w.count == 0 && w.first <= s {
		w.first = s + 1
	}
}
