package lock

// conn is what belongs to one connection. It exists while there is any.
type conn struct {
	conn    Conn
	waiters chain // in the order of arrival
	ties    chain // to its keys, in the order of their grants
}

// tie says that a key ends with the connection that was granted it. There are
// ties only while ReleaseOnGone is in force.
type tie struct {
	hold  uint32
	conn  uint32
	links // of the connection
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
	if c := t.conns.at(ref); c.waiters.first == 0 && c.ties.first == 0 {
		delete(t.byConn, c.conn)
		t.conns.give(ref)
	}
}

// tie ties a hold to the connection that was granted it.
func (t *Table) tie(hold uint32, of Conn) {
	ref := t.ties.take()
	x := t.ties.at(ref)
	x.hold, x.conn = hold, t.connRef(of)
	t.conns.at(x.conn).ties.push(ref, t.tieLinks)
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
	conn := t.ties.at(ref).conn
	t.conns.at(conn).ties.remove(ref, t.tieLinks)
	t.forgetIfBare(conn)
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

func (t *Table) tieLinks(ref uint32) *links { return &t.ties.at(ref).links }
