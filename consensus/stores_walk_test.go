package consensus

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWalkWithStores walks through worlds in which disks are lost and replaced.
func TestWalkWithStores(t *testing.T) {
	first := seed(t)
	worlds := worldCount(t, 100, 1000)
	formed, replaced := 0, 0
	for n := first; n < first+uint64(worlds) && !t.Failed(); n++ {
		w := runStoreWalk(t, n)
		if w.reigns() > 0 {
			formed++
		}
		replaced += w.stores - len(w.members)
	}
	t.Logf("%d worlds, %d of them with a leader, %d stores replaced", worlds, formed, replaced)
	if !t.Failed() && (formed < worlds*9/10 || replaced < worlds/8) {
		t.Error("the walk sees too little")
	}
}

func (w *world) reigns() int { return len(w.ghost.reigns) }

func runStoreWalk(t *testing.T, n uint64) (w *world) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%v\nagain with %s=%d", r, seedVariable, n)
		}
	}()
	rng := rand.New(rand.NewPCG(n, 3))
	w = newCluster(walkConfig(rng), walkClocks(rng))
	w.drive(rng, 200+rng.IntN(400))
	if err := w.calm(rng); err != nil {
		t.Errorf("%v\n%v\nagain with %s=%d", err, w.refused, seedVariable, n)
	}
	if s := w.standings(); strings.Contains(s, "unformed") || strings.Contains(s, "learner") {
		t.Errorf("the members are %s\nagain with %s=%d", s, seedVariable, n)
	}
	w.ghost.checkLogTime()
	return w
}

// loseDisk destroys a member's disk, if all others are known to vote, and puts a new store in
// its place. Messages of the old one may still be under way.
func (m *member) loseDisk() {
	for _, other := range m.w.members {
		r, err := DecodeRoster(other.disk.state.roster)
		if err != nil || r.Standing != StandingVoter || r.Stores[m.id-1] != m.store {
			return
		}
	}
	m.newStore(true)
	m.start()
}

// replaceLost proposes the replacement of whatever store is not on the list.
func (m *member) replaceLost() {
	m.core.Tick(m.clock())
	for _, other := range m.w.members {
		if m.core.role == RoleLeader && other.join && m.core.Roster().Stores[other.id-1] != other.store {
			m.core.Replace(other.id, other.store) // or not, if it can't be now
		}
	}
	m.finish()
}

// reconnect begins a connection to another member anew.
func (m *member) reconnect(rng *rand.Rand) {
	other := m.w.members[rng.IntN(len(m.w.members))]
	if other != m && other.core != nil {
		m.sayHello(other.id)
		other.sayHello(m.id)
	}
}
