package history

import (
	"cmp"
	"slices"
	"sort"
)

// tenure is one grant of a key.
type tenure struct {
	grant *Op
	// freed is from when on it may have ended before its lease, by what
	// nobody has answered: an unanswered release, the end of a connection.
	freed int64
	// released: the answer to a release says that it ended so.
	released bool
	// over is when its lease has surely ended, but for answered keeps.
	over int64
}

// ghost is an unanswered acquire that may hold the key for a while.
type ghost struct {
	from int64
	to   int64 // the latest of this one and all that began before
}

// keyLog is everything about one key.
type keyLog struct {
	name    string
	ops     []*Op // answered, by call
	tenures []tenure
	place   map[uint64]int // in tenures, by token
	ghosts  []ghost        // by from
}

// byKey sorts a history into its keys, in the order of their names.
func byKey(ops []Op, r *Rules) []*keyLog {
	logs := map[string]*keyLog{}
	var list []*keyLog
	gone := map[int]int64{} // by connection
	for i := range ops {
		o := &ops[i]
		if o.Kind == Gone {
			if at, ok := gone[o.Conn]; !ok || o.Call < at {
				gone[o.Conn] = o.Call
			}
			continue
		}
		k := logs[o.Key]
		if k == nil {
			k = &keyLog{name: o.Key, place: map[uint64]int{}}
			logs[o.Key] = k
			list = append(list, k)
		}
		k.ops = append(k.ops, o)
	}
	slices.SortFunc(list, func(a, b *keyLog) int { return cmp.Compare(a.name, b.name) })
	for _, k := range list {
		k.findTenures(r, gone)
		k.findGhosts(r)
		k.ops = slices.DeleteFunc(k.ops, func(o *Op) bool { return !o.known() })
		slices.SortStableFunc(k.ops, func(a, b *Op) int { return cmp.Compare(a.Call, b.Call) })
	}
	return list
}

func (k *keyLog) findTenures(r *Rules, gone map[int]int64) {
	for _, o := range k.ops {
		if o.Kind != Acquire || o.Outcome != Granted {
			continue
		}
		t := tenure{grant: o, freed: never, over: r.by(o.Return, o.Lease)}
		if at, ok := gone[o.Conn]; ok && r.ReleaseOnGone {
			t.freed = at
		}
		k.tenures = append(k.tenures, t)
	}
	slices.SortFunc(k.tenures, func(a, b tenure) int { return cmp.Compare(a.grant.Token, b.grant.Token) })
	for i := range k.tenures {
		k.place[k.tenures[i].grant.Token] = i
	}
	for _, o := range k.ops {
		t := k.tenureOf(o)
		if t == nil {
			continue
		}
		switch {
		case o.Outcome == Released:
			t.released = true
		case o.Kind == Release && o.mayHaveActed():
			t.freed = min(t.freed, o.Call)
		case o.Kind == Keep && o.mayHaveActed():
			t.over = max(t.over, r.by(r.settled(o), o.Lease))
		}
	}
}

// tenureOf returns what a release or keep is about, nil if no grant of this key
// is known to have had that token.
func (k *keyLog) tenureOf(o *Op) *tenure {
	if i, ok := k.place[o.Token]; ok && o.Kind != Acquire {
		return &k.tenures[i]
	}
	return nil
}

func (k *keyLog) findGhosts(r *Rules) {
	for _, o := range k.ops {
		if o.Kind == Acquire && o.mayHaveActed() {
			k.ghosts = append(k.ghosts, ghost{o.Call, r.by(r.settled(o), o.Lease)})
		}
	}
	slices.SortFunc(k.ghosts, func(a, b ghost) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(k.ghosts); i++ {
		k.ghosts[i].to = max(k.ghosts[i].to, k.ghosts[i-1].to)
	}
}

// haunted reports whether an unanswered acquire may have held the key at some
// instant of o.
func (k *keyLog) haunted(o *Op) bool {
	n := sort.Search(len(k.ghosts), func(i int) bool { return k.ghosts[i].from > o.Return })
	return n > 0 && k.ghosts[n-1].to >= o.Call
}
