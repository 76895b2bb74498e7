package lock

// conn is what belongs to one connection. It exists while there is any.
type conn struct {
	conn      Conn
	firstWait uint32 // its waiters, in order of arrival
	lastWait  uint32
	firstTie  uint32 // its keys, in order of their grants
	lastTie   uint32
}

// tie says that a key ends with the connection that was granted it. There are
// ties only while ReleaseOnGone is in force.
type tie struct {
	hold       uint32
	conn       uint32
	prev, next uint32 // of the connection
}

func (t *Table) connRef(c Conn) uint32 {
	ref, ok := t.byConn[c]
	if !ok {
		ref = t.conns.take()
		t.conns.at(ref).conn = c
		t.byConn[c] = ref
	}
	return ref
}

func (t *Table) forgetIfBare(ref uint32) {
	if c := t.conns.at(ref); c.firstWait == 0 && c.firstTie == 0 {
		delete(t.byConn, c.conn)
		t.conns.give(ref)
	}
}

func (t *Table) linkConn(ref uint32, w *waiter, of Conn) {
	w.conn = t.connRef(of)
	c := t.conns.at(w.conn)
	w.connPrev = c.lastWait
	if c.lastWait == 0 {
		c.firstWait = ref
	} else {
		t.waiters.at(c.lastWait).connNext = ref
	}
	c.lastWait = ref
}

func (t *Table) unlinkConn(w *waiter) {
	c := t.conns.at(w.conn)
	if w.connPrev == 0 {
		c.firstWait = w.connNext
	} else {
		t.waiters.at(w.connPrev).connNext = w.connNext
	}
	if w.connNext == 0 {
		c.lastWait = w.connPrev
	} else {
		t.waiters.at(w.connNext).connPrev = w.connPrev
	}
	t.forgetIfBare(w.conn)
}

// tie ties a hold to the connection that was granted it.
func (t *Table) tie(hold uint32, of Conn) {
	ref := t.ties.take()
	x := t.ties.at(ref)
	x.hold, x.conn = hold, t.connRef(of)
	c := t.conns.at(x.conn)
	x.prev = c.lastTie
	if c.lastTie == 0 {
		c.firstTie = ref
	} else {
		t.ties.at(c.lastTie).next = ref
	}
	c.lastTie = ref
	t.tieOf[hold] = ref
}

// untie takes back the tie of a hold, if it has one.
func (t *Table) untie(hold uint32) {
	if len(t.tieOf) == 0 {
		return
	}
	ref, ok := t.tieOf[hold]
	if !ok {
		return
	}
	delete(t.tieOf, hold)
	x := t.ties.at(ref)
	c := t.conns.at(x.conn)
	if x.prev == 0 {
		c.firstTie = x.next
	} else {
		t.ties.at(x.prev).next = x.next
	}
	if x.next == 0 {
		c.lastTie = x.prev
	} else {
		t.ties.at(x.next).prev = x.prev
	}
	t.forgetIfBare(x.conn)
	t.ties.give(ref)
}

// cutTie is untie for a hold that goes on.
func (t *Table) cutTie(hold uint32) {
	if t.tiedTo(hold) != 0 {
		t.holdChanges(hold)
		t.untie(hold)
		t.holdChanged(hold)
	}
}

// tiedTo is the connection that a hold ends with, or 0.
func (t *Table) tiedTo(hold uint32) Conn {
	if len(t.tieOf) == 0 {
		return 0
	}
	ref, ok := t.tieOf[hold]
	if !ok {
		return 0
	}
	return t.conns.at(t.ties.at(ref).conn).conn
}
