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

	all, ofKey, ofConn links // each in the order of arrival

	lease uint16 // seconds, from the grant
}

// queue is the waiters of one key, the one that is granted next first.
type queue struct {
	waiters chain
	len     uint32
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
	w.conn = t.connRef(c)
	t.arrived.push(ref, t.waiterLinks)
	t.joinQueue(ref, w.hold)
	t.conns.at(w.conn).waiters.push(ref, t.connLinks)
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
	t.arrived.remove(ref, t.waiterLinks)
	t.leaveQueue(ref, w.hold)
	t.conns.at(w.conn).waiters.remove(ref, t.connLinks)
	t.forgetIfBare(w.conn)
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

// joinQueue puts a waiter at the end of its key's queue. The term of a key
// that gets its first waiter moves from idle to waited.
func (t *Table) joinQueue(ref, hold uint32) {
	item := *t.term(hold)
	if item.aux == 0 {
		t.idle.remove(t.holds.at(hold).place)
		item.aux = t.queues.take()
		t.waited.push(item)
	}
	q := t.queues.at(item.aux)
	q.waiters.push(ref, t.queueLinks)
	q.len++
}

// leaveQueue takes a waiter out of its key's queue. The term of a key that
// loses its last waiter moves back to idle.
func (t *Table) leaveQueue(ref, hold uint32) {
	item := *t.term(hold)
	q := t.queues.at(item.aux)
	q.waiters.remove(ref, t.queueLinks)
	q.len--
	if q.len > 0 {
		return
	}
	t.queues.give(item.aux)
	t.waited.remove(t.holds.at(hold).place &^ inWaited)
	item.aux = 0
	t.idle.push(item)
}

func (t *Table) waiterLinks(ref uint32) *links { return &t.waiters.at(ref).all }
func (t *Table) queueLinks(ref uint32) *links  { return &t.waiters.at(ref).ofKey }
func (t *Table) connLinks(ref uint32) *links   { return &t.waiters.at(ref).ofConn }
