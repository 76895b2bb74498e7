package lock

import "ticketing/planted"

// release ends the term of the holder whose token it names. The deadline does
// not matter: a key that has expired and was not freed is still held.
func (t *Table) release(c *command) {
	ref := t.find(c.key)
	if ref == 0 || t.term(ref).tie != c.token {
		t.answerToken(NotHeld, c)
		return
	}
	t.answerToken(Released, c)
	t.handOff(ref)
}

// expire ends the term of the holder whose token it names, if it is over.
func (t *Table) expire(c *command) {
	ref := t.find(c.key)
	if ref == 0 || t.term(ref).tie != c.token && !planted.Is(planted.ExpireWithoutToken) ||
		!t.expired(ref) && !planted.Is(planted.ExpireTooEarly) {
		return
	}
	t.handOff(ref)
}

// keep moves the deadline of the holder whose token it names to the later of
// what it is and lease from now.
func (t *Table) keep(c *command) {
	ref := t.find(c.key)
	if ref == 0 || t.term(ref).tie != c.token || t.expired(ref) && !planted.Is(planted.KeepAfterExpiry) {
		t.answerToken(NotHeld, c)
		return
	}
	h, position := t.heapOf(t.holds.at(ref).place)
	item := *h.at(position)
	if deadline := uint64(t.in(c.lease)); deadline > item.rank {
		t.holdChanges(ref)
		item.rank = deadline
		h.set(position, item)
		t.holdChanged(ref)
	}
	t.answerToken(Kept, c)
}

// handOff gives the key of a hold whose term has ended to the first waiter
// whose wait is not over; those before it are told TimedOut. Without one the
// key is free.
func (t *Table) handOff(ref uint32) {
	for t.term(ref).aux != 0 {
		front := t.queues.at(t.term(ref).aux).waiters.first
		w := *t.waiters.at(front)
		conn := t.conns.at(w.conn).conn
		t.leave(front)
		if w.deadline > t.now {
			t.regrant(ref, grantee{conn, w.owner, w.lease})
			return
		}
		t.answerAcquire(TimedOut, conn, w.owner, 0, t.keyOf(ref))
	}
	t.free(ref)
}
