package lock

// gone ends a connection: its waiters leave, and then the keys that are tied
// to it are handed on, in the order of their grants. It is told nothing.
func (t *Table) gone(c Conn) {
	ref, ok := t.byConn[c]
	if !ok {
		return
	}
	w, x := t.conns.at(ref).waiters.first, t.conns.at(ref).ties.first
	for w != 0 {
		next := t.waiters.at(w).ofConn.next
		t.leave(w)
		w = next
	}
	for x != 0 {
		tie := *t.ties.at(x)
		t.handOff(tie.hold)
		x = tie.next
	}
}
