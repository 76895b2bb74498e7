package consensus

import (
	"slices"
	"strings"
	"testing"
)

// standings is what each member's store may do.
func (w *world) standings() string {
	var out []string
	for _, m := range w.members {
		if m.core == nil {
			out = append(out, "down")
			continue
		}
		out = append(out, m.core.Roster().Standing.String())
	}
	return strings.Join(out, " ")
}

func expectStandings(t *testing.T, w *world, want string) {
	t.Helper()
	if got := w.standings(); got != want {
		t.Fatalf("the members are %s, not %s", got, want)
	}
}

func expectStanding(t *testing.T, m *member, want Standing) {
	t.Helper()
	if got := m.core.Roster().Standing; got != want {
		t.Fatalf("member %d is a %v, not a %v", m.id, got, want)
	}
}

// formedCluster returns a cluster of fresh stores that have met, led by member 1.
func formedCluster(t *testing.T, n int) *world {
	t.Helper()
	w := newCluster(Config{}, slices.Repeat([]float64{1}, n))
	w.quiesce()
	w.members[0].elect()
	w.quiesce()
	if !w.members[0].core.Ready() {
		t.Fatalf("nobody leads: %s", w.summary())
	}
	return w
}

// refusedWith returns whether a member was kept out with such a message.
func (w *world) refusedWith(text string) bool {
	return slices.ContainsFunc(w.refused, func(err error) bool { return strings.Contains(err.Error(), text) })
}

func TestAClusterFormsWhenAllHaveMet(t *testing.T) {
	w := newCluster(Config{}, []float64{1, 1, 1})
	w.members[2].crash(0)
	w.quiesce()
	expectStandings(t, w, "unformed unformed down")
	for _, m := range w.members[:2] {
		if m.core.Roster().Stores != [maxMembers]StoreID{} {
			t.Error("a list is recorded before all have been met")
		}
		m.core.preVote()
		m.settle()
	}
	w.quiesce()
	w.members[1].core.Step(1, &Message{Type: MsgPrepare, Ballot: Ballot{1, 1}, Slot: 1})
	w.members[1].core.Step(1, &Message{Type: MsgHeartbeat, Ballot: Ballot{1, 1}})
	w.quiesce()
	if p := w.members[1].core.promised; p != (Ballot{}) {
		t.Errorf("an unformed member promises %v", p)
	}
	w.members[2].start()
	w.quiesce()
	expectStandings(t, w, "voter voter voter")
}

// Until the last has durably recorded the list nobody votes: had it not, and
// were its disk wiped, it could come back as another without anyone noticing.
func TestNobodyVotesBeforeAllHaveRecordedTheList(t *testing.T) {
	w := newCluster(Config{}, []float64{1, 1, 1})
	last := w.members[2]
	for range 20 {
		for _, m := range w.members[:2] {
			m.syncAll()
		}
		if len(last.disk.waiting) > 0 && last.core.Roster().formed() {
			break // its list is on its way to the disk
		}
		last.syncAll()
		net := w.net
		w.net = nil
		for _, p := range net {
			w.deliver(p)
		}
	}
	if !last.core.Roster().formed() {
		t.Fatal("the list never comes together")
	}
	expectStandings(t, w, "unformed unformed unformed")
	last.crash(0)
	w.net = nil
	last.newStore(false)
	last.start()
	w.quiesce()
	expectStandings(t, w, "unformed unformed unformed")
	if !w.refusedWith("is not the one of node 3") {
		t.Errorf("refused: %v", w.refused)
	}
}

func TestAWipedStoreDoesNotVote(t *testing.T) {
	w := formedCluster(t, 3)
	w.members[0].propose()
	w.quiesce()
	wiped := w.members[1]
	wiped.crash(0)
	wiped.newStore(false)
	wiped.start()
	w.members[0].crash(0)
	w.refused = nil
	wiped.elect()
	w.members[2].elect()
	w.quiesce()
	w.members[2].elect()
	w.quiesce()
	if w.members[2].core.role == RoleLeader || wiped.core.role == RoleLeader {
		t.Errorf("one member of three and a wiped store have a leader: %s", w.summary())
	}
	if !w.refusedWith("is not the one of node 2") || !w.refusedWith("it knows store") {
		t.Errorf("refused: %v", w.refused)
	}
}

func TestAnOlderCopyOfAStoreIsKeptOut(t *testing.T) {
	w := formedCluster(t, 3)
	m := w.members[1]
	backup := m.disk.state
	m.crash(0)
	m.start()
	w.quiesce()
	m.crash(0)
	m.start()
	w.quiesce()
	w.refused = nil
	m.putBack(backup)
	m.start()
	w.quiesce()
	if !w.refusedWith("an older copy of its store") {
		t.Fatalf("refused: %v", w.refused)
	}
	w.members[0].crash(0)
	w.members[2].elect()
	w.quiesce()
	if w.members[2].core.role == RoleLeader {
		t.Error("the older copy has voted")
	}
}

// A copy that was taken while the process ran is told by what the store has
// promised and acknowledged since.
func TestACopyOfARunningStoreIsKeptOut(t *testing.T) {
	w := formedCluster(t, 3)
	m := w.members[1]
	copied := m.disk.state
	copied.entries = slices.Clone(copied.entries)
	w.members[0].propose()
	w.quiesce()
	w.refused = nil
	m.putBack(copied)
	m.start()
	w.quiesce()
	if !w.refusedWith("an older copy of its store") {
		t.Errorf("refused: %v, %s", w.refused, w.summary())
	}
}

// The leader that knew better may be gone: what it has recorded with its last
// snapshot is left.
func TestWhatIsKnownOfAStoreOutlivesTheLeader(t *testing.T) {
	w := newCluster(Config{SnapshotBytes: 3 * entryOverhead}, []float64{1, 1, 1})
	w.quiesce()
	w.members[0].elect()
	w.quiesce()
	h, _ := w.members[1].core.Hello()
	for range 3 {
		w.members[0].propose()
		w.quiesce()
	}
	leader := w.members[0]
	if leader.core.snapshot.inForce.Slot == 0 {
		t.Fatal("no snapshot")
	}
	leader.crash(0)
	leader.start()
	if err := leader.core.Meet(&h); err == nil {
		t.Error("a store is met whose log is shorter than it was")
	}
}

func TestTwoProcessesOnOneStoreAreToldApart(t *testing.T) {
	w := formedCluster(t, 3)
	h, _ := w.members[1].core.Hello()
	leader := w.members[0].core
	if !leader.Admits(&h) {
		t.Fatal("the member itself is kept out")
	}
	clone := h
	clone.Self.Process++
	if err := leader.Meet(&clone); err == nil || leader.Admits(&clone) {
		t.Errorf("a second process in the same incarnation is met: %v", err)
	}
	later := h
	later.Self.Incarnation++
	later.Self.Process++
	if err := leader.Meet(&later); err != nil || leader.Admits(&h) || !leader.Admits(&later) {
		t.Errorf("after a restart only the new process is heard: %v", err)
	}
	if err := leader.Meet(&h); err == nil {
		t.Error("the former process is met again")
	}
}

func TestHellosOfStrangersAreRefused(t *testing.T) {
	w := formedCluster(t, 3)
	h, _ := w.members[1].core.Hello()
	for name, change := range map[string]func(h *Hello){
		"this node itself": func(h *Hello) { h.Node = 1 },
		"node 4 of 3":      func(h *Hello) { h.Node = 4 },
		"a foreign store":  func(h *Hello) { h.Store[3]++ },
		"a foreign list":   func(h *Hello) { h.Stores[0][3]++ },
	} {
		stranger := h
		change(&stranger)
		if err := w.members[0].core.Meet(&stranger); err == nil {
			t.Errorf("%s is met", name)
		}
	}
}

// One that votes has seen that all have recorded the list: a member that has
// recorded it, too, need not wait for them again.
func TestAVoterIsAsGoodAsAll(t *testing.T) {
	w := newCluster(Config{}, []float64{1, 1, 1})
	w.quiesceBut(func(p packet) bool {
		return p.to == 2 && p.hello != nil && p.hello.Stores != [maxMembers]StoreID{}
	})
	expectStandings(t, w, "voter unformed voter")
	w.members[2].crash(0)
	w.members[0].sayHello(2)
	w.quiesce()
	expectStandings(t, w, "voter voter down")
}

// What a store says of itself never goes back in its life.
func TestNothingThatAStoreSaysGoesBack(t *testing.T) {
	for name, change := range map[string]func(s *Seen){
		"incarnation": func(s *Seen) { s.Incarnation-- },
		"promise":     func(s *Seen) { s.Promised = Ballot{} },
		"log":         func(s *Seen) { s.Last-- },
	} {
		w := formedCluster(t, 3)
		h, _ := w.members[2].core.Hello()
		if err := w.members[1].core.Meet(&h); err != nil {
			t.Fatal(err)
		}
		change(&h.Self)
		if err := w.members[1].core.Meet(&h); err == nil {
			t.Errorf("%s has gone back, and the member is met", name)
		}
	}
}

func TestAHelloTellsOnlyOfDurablePromises(t *testing.T) {
	w := formedCluster(t, 3)
	m := w.members[1]
	for _, b := range []Ballot{{5, 3}, {6, 3}} {
		m.core.Step(3, &Message{Type: MsgPrepare, Ballot: b, Slot: 1})
		m.settle()
	}
	m.sync(1, true)
	if h, _ := m.core.Hello(); h.Self.Promised != (Ballot{5, 3}) {
		t.Errorf("5.3 is durable and 6.3 is not, it tells of %v", h.Self.Promised)
	}
}

// sampleRoster has every field set.
func sampleRoster() Roster {
	r := Roster{Standing: StandingLearner, Incarnation: 7, At: 9, Floor: Ballot{3, 2}}
	for i := range r.Stores {
		r.Stores[i] = StoreID{byte(i), 1}
		r.Seen[i] = Seen{Incarnation: uint64(i), Process: 5, Promised: Ballot{uint64(i), 4}, Last: Slot(i)}
	}
	return r
}

func sampleHello() Hello {
	return Hello{Node: 2, Store: StoreID{1}, Standing: StandingVoter, Stores: [maxMembers]StoreID{{1}, {2}}, At: 3,
		Self: Seen{Incarnation: 4, Process: 5, Promised: Ballot{6, 1}, Last: 7}}
}

func TestRosterSurvivesTheStore(t *testing.T) {
	r := sampleRoster()
	b := AppendRoster(nil, &r)
	if got, err := DecodeRoster(b); err != nil || got != r {
		t.Errorf("%+v comes back as %+v, %v", r, got, err)
	}
	for _, broken := range [][]byte{nil, b[1:], append(slices.Clone(b), 0), slices.Concat([]byte{9}, b[1:]),
		slices.Concat(b[:1], []byte{0}, b[2:]), slices.Concat(b[:1], []byte{4}, b[2:])} {
		if got, err := DecodeRoster(broken); err == nil {
			t.Errorf("%x decodes to %+v", broken, got)
		}
	}
}

func FuzzDecodeHello(f *testing.F) {
	h := sampleHello()
	f.Add(AppendHello(nil, &h))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := DecodeHello(b)
		if err != nil {
			return
		}
		if again := AppendHello(nil, &h); !slices.Equal(again, b) {
			t.Errorf("%x decodes to %+v, which encodes to %x", b, h, again)
		}
	})
}
