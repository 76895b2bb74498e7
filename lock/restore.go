package lock

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Restorer builds a table from the chunks of a snapshot. It believes nothing
// in them: whatever they hold, it returns an error or a table that is sound.
type Restorer struct {
	table       *Table // nil until the header
	lastArrival uint64
	holds       uint64 // still to come
	waiters     uint64
	digest      uint64 // that the table must have in the end
	err         error  // the first
}

// NewRestorer begins with no chunk.
func NewRestorer() *Restorer { return &Restorer{} }

// Add takes the next chunk, which it does not keep. After an error all that
// follows is the same error.
func (r *Restorer) Add(chunk []byte) error {
	for r.err == nil && len(chunk) > 0 {
		var n int
		n, r.err = r.add(chunk)
		chunk = chunk[n:]
	}
	return r.err
}

// Table returns the table, once all chunks have been added.
func (r *Restorer) Table() (*Table, error) {
	switch {
	case r.err != nil:
		return nil, r.err
	case r.table == nil:
		return nil, errors.New("lock: snapshot without a header")
	case r.holds > 0 || r.waiters > 0:
		return nil, fmt.Errorf("lock: snapshot lacks %d held keys and %d waiters", r.holds, r.waiters)
	case r.table.Digest() != r.digest:
		return nil, fmt.Errorf("lock: snapshot makes a table with digest %016x, and was taken of one with %016x", r.table.Digest(), r.digest)
	}
	r.table.checkNow()
	return r.table, nil
}

// add takes the first record of b, and returns its length.
func (r *Restorer) add(b []byte) (int, error) {
	switch {
	case r.table == nil && b[0] == recordHeader:
		return r.addHeader(b)
	case r.table != nil && b[0] == recordHold && r.holds > 0:
		return r.addHold(b)
	case r.table != nil && b[0] == recordWaiter && r.holds == 0 && r.waiters > 0:
		return r.addWaiter(b)
	}
	return 0, fmt.Errorf("lock: snapshot with a record of kind %#x out of place", b[0])
}

func (r *Restorer) addHeader(b []byte) (int, error) {
	if len(b) >= 5 && binary.BigEndian.Uint32(b[1:]) != Version {
		return 0, fmt.Errorf("lock: snapshot of version %d, and this program reads version %d", binary.BigEndian.Uint32(b[1:]), Version)
	}
	if len(b) < headerLen {
		return 0, errors.New("lock: snapshot with a short header")
	}
	settings, err := DecodeSettings(b[13 : 13+settingsLen])
	if err != nil {
		return 0, err
	}
	t := New()
	t.now = Time(binary.BigEndian.Uint64(b[5:]))
	t.settings = settings
	rest := b[13+settingsLen:]
	t.lastToken = binary.BigEndian.Uint64(rest)
	t.arrivals = binary.BigEndian.Uint64(rest[8:])
	r.holds = binary.BigEndian.Uint64(rest[16:])
	r.waiters = binary.BigEndian.Uint64(rest[24:])
	r.digest = binary.BigEndian.Uint64(rest[32:])
	if r.holds > CountMax || r.waiters > CountMax {
		return 0, fmt.Errorf("lock: snapshot of %d held keys and %d waiters, more than %d", r.holds, r.waiters, CountMax)
	}
	r.table = t
	return headerLen, nil
}

func (r *Restorer) addHold(b []byte) (int, error) {
	key, n := keyAt(b, holdLengthAt)
	if n == 0 {
		return 0, errors.New("lock: snapshot with a broken held key")
	}
	t := r.table
	token, owner := binary.BigEndian.Uint64(b[1:]), binary.BigEndian.Uint64(b[9:])
	granted, deadline := Time(binary.BigEndian.Uint64(b[17:])), Time(binary.BigEndian.Uint64(b[25:]))
	tiedTo := Conn(binary.BigEndian.Uint64(b[33:]))
	var above uint64
	if t.grants.last != 0 {
		above = t.term(t.grants.last).tie
	}
	hash := t.index.hash(key)
	switch {
	case token <= above || token > t.lastToken:
		return 0, fmt.Errorf("lock: snapshot with token %d between %d and %d", token, above, t.lastToken)
	case granted > t.now || deadline < granted:
		return 0, fmt.Errorf("lock: snapshot with a grant from %d to %d, taken at %d", granted, deadline, t.now)
	case tiedTo != 0 && !t.settings.ReleaseOnGone:
		return 0, fmt.Errorf("lock: snapshot with key %q tied to a connection", key)
	case t.index.find(hash, key) != 0:
		return 0, fmt.Errorf("lock: snapshot with key %q twice", key)
	}
	ref := t.addHold(key, hash)
	t.idle.push(term{rank: uint64(deadline), tie: token, ref: ref})
	t.holds.at(ref).owner, t.holds.at(ref).granted = owner, granted
	t.grants.push(ref, t.holdLinks)
	if tiedTo != 0 {
		t.tie(ref, tiedTo)
	}
	t.holdChanged(ref)
	r.holds--
	return n, nil
}

func (r *Restorer) addWaiter(b []byte) (int, error) {
	key, n := keyAt(b, waiterLengthAt)
	if n == 0 {
		return 0, errors.New("lock: snapshot with a broken waiter")
	}
	t := r.table
	arrival := binary.BigEndian.Uint64(b[1:])
	hold := t.find(key)
	switch {
	case arrival <= r.lastArrival || arrival > t.arrivals:
		return 0, fmt.Errorf("lock: snapshot with arrival %d between %d and %d", arrival, r.lastArrival, t.arrivals)
	case hold == 0:
		return 0, fmt.Errorf("lock: snapshot with a waiter for %q, which nobody holds", key)
	}
	r.lastArrival = arrival
	t.addWaiter(&waiter{
		arrival:  arrival,
		owner:    binary.BigEndian.Uint64(b[17:]),
		deadline: Time(binary.BigEndian.Uint64(b[25:])),
		hold:     hold,
		lease:    binary.BigEndian.Uint16(b[33:]),
	}, Conn(binary.BigEndian.Uint64(b[9:])))
	r.waiters--
	return n, nil
}
