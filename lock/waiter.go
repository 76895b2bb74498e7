package lock

// waiter is one waiting acquire. Nothing in it changes while it waits but the
// links.
type waiter struct {
	arrival  uint64 // its number among all that ever waited
	owner    uint64
	deadline Time   // of the wait; never if it has no limit
	hold     uint32 // what it waits for
	conn     uint32 // in conns
	position uint32 // in waits, unless deadline is never

	// Three lists, each in order of arrival: all, of the key, of the connection.
	prev, next           uint32
	queuePrev, queueNext uint32
	connPrev, connNext   uint32

	lease uint16 // seconds, from the grant
}

// queue is the waiters of one key, the one that is granted next first.
type queue struct {
	first, last uint32
	len         uint32
}

func (t *Table) waitersOf(ref uint32) uint32 {
	q := t.term(ref).aux
	if q == 0 {
		return 0
	}
	return t.queues.at(q).len
}

// enqueue lets an acquire wait for a hold.
func (t *Table) enqueue(ref uint32, c *command) {
	deadline := never
	if c.wait > 0 {
		deadline = t.in(c.wait)
	}
	t.arrivals++
	t.addWaiter(&waiter{arrival: t.arrivals, owner: c.owner, deadline: deadline, hold: ref, lease: c.lease}, c.conn)
}

// addWaiter puts a waiter at the end of its lists.
func (t *Table) addWaiter(record *waiter, c Conn) {
	ref := t.waiters.take()
	w := t.waiters.at(ref)
	*w = *record
	t.linkArrival(ref, w)
	t.linkQueue(ref, w)
	t.linkConn(ref, w, c)
	if w.deadline != never {
		t.waits.push(heapItem{rank: uint64(w.deadline), tie: w.arrival, ref: ref})
	}
	t.waitersDigest += t.waiterDigest(ref)
}

// leave takes a waiter out of all that it is in, for whatever reason.
func (t *Table) leave(ref uint32) {
	if t.snapshot != nil {
		t.snapshot.waiterLeaves(ref)
	}
	t.waitersDigest -= t.waiterDigest(ref)
	w := t.waiters.at(ref)
	if w.deadline != never {
		t.waits.remove(w.position)
	}
	t.unlinkArrival(w)
	t.unlinkQueue(w)
	t.unlinkConn(w)
	t.waiters.give(ref)
}

// endWaits answers those whose wait is over, as many as one entry may.
func (t *Table) endWaits() {
	for range TimeoutsPerEntry {
		if t.waits.len == 0 || Time(t.waits.at(0).rank) > t.now {
			return
		}
		ref := t.waits.at(0).ref
		w := t.waiters.at(ref)
		conn, owner, hold := t.conns.at(w.conn).conn, w.owner, w.hold
		t.leave(ref)
		t.answerAcquire(TimedOut, conn, owner, 0, t.keyOf(hold))
	}
}

func (t *Table) linkArrival(ref uint32, w *waiter) {
	w.prev = t.last
	if t.last == 0 {
		t.first = ref
	} else {
		t.waiters.at(t.last).next = ref
	}
	t.last = ref
}

func (t *Table) unlinkArrival(w *waiter) {
	if w.prev == 0 {
		t.first = w.next
	} else {
		t.waiters.at(w.prev).next = w.next
	}
	if w.next == 0 {
		t.last = w.prev
	} else {
		t.waiters.at(w.next).prev = w.prev
	}
}

// linkQueue puts a waiter at the end of its key's queue. The term of a key
// that gets its first waiter moves from idle to waited.
func (t *Table) linkQueue(ref uint32, w *waiter) {
	item := *t.term(w.hold)
	if item.aux == 0 {
		t.idle.remove(t.holds.at(w.hold).place)
		item.aux = t.queues.take()
		t.waited.push(item)
	}
	q := t.queues.at(item.aux)
	w.queuePrev = q.last
	if q.last == 0 {
		q.first = ref
	} else {
		t.waiters.at(q.last).queueNext = ref
	}
	q.last = ref
	q.len++
}

// unlinkQueue takes a waiter out of its key's queue. The term of a key that
// loses its last waiter moves back to idle.
func (t *Table) unlinkQueue(w *waiter) {
	item := *t.term(w.hold)
	q := t.queues.at(item.aux)
	if w.queuePrev == 0 {
		q.first = w.queueNext
	} else {
		t.waiters.at(w.queuePrev).queueNext = w.queueNext
	}
	if w.queueNext == 0 {
		q.last = w.queuePrev
	} else {
		t.waiters.at(w.queueNext).queuePrev = w.queuePrev
	}
	q.len--
	if q.len > 0 {
		return
	}
	t.queues.give(item.aux)
	t.waited.remove(t.holds.at(w.hold).place &^ inWaited)
	item.aux = 0
	t.idle.push(item)
}
