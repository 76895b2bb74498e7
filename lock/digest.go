package lock

import (
	"encoding/binary"
	"math/bits"
)

// Digest is a 64-bit hash of the whole replicated state, kept up to date at
// each change. Equal logs give equal digests, on every machine, whether a
// table grew by Apply or came out of a snapshot. It finds tables that went
// apart; it does not withstand somebody who constructs two with one digest.
//
// Each held key and each waiter has a hash of its own, and the two sums of
// these stand for the two sets: order needs no place in it, since tokens and
// arrival numbers are part of what is hashed.
func (t *Table) Digest() uint64 {
	s := &t.settings
	h := stir(digestOfTable, uint64(t.now))
	h = stir(h, t.lastToken)
	h = stir(h, t.arrivals)
	h = stir(h, uint64(s.Version)<<32|uint64(s.MaxKeys))
	h = stir(h, uint64(s.MaxWaiters)<<32|uint64(s.MaxWaitersPerKey))
	h = stir(h, uint64(s.flags()))
	h = stir(h, s.TokenSeed)
	h = stir(h, t.holdsDigest)
	return stir(h, t.waitersDigest)
}

// Beginnings of the three kinds of hash: digits of the golden ratio, of pi, of e.
const (
	digestOfTable  = 0x9e3779b97f4a7c15
	digestOfHold   = 0x243f6a8885a308d3
	digestOfWaiter = 0xb7e151628aed2a6a
)

// stir mixes v into the hash h.
func stir(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v, 0xd6e8feb86659fd93)
	return hi ^ lo ^ h
}

// stirKey mixes a key into the hash h. Unlike the index's hash it is the same
// in every process.
func stirKey(h uint64, key []byte) uint64 {
	h = stir(h, uint64(len(key)))
	for ; len(key) >= 8; key = key[8:] {
		h = stir(h, binary.LittleEndian.Uint64(key))
	}
	var rest uint64
	for i, c := range key {
		rest |= uint64(c) << (8 * i)
	}
	return stir(h, rest)
}

func (t *Table) holdDigest(ref uint32) uint64 {
	record, term := t.holds.at(ref), t.term(ref)
	h := stirKey(digestOfHold, t.keys.get(record.key))
	h = stir(h, term.tie)
	h = stir(h, record.owner)
	h = stir(h, uint64(record.granted))
	h = stir(h, term.rank)
	return stir(h, uint64(t.tiedTo(ref)))
}

func (t *Table) waiterDigest(ref uint32) uint64 {
	w := t.waiters.at(ref)
	h := stirKey(digestOfWaiter, t.keyOf(w.hold))
	h = stir(h, w.arrival)
	h = stir(h, uint64(t.conns.at(w.conn).conn))
	h = stir(h, w.owner)
	h = stir(h, uint64(w.deadline))
	return stir(h, uint64(w.lease))
}

// holdChanges must be called before anything in the record or the term of a
// hold changes, or the hold vanishes.
func (t *Table) holdChanges(ref uint32) {
	if t.snapshot != nil {
		t.snapshot.holdChanges(ref)
	}
	t.holdsDigest -= t.holdDigest(ref)
}

// holdChanged must be called when the hold is whole again.
func (t *Table) holdChanged(ref uint32) {
	t.holdsDigest += t.holdDigest(ref)
}
