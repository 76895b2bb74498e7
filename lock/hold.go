package lock

import "fmt"

// hold is the record of one held key. Its token and deadline stand in its
// term, which is its item in one of the two deadline heaps.
type hold struct {
	owner   uint64
	granted Time
	key     uint32 // in keys
	place   uint32 // of its term: position, and inWaited for which heap
	links          // in the order of grants, which is that of tokens
}

const inWaited = 1 << 31

// term is a hold's item in a deadline heap: rank is the deadline, tie the
// token, aux the queue of its waiters (0: nobody waits).
type term = heapItem

func (t *Table) heapOf(place uint32) (h *heap, position uint32) {
	if place&inWaited != 0 {
		return &t.waited, place &^ inWaited
	}
	return &t.idle, place
}

// term of a hold; good until a heap changes.
func (t *Table) term(ref uint32) *term {
	h, position := t.heapOf(t.holds.at(ref).place)
	return h.at(position)
}

func (t *Table) keyOf(ref uint32) []byte {
	return t.keys.get(t.holds.at(ref).key)
}

func (t *Table) find(key []byte) uint32 {
	return t.index.find(t.index.hash(key), key)
}

// expired reports whether the term of a hold has ended.
func (t *Table) expired(ref uint32) bool {
	return t.now >= Time(t.term(ref).rank)
}

// grantee is who is granted a key.
type grantee struct {
	conn  Conn
	owner uint64
	lease uint16 // seconds
}

// grantNew grants a key that nobody holds.
func (t *Table) grantNew(key []byte, hash uint64, g grantee) {
	ref := t.addHold(key, hash)
	t.idle.push(term{rank: uint64(t.in(g.lease)), tie: t.nextToken(), ref: ref})
	t.settle(ref, g)
}

// addHold makes a record for a key that has none. It has no term yet, and no
// place in the grant order.
func (t *Table) addHold(key []byte, hash uint64) uint32 {
	ref := t.holds.take()
	t.holds.at(ref).key = t.keys.add(key)
	t.index.add(hash, ref)
	return ref
}

// regrant ends the term of a hold and gives its key to the next holder. The
// waiters stay as they are.
func (t *Table) regrant(ref uint32, g grantee) {
	t.holdChanges(ref)
	t.grants.remove(ref, t.holdLinks)
	t.untie(ref)
	h, position := t.heapOf(t.holds.at(ref).place)
	item := *h.at(position)
	item.rank, item.tie = uint64(t.in(g.lease)), t.nextToken()
	h.set(position, item)
	t.settle(ref, g)
}

// settle enters the holder of a new term and tells it.
func (t *Table) settle(ref uint32, g grantee) {
	h := t.holds.at(ref)
	h.owner, h.granted = g.owner, t.now
	t.grants.push(ref, t.holdLinks)
	if t.settings.ReleaseOnGone && g.conn != 0 {
		t.tie(ref, g.conn)
	}
	t.holdChanged(ref)
	t.answerAcquire(Granted, g.conn, g.owner, t.lastToken, t.keys.get(h.key))
}

// free ends the term of a hold that has no waiters, and forgets the key.
func (t *Table) free(ref uint32) {
	t.holdChanges(ref)
	t.grants.remove(ref, t.holdLinks)
	t.untie(ref)
	h := t.holds.at(ref)
	t.idle.remove(h.place)
	t.index.remove(t.index.hashOf(ref), ref)
	t.keys.remove(h.key)
	t.holds.give(ref)
}

// nextToken issues a token.
func (t *Table) nextToken() uint64 {
	if t.lastToken == 0 {
		t.lastToken = t.settings.TokenSeed
	}
	if t.lastToken == ^uint64(0) {
		panic(fmt.Sprintf("BUG: lock: no token is left above %d", t.lastToken))
	}
	t.lastToken++
	return t.lastToken
}

func (t *Table) holdLinks(ref uint32) *links { return &t.holds.at(ref).links }
