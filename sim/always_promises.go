package sim

import "ticketing/consensus"

// alwaysPromises: what a disk has once held as promised or accepted is never
// less later, over crashes too, unless a snapshot covers it.
type alwaysPromises struct {
	promised [6]consensus.Ballot
	last     [6]consensus.Slot
}

func (a *alwaysPromises) durable(h *host, w *consensus.Write) {
	if p := w.Promised; p != (consensus.Ballot{}) {
		if p.Less(a.promised[h.id]) {
			failf("%s took back its promise %v for %v", h.name, a.promised[h.id], p)
		}
		a.promised[h.id] = p
	}
	if n := len(w.Entries); n > 0 {
		a.last[h.id] = max(a.last[h.id], w.Entries[n-1].Slot)
	}
	if w.Snapshot != nil {
		a.last[h.id] = max(a.last[h.id], w.Snapshot.Slot)
	}
}

func (a *alwaysPromises) recovered(h *host, rec *consensus.Recovered) {
	if rec.Promised.Less(a.promised[h.id]) {
		failf("%s lost its promise %v: %v", h.name, a.promised[h.id], rec.Promised)
	}
	last := consensus.Slot(0)
	if rec.Snapshot != nil {
		last = rec.Snapshot.Slot
	}
	last += consensus.Slot(len(rec.Entries))
	if last < a.last[h.id] {
		failf("%s lost slots: it had %d, it has %d", h.name, a.last[h.id], last)
	}
	// What the crash kept beyond the last sync counts from now on.
	a.promised[h.id], a.last[h.id] = rec.Promised, last
}
