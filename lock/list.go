package lock

// Held is one held key, as shown to people.
type Held struct {
	Key      string
	Token    uint64
	Owner    uint64
	Granted  Time
	Deadline Time // it may have passed: see Settings.Lazy
	Waiters  int
}

// List calls f for the held keys in the order of their grants until it returns
// false. f must not change the table.
func (t *Table) List(f func(h *Held) bool) { t.list(t.grants.first, f) }

// ListAfter is List for those behind the grant of key under token, so that a
// long list can be gone through in pieces. It returns false, and calls f for
// nothing, if that grant has ended: nobody knows where in the order it stood.
func (t *Table) ListAfter(key string, token uint64, f func(h *Held) bool) bool {
	ref := t.find([]byte(key))
	if ref == 0 || t.term(ref).tie != token {
		return false
	}
	t.list(t.holds.at(ref).next, f)
	return true
}

func (t *Table) list(ref uint32, f func(h *Held) bool) {
	for ref != 0 {
		h, term := t.holds.at(ref), t.term(ref)
		held := Held{
			Key:      string(t.keys.get(h.key)),
			Token:    term.tie,
			Owner:    h.owner,
			Granted:  h.granted,
			Deadline: Time(term.rank),
			Waiters:  int(t.waitersOf(ref)),
		}
		if !f(&held) {
			return
		}
		ref = h.next
	}
}
