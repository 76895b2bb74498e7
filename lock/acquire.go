package lock

import "ticketing/planted"

// acquire decides an acquire: first by the state of the key, then by its wait,
// then by the caps.
func (t *Table) acquire(c *command) {
	hash := t.index.hash(c.key)
	ref := t.index.find(hash, c.key)
	switch {
	case ref == 0 && t.roomForKey():
		t.grantNew(c.key, hash, grantee{c.conn, c.owner, c.lease})
	case ref == 0:
		t.refuse(Busy, c)
	case (t.settings.Lazy || planted.Is(planted.TakeOverInCluster)) && t.expired(ref):
		t.regrant(ref, grantee{c.conn, c.owner, c.lease})
	case c.wait == 0 && !t.settings.WaitZeroBlocks:
		t.refuse(TimedOut, c)
	case !t.roomForWaiter(ref):
		t.refuse(Busy, c)
	default:
		t.enqueue(ref, c)
	}
}

func (t *Table) refuse(v Verdict, c *command) {
	t.answerAcquire(v, c.conn, c.owner, 0, c.key)
}

// roomForKey reports whether one more key may be held. In the lazy regime it
// frees what has expired and has no waiters, the earliest deadline first, and
// no more than it takes.
func (t *Table) roomForKey() bool {
	most := min(int(t.settings.MaxKeys), CountMax)
	for t.Keys() >= most {
		if !t.settings.Lazy || t.idle.len == 0 || Time(t.idle.at(0).rank) > t.now {
			return false
		}
		t.free(t.idle.at(0).ref)
	}
	return true
}

// roomForWaiter reports whether one more acquire may wait for a hold.
func (t *Table) roomForWaiter(ref uint32) bool {
	return t.Waiters() < min(int(t.settings.MaxWaiters), CountMax) &&
		t.waitersOf(ref) < t.settings.MaxWaitersPerKey
}
