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
func (t *Table) List(f func(h *Held) bool) {
	for ref := t.oldest; ref != 0; {
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
