//go:build invariants

package lock

import (
	"fmt"
	"math/bits"
)

// checks says when a costly check is due: at intervals that grow with the table.
type checks struct {
	entries int // applied since the last check
}

func (c *checks) due(records int) bool {
	c.entries++
	if c.entries <= records/16 {
		return false
	}
	c.entries = 0
	return true
}

// checkNow walks all that there is and panics where two parts disagree.
func (t *Table) checkNow() {
	t.checkHolds()
	t.checkWaiters()
	t.checkConns()
	t.checkHeap("idle", &t.idle)
	t.checkHeap("waited", &t.waited)
	t.checkHeap("waits", &t.waits)
	t.checkIndex()
	t.checkNumbers()
}

func mustHold(holds bool, format string, args ...any) {
	if !holds {
		panic("BUG: lock: " + fmt.Sprintf(format, args...))
	}
}

// checkHolds walks the grant order.
func (t *Table) checkHolds() {
	var n, waiters int
	var digest, token uint64
	var prev uint32
	for ref := t.grants.first; ref != 0; ref = t.holds.at(ref).next {
		h, term := t.holds.at(ref), t.term(ref)
		mustHold(h.prev == prev, "hold %d follows %d and not %d", ref, h.prev, prev)
		mustHold(term.ref == ref, "the term of hold %d is that of %d", ref, term.ref)
		mustHold(term.tie > token && term.tie <= t.lastToken, "token %d after %d, last %d", term.tie, token, t.lastToken)
		mustHold(h.granted <= t.now && uint64(h.granted) <= term.rank, "granted at %d until %d, now %d", h.granted, term.rank, t.now)
		mustHold(term.aux != 0 == (h.place&inWaited != 0), "hold %d with queue %d at place %#x", ref, term.aux, h.place)
		mustHold(t.find(t.keyOf(ref)) == ref, "key %q is not in the index as %d", t.keyOf(ref), ref)
		waiters += t.checkQueue(ref, term.aux)
		digest += t.holdDigest(ref)
		prev, token = ref, term.tie
		n++
	}
	mustHold(prev == t.grants.last, "the grant order ends with %d and not %d", prev, t.grants.last)
	mustHold(n == t.Keys() && n == int(t.idle.len+t.waited.len), "%d held keys, %d records, %d idle, %d waited", n, t.Keys(), t.idle.len, t.waited.len)
	mustHold(waiters == t.Waiters(), "%d waiters in queues, %d records", waiters, t.Waiters())
	mustHold(digest == t.holdsDigest, "digest of holds %x, kept %x", digest, t.holdsDigest)
}

// checkQueue walks the waiters of a hold and counts them.
func (t *Table) checkQueue(hold, ref uint32) int {
	if ref == 0 {
		return 0
	}
	q := t.queues.at(ref)
	var n int
	var prev uint32
	var arrival uint64
	for w := q.waiters.first; w != 0; w = t.waiters.at(w).ofKey.next {
		x := t.waiters.at(w)
		mustHold(x.hold == hold && x.ofKey.prev == prev && x.arrival > arrival,
			"waiter %d (%d) of hold %d after %d (%d) in the queue of %d", w, x.arrival, x.hold, x.ofKey.prev, arrival, hold)
		prev, arrival = w, x.arrival
		n++
	}
	mustHold(prev == q.waiters.last && n == int(q.len) && n > 0, "a queue of %d says %d and ends with %d, not %d", n, q.len, prev, q.waiters.last)
	return n
}

// checkWaiters walks the order of arrival.
func (t *Table) checkWaiters() {
	var n, limited int
	var digest, arrival uint64
	var prev uint32
	for ref := t.arrived.first; ref != 0; ref = t.waiters.at(ref).all.next {
		w := t.waiters.at(ref)
		mustHold(w.all.prev == prev && w.arrival > arrival && w.arrival <= t.arrivals,
			"waiter %d (%d) after %d (%d), last %d", ref, w.arrival, w.all.prev, arrival, t.arrivals)
		if w.deadline != never {
			item := t.waits.at(w.position)
			mustHold(item.ref == ref && item.rank == uint64(w.deadline) && item.tie == w.arrival,
				"waiter %d until %d, its wait is %+v", ref, w.deadline, *item)
			limited++
		}
		digest += t.waiterDigest(ref)
		prev, arrival = ref, w.arrival
		n++
	}
	mustHold(prev == t.arrived.last, "the waiters end with %d and not %d", prev, t.arrived.last)
	mustHold(n == t.Waiters() && limited == int(t.waits.len), "%d waiters, %d records; %d waits, %d in order", n, t.Waiters(), limited, t.waits.len)
	mustHold(digest == t.waitersDigest, "digest of waiters %x, kept %x", digest, t.waitersDigest)
}

// checkConns walks what belongs to each connection.
func (t *Table) checkConns() {
	var waiters, ties int
	//tidy:unordered each connection is checked by itself
	for c, ref := range t.byConn {
		x := t.conns.at(ref)
		mustHold(x.conn == c && (x.waiters.first != 0 || x.ties.first != 0), "connection %d is kept as %+v", c, *x)
		var prev uint32
		for w := x.waiters.first; w != 0; w = t.waiters.at(w).ofConn.next {
			mustHold(t.waiters.at(w).conn == ref && t.waiters.at(w).ofConn.prev == prev, "waiter %d in the list of connection %d", w, c)
			prev = w
			waiters++
		}
		mustHold(prev == x.waiters.last, "the waiters of connection %d end with %d and not %d", c, prev, x.waiters.last)
		ties += t.checkTies(ref, x)
	}
	mustHold(waiters == t.Waiters() && ties == len(t.tieOf) && ties == t.ties.used() && len(t.byConn) == t.conns.used(),
		"%d waiters and %d ties of %d connections, %d, %d and %d records", waiters, ties, len(t.byConn), t.Waiters(), t.ties.used(), t.conns.used())
}

// checkTies walks the keys that are tied to a connection and counts them.
func (t *Table) checkTies(ref uint32, c *conn) int {
	var n int
	var prev uint32
	var token uint64
	for x := c.ties.first; x != 0; x = t.ties.at(x).next {
		tie := t.ties.at(x)
		term := t.term(tie.hold)
		mustHold(tie.conn == ref && tie.prev == prev && t.tieOf[tie.hold] == x && term.tie > token,
			"tie %d to hold %d with token %d after %d in the list of connection %d", x, tie.hold, term.tie, token, c.conn)
		prev, token = x, term.tie
		n++
	}
	mustHold(prev == c.ties.last, "the ties of connection %d end with %d and not %d", c.conn, prev, c.ties.last)
	return n
}

func (t *Table) checkHeap(name string, h *heap) {
	for position := uint32(1); position < h.len; position++ {
		mustHold(h.at((position-1)/4).less(h.at(position)), "%s: item %d is above its parent", name, position)
	}
}

// checkIndex walks all slots.
func (t *Table) checkIndex() {
	x := &t.index
	var n, deepest int
	var last *segment
	for i, s := range x.segments {
		if s == last {
			continue
		}
		last = s
		var live, dead uint16
		for _, slot := range s.slots {
			switch {
			case slot == grave:
				dead++
			case slot != 0:
				live++
				mustHold(x.segment(x.hashOf(slot&refMask)) == s, "hold %d is in the wrong segment %d", slot&refMask, i)
			}
		}
		mustHold(live == s.live && dead == s.dead && live+dead <= segmentFull, "segment %d says %d and %d, has %d and %d", i, s.live, s.dead, live, dead)
		if uint(s.depth) == x.depth {
			deepest++
		}
		n += int(live)
	}
	mustHold(n == t.Keys() && deepest == x.deepest, "%d keys in the index, %d held; %d deepest segments, kept %d", n, t.Keys(), deepest, x.deepest)
}

func (t *Table) checkNumbers() {
	t.holds.numbers.check("holds")
	t.waiters.numbers.check("waiters")
	t.queues.numbers.check("queues")
	t.conns.numbers.check("conns")
	t.ties.numbers.check("ties")
	mustHold(t.queues.used() == int(t.waited.len), "%d queues, %d waited keys", t.queues.used(), t.waited.len)
	var keys int
	for i := range t.keys.classes {
		t.keys.classes[i].numbers.check("keys")
		keys += t.keys.classes[i].numbers.used
	}
	mustHold(keys == t.Keys(), "%d keys are kept, %d held", keys, t.Keys())
}

// check compares what is counted with what is marked.
func (n *numbers) check(name string) {
	var total, empty int
	for c := range n.chunks {
		use := &n.chunks[c]
		used := chunkLen
		for _, word := range use.free {
			used -= bits.OnesCount64(word)
		}
		mustHold(used == int(use.used), "%s: chunk %d says %d, has %d", name, c, use.used, used)
		mustHold(use.exists || used == 0, "%s: chunk %d has %d and does not exist", name, c, used)
		mustHold(n.open[c/64]>>(c%64)&1 == 1 == (used < chunkLen), "%s: chunk %d with %d is marked wrongly", name, c, used)
		if use.exists && used == 0 {
			empty++
		}
		total += used
	}
	mustHold(total == n.used && empty == n.empty && empty <= sparesMax, "%s: %d used, %d counted; %d empty, %d counted", name, total, n.used, empty, n.empty)
}
