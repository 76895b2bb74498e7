package node

import (
	"ticketing/consensus"
	"ticketing/lock"
)

// Counts are totals since the node was made. Answers are counted where they are
// made, so on the node that gave them.
type Counts struct {
	Grants, TimeOuts, Busy, Releases, Keeps, NotHeld uint64
	// GivenBack are grants that could not be delivered and were released.
	GivenBack uint64
	// Expires proposed. Redirects are requests answered M or no_leader.
	Expires, Redirects uint64
	// Entries applied.
	Entries uint64
}

// Digest is the hash of the table after the entry in a slot.
type Digest struct {
	Slot consensus.Slot
	Hash uint64
}

// digests keeps the last ones.
type digests struct{ list []Digest }

func (d *digests) add(slot consensus.Slot, hash uint64) {
	if len(d.list) == digestsKept {
		d.list = append(d.list[:0], d.list[1:]...)
	}
	d.list = append(d.list, Digest{slot, hash})
}

// Status is what a node shows of itself.
type Status struct {
	Consensus consensus.State
	Serving   bool
	Leader    string // as clients know it; empty in single mode or if unknown
	Keys      int
	Waiters   int
	Conns     int
	LastToken uint64
	// PendingBytes wait to be proposed.
	PendingBytes int
	Counts       Counts
	// Digests of the table at the last multiples of 1,024 slots, oldest
	// first.
	Digests []Digest
}

// Status returns a copy of what the node shows of itself.
func (n *Node) Status() Status {
	leader, _ := n.address(n.leader)
	return Status{
		Consensus:    n.core.State(),
		Serving:      n.Serving(),
		Leader:       leader,
		Keys:         n.table.Keys(),
		Waiters:      n.table.Waiters(),
		Conns:        n.conns.open,
		LastToken:    n.table.LastToken(),
		PendingBytes: n.batch.bytes,
		Counts:       n.counts,
		Digests:      append([]Digest(nil), n.digests.list...),
	}
}

// Digest returns the last applied slot and the hash of the table after it.
func (n *Node) Digest() Digest {
	return Digest{n.core.State().Applied, n.table.Digest()}
}

// LogTime returns log time as of the last applied entry.
func (n *Node) LogTime() lock.Time { return lock.Time(n.core.State().Now) }

// Locks calls f for held keys in the order of their grants until it returns
// false. f must not call the Node.
func (n *Node) Locks(f func(h *lock.Held) bool) { n.table.List(f) }

// LocksAfter is Locks for those behind the grant of key under token; false if
// that grant has ended.
func (n *Node) LocksAfter(key string, token uint64, f func(h *lock.Held) bool) bool {
	return n.table.ListAfter(key, token, f)
}
