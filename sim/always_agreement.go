package sim

import (
	"bytes"
	"math/bits"

	"ticketing/consensus"
)

// alwaysAgreement: at most one value is ever chosen for a slot, and only chosen
// values are applied. What is chosen is judged by what is on the disks: a value
// is, once a majority of them has held it under one ballot, each at some time.
type alwaysAgreement struct {
	slots []slotVotes // by slot-1
}

// slotVotes is who has ever durably accepted what in a slot.
type slotVotes struct {
	votes  []vote
	chosen *consensus.Entry
}

type vote struct {
	entry consensus.Entry
	by    uint64 // bit per node
}

func (a *alwaysAgreement) slot(s consensus.Slot) *slotVotes {
	for len(a.slots) < int(s) {
		a.slots = append(a.slots, slotVotes{})
	}
	return &a.slots[s-1]
}

// accepted: h has durably accepted e.
func (a *alwaysAgreement) accepted(w *World, h *host, e *consensus.Entry) {
	s := a.slot(e.Slot)
	v := s.vote(e)
	v.by |= 1 << h.id
	if bits.OnesCount64(v.by) > len(w.hosts)/2 {
		s.choose(&v.entry)
	}
}

func (s *slotVotes) vote(e *consensus.Entry) *vote {
	for i := range s.votes {
		v := &s.votes[i]
		if v.entry.Ballot == e.Ballot {
			if !sameValue(&v.entry, e) {
				failf("two values in slot %d under ballot %v: %v and %v", e.Slot, e.Ballot, v.entry, *e)
			}
			return v
		}
	}
	s.votes = append(s.votes, vote{entry: *e})
	return &s.votes[len(s.votes)-1]
}

func (s *slotVotes) choose(e *consensus.Entry) {
	if s.chosen == nil {
		c := *e
		s.chosen = &c
	}
	if !sameValue(s.chosen, e) {
		failf("two values chosen in slot %d: %v and %v", e.Slot, *s.chosen, *e)
	}
}

// applied: the process of h has applied e.
func (a *alwaysAgreement) applied(w *World, h *host, e *consensus.Chosen) {
	c := a.slot(e.Slot).chosen
	if c == nil {
		failf("%s applied slot %d, which is not chosen on the disks", h.name, e.Slot)
	}
	if c.Origin != e.Origin || c.Kind != e.Kind || !bytes.Equal(c.Payload, e.Payload) {
		failf("%s applied another value in slot %d than was chosen", h.name, e.Slot)
	}
}

// answering: h tells clients what e decided. At this very moment the value must
// be on a majority of the disks, in the log or under a snapshot: whatever any
// message said.
func (a *alwaysAgreement) answering(w *World, h *host, e *consensus.Chosen) {
	chosen := a.slot(e.Slot).chosen
	on := 0
	for _, other := range w.hosts {
		d := &other.disk.image
		if e.Slot < d.first() || e.Slot <= d.last() && sameValue(chosen, &d.entries[e.Slot-d.first()]) {
			on++
		}
	}
	if on <= len(w.hosts)/2 {
		failf("%s answers what slot %d decided, and only %d of %d disks have it", h.name, e.Slot, on, len(w.hosts))
	}
}

func sameValue(a, b *consensus.Entry) bool {
	return a.Origin == b.Origin && a.Stamp == b.Stamp && a.Kind == b.Kind && bytes.Equal(a.Payload, b.Payload)
}
