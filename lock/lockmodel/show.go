package lockmodel

import (
	"cmp"
	"slices"
)

// List returns a copy of the held keys, each with its queue, in the order of
// their grants.
func (m *Model) List() []Key {
	var list []Key
	for _, k := range m.keys {
		shown := *k
		shown.Queue = slices.Clone(k.Queue)
		list = append(list, shown)
	}
	return list
}

// Keys is how many keys are held, expired ones that nothing has freed included.
func (m *Model) Keys() int { return len(m.keys) }

// Waiters is how many acquires wait, over all keys.
func (m *Model) Waiters() int {
	n := 0
	for _, k := range m.keys {
		n += len(k.Queue)
	}
	return n
}

// LastToken is the last token issued; 0 if none ever was.
func (m *Model) LastToken() uint64 { return m.lastToken }

// NextWait is when the next wait is over, or was.
func (m *Model) NextWait() (uint64, bool) {
	k, i := m.firstWait()
	if k == nil || k.Queue[i].Until == Forever {
		return 0, false
	}
	return k.Queue[i].Until, true
}

// NextExpiry is the earliest deadline of a held key; with onlyWaited, of one
// that has waiters.
func (m *Model) NextExpiry(onlyWaited bool) (uint64, bool) {
	for _, k := range m.byDeadline() {
		if len(k.Queue) > 0 || !onlyWaited {
			return k.Deadline, true
		}
	}
	return 0, false
}

// Expires returns the Expire commands that would do something at now, the
// earliest deadline first, at most limit; with onlyWaited, of keys that have
// waiters.
func (m *Model) Expires(now uint64, onlyWaited bool, limit int) []Command {
	var due []Command
	for _, k := range m.byDeadline() {
		if now >= k.Deadline && (len(k.Queue) > 0 || !onlyWaited) && len(due) < limit {
			due = append(due, Command{Op: Expire, Token: k.Token, Key: k.Name})
		}
	}
	return due
}

// firstIdle is the key that expires first (or did) among those without waiters.
func (m *Model) firstIdle() *Key {
	for _, k := range m.byDeadline() {
		if len(k.Queue) == 0 {
			return k
		}
	}
	return nil
}

// firstWait is the waiter whose wait ends first: key and place in its queue.
func (m *Model) firstWait() (first *Key, place int) {
	for _, k := range m.keys {
		for i, w := range k.Queue {
			if first == nil || w.before(first.Queue[place]) {
				first, place = k, i
			}
		}
	}
	return first, place
}

func (w Waiter) before(o Waiter) bool {
	return w.Until < o.Until || w.Until == o.Until && w.Arrival < o.Arrival
}

// byDeadline returns the held keys ordered by deadline, then by token.
func (m *Model) byDeadline() []*Key {
	keys := slices.Clone(m.keys)
	slices.SortFunc(keys, func(a, b *Key) int {
		return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.Token, b.Token))
	})
	return keys
}
