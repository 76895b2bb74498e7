package lock

import (
	"fmt"
	"reflect"
	"testing"
)

// tableWithAll has a held key of each kind, one with a tie and a waiter.
func tableWithAll() *Table {
	t := New()
	s := roomy(true)
	s.ReleaseOnGone = true
	t.Start(1, s)
	b := AppendAcquire(nil, 1, 7, 0, 10, []byte("alpha"))
	b = AppendAcquire(b, 0, 8, 0, 20, []byte("beta-with-a-longer-name"))
	b = AppendAcquire(b, 2, 9, 30, 40, []byte("alpha"))
	b = AppendAcquire(b, 3, 9, 31, 40, []byte("alpha"))
	t.Apply(2, b, &discard{})
	return t
}

// recompute makes the digest that of what the records say now.
func recompute(t *Table) {
	t.holdsDigest, t.waitersDigest = 0, 0
	for ref := t.grants.first; ref != 0; ref = t.holds.at(ref).next {
		t.holdsDigest += t.holdDigest(ref)
	}
	for ref := t.arrived.first; ref != 0; ref = t.waiters.at(ref).all.next {
		t.waitersDigest += t.waiterDigest(ref)
	}
}

func TestTheDigestIsKeptUpToDate(t *testing.T) {
	table := tableWithAll()
	kept := table.Digest()
	recompute(table)
	if got := table.Digest(); got != kept {
		t.Fatalf("recomputed %016x, kept %016x", got, kept)
	}
}

func TestADigestChangesWithEachField(t *testing.T) {
	changes := map[string]func(*Table){
		"nothing":          func(t *Table) {},
		"now":              func(t *Table) { t.now++ },
		"last token":       func(t *Table) { t.lastToken++ },
		"arrivals":         func(t *Table) { t.arrivals++ },
		"token":            func(t *Table) { t.term(t.grants.first).tie += 100 },
		"deadline":         func(t *Table) { t.term(t.grants.first).rank++ },
		"owner":            func(t *Table) { t.holds.at(t.grants.first).owner++ },
		"granted":          func(t *Table) { t.holds.at(t.grants.first).granted++ },
		"key":              func(t *Table) { t.keyOf(t.grants.last)[20]++ },
		"key of waiters":   func(t *Table) { t.keyOf(t.grants.first)[0]++ },
		"tie":              func(t *Table) { t.untie(t.grants.first) },
		"tied to":          func(t *Table) { t.conns.at(t.byConn[1]).conn = 4 },
		"waiter's arrival": func(t *Table) { t.waiters.at(t.arrived.first).arrival += 100 },
		"waiter's owner":   func(t *Table) { t.waiters.at(t.arrived.first).owner++ },
		"wait's deadline":  func(t *Table) { t.waiters.at(t.arrived.first).deadline++ },
		"waiter's lease":   func(t *Table) { t.waiters.at(t.arrived.first).lease++ },
		"waiter's conn":    func(t *Table) { t.conns.at(t.byConn[2]).conn = 4 },
		"a hold less":      func(t *Table) { t.free(t.grants.last) },
		"a waiter less":    func(t *Table) { t.leave(t.arrived.last) },
		"owners swapped": func(t *Table) {
			a, b := t.holds.at(t.grants.first), t.holds.at(t.grants.last)
			a.owner, b.owner = b.owner, a.owner
		},
		"owner and granted swapped": func(t *Table) {
			a := t.holds.at(t.grants.first)
			a.owner, a.granted = uint64(a.granted), Time(a.owner)
		},
		"conns of waiters swapped": func(t *Table) {
			a, b := t.conns.at(t.byConn[2]), t.conns.at(t.byConn[3])
			a.conn, b.conn = b.conn, a.conn
		},
	}
	for i := range reflect.TypeFor[Settings]().NumField() {
		changes["settings: "+reflect.TypeFor[Settings]().Field(i).Name] = func(t *Table) {
			switch f := reflect.ValueOf(&t.settings).Elem().Field(i); f.Kind() {
			case reflect.Bool:
				f.SetBool(!f.Bool())
			default:
				f.SetUint(f.Uint() + 1)
			}
		}
	}
	seen := map[uint64]string{}
	for name, change := range changes {
		table := tableWithAll()
		change(table)
		recompute(table)
		if other, twice := seen[table.Digest()]; twice {
			t.Errorf("the digest is the same with %s and with %s changed", name, other)
		}
		seen[table.Digest()] = name
	}
}

// Keys that differ in one byte, in length, or in zeros at the end.
func TestKeysHaveHashesOfTheirOwn(t *testing.T) {
	seen := map[uint64]string{}
	try := func(key []byte) {
		h := stirKey(digestOfHold, key)
		if other, twice := seen[h]; twice {
			t.Errorf("keys %q and %q", key, other)
		}
		seen[h] = string(key)
	}
	for length := 1; length <= KeyMax; length++ {
		try(make([]byte, length))
		for at := range length {
			key := make([]byte, length)
			key[at] = 1
			try(key)
		}
	}
}

// The digest is compared between machines and versions of the program: what it
// is of a given log is part of the format.
func TestTheDigestIsTheSameOnEveryMachine(t *testing.T) {
	got := fmt.Sprintf("%016x", tableWithAll().Digest())
	if want := "cb2cbdd35b4d110d"; got != want {
		t.Fatalf("digest %s, want %s", got, want)
	}
}
