package consensus

import "fmt"

// recovery is what phase one finds out: for each slot from the candidate's
// first unchosen one on, the value of the highest ballot that any member of
// the quorum has accepted there.
type recovery struct {
	from   Slot
	best   []Entry // by slot - from; Slot 0 where nothing is known yet
	voters [maxMembers + 1]voter
}

// voter is one member's promise, as far as its chunks are here. None of it
// counts before every slot of it is here.
type voter struct {
	known bool
	last  Slot
	sent  Mono // when the Prepare left that it answers
	got   map[Slot]*Entry
}

// ownRecovery begins with what this node has accepted itself.
func (c *Core) ownRecovery() recovery {
	r := recovery{from: c.commit + 1}
	for s := r.from; s <= c.log.last(); s++ {
		r.take(c.log.at(s))
	}
	return r
}

// take notes an entry that some member has accepted.
func (r *recovery) take(e *Entry) {
	i := int(e.Slot - r.from)
	for len(r.best) <= i {
		r.best = append(r.best, Entry{})
	}
	have := &r.best[i]
	if have.Slot != 0 && have.Ballot == e.Ballot && (have.Origin != e.Origin || have.Stamp != e.Stamp) {
		panic(fmt.Sprintf("BUG: slot %d was accepted at %v with values of %v and %v",
			e.Slot, e.Ballot, have.Origin, e.Origin))
	}
	if have.Slot == 0 || have.Ballot.Less(e.Ballot) {
		*have = *e
	}
}

// add takes in a chunk of a promise and reports whether that member's promise
// is now complete.
func (r *recovery) add(from NodeID, m *Message) bool {
	v := &r.voters[from]
	if m.Slot != r.from || v.known && v.last != m.Last {
		return false
	}
	if !v.known {
		*v = voter{known: true, last: m.Last, got: map[Slot]*Entry{}}
	}
	v.sent = m.Sent
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Slot < r.from || e.Slot > v.last {
			panic(fmt.Sprintf("BUG: slot %d in a promise of %d..%d", e.Slot, r.from, v.last))
		}
		v.got[e.Slot] = e
	}
	if Slot(len(v.got)) < v.last+1-r.from {
		return false
	}
	for s := r.from; s <= v.last; s++ {
		r.take(v.got[s])
	}
	return true
}

// complete returns the recovered values. A slot without one would mean that a
// member's log has a hole, and none has.
func (r *recovery) complete() []Entry {
	for i := range r.best {
		if r.best[i].Slot == 0 {
			panic(fmt.Sprintf("BUG: nothing recovered for slot %d of %d..%d",
				r.from+Slot(i), r.from, r.from+Slot(len(r.best))-1))
		}
	}
	return r.best
}
