package consensus

import (
	"math/rand/v2"
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
		out = append(out, m.core.State().Roster.Standing.String())
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
	if got := m.core.State().Roster.Standing; got != want {
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
		if m.core.State().Roster.Stores != [maxMembers]StoreID{} {
			t.Error("a list is recorded before all have been met")
		}
		m.core.preVote()
		m.settle()
	}
	w.quiesce()
	w.members[1].core.Step(1, &Message{Type: MsgPrepare, Ballot: Ballot{1, 1}, Slot: 1})
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
		if len(last.disk.waiting) > 0 && last.core.State().Roster.formed() {
			break // its list is on its way to the disk
		}
		last.syncAll()
		net := w.net
		w.net = nil
		for _, p := range net {
			w.deliver(p)
		}
	}
	if !last.core.State().Roster.formed() {
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

// replaceStore3 destroys the disk of member 3 and puts a new store in its place,
// up to where the leader has applied that.
func replaceStore3(t *testing.T, w *world) *member {
	t.Helper()
	m := w.members[2]
	m.crash(0)
	w.quiesce()
	m.newStore(true)
	m.start()
	w.quiesce()
	expectStandings(t, w, "voter voter learner")
	leader := w.members[0]
	leader.beat()
	w.quiesce()
	if _, err := leader.core.Replace(3, m.store); err != nil {
		t.Fatal(err)
	}
	leader.settle()
	return m
}

func TestAReplacedStoreVotesOnceItHasCaughtUp(t *testing.T) {
	w := formedCluster(t, 3)
	for range 3 {
		w.members[0].propose()
		w.quiesce()
	}
	before := w.members[0].core.promised
	m := replaceStore3(t, w)
	// The new store connects again; its learner's acknowledgement counts for
	// nothing.
	w.quiesce()
	m.crash(0)
	m.start()
	w.quiesce()
	w.members[0].beat()
	w.quiesce()
	if m.core.State().Roster.Floor == (Ballot{}) && m.core.isLearner() {
		t.Fatalf("the learner knows no floor: %s", w.summary())
	}
	w.members[0].beat()
	w.quiesce()
	w.members[0].beat()
	w.quiesce()
	expectStandings(t, w, "voter voter voter")
	if leader := w.members[0].core; !before.Less(leader.promised) || !leader.Leading() {
		t.Errorf("the leader's ballot was %v: %s", before, w.summary())
	}
	if m.core.promised.Less(w.members[0].core.promised) {
		t.Errorf("the new voter has promised %v", m.core.promised)
	}
	// Now it is one of a majority.
	w.members[1].crash(0)
	w.members[0].propose()
	w.quiesce()
	if leader := w.members[0].core; leader.commit != leader.log.last() {
		t.Errorf("nothing is chosen with the new voter: %s", w.summary())
	}
}

func TestALearnerCountsForNothing(t *testing.T) {
	w := formedCluster(t, 3)
	m := replaceStore3(t, w)
	w.quiesceBut(func(p packet) bool { return p.from == 2 && p.to == 3 })
	w.members[1].crash(0) // so the learner never hears what it has promised
	leader := w.members[0]
	commit := leader.core.commit
	for range 3 {
		leader.propose()
		leader.beat()
		w.quiesce()
	}
	expectStanding(t, m, StandingLearner)
	if floor := m.core.State().Roster.Floor; floor != (Ballot{}) {
		t.Errorf("the floor is %v, and one member was never heard", floor)
	}
	if leader.core.commit != commit {
		t.Errorf("slot %d is chosen by a leader and a learner", leader.core.commit)
	}
	if last := leader.core.log.last(); m.core.log.last() != last {
		t.Errorf("the learner has slot %d of %d", m.core.log.last(), last)
	}
	// Nor does it promise, or stand for election.
	m.core.preVote()
	m.settle()
	promised := m.core.promised
	m.core.Step(2, &Message{Type: MsgPrepare, Ballot: Ballot{99, 2}, Slot: 1})
	m.core.Step(2, &Message{Type: MsgPreVote, Ballot: Ballot{99, 2}})
	w.net = nil
	m.settle()
	m.syncAll()
	if len(w.net) != 0 || m.core.promised != promised {
		t.Errorf("a learner answers %+v and has promised %v", w.net, m.core.promised)
	}
}

// From the moment that the replacement is in the leader's log the old store does
// not count for it, chosen or not.
func TestTheOldStoreCountsNoLonger(t *testing.T) {
	w := formedCluster(t, 3)
	leader, old := w.members[0], w.members[2]
	leader.beat()
	w.quiesce()
	if _, err := leader.core.Replace(3, StoreID{77}); err != nil {
		t.Fatal(err)
	}
	leader.settle()
	commit := leader.core.commit
	w.quiesceWithout(2)
	if leader.core.commit != commit {
		t.Errorf("the old store has chosen slot %d", leader.core.commit)
	}
	leader.beat()
	w.quiesce()
	if leader.core.commit == commit {
		t.Error("the replacement is not chosen with the other member")
	}
	if old.said == nil || leader.core.Admits(old.said) {
		t.Error("the old store is heard after it was replaced")
	}
}

// A candidate that finds a replacement in what it recovers does not count the
// promise of the store that is replaced.
func TestAReplacedStoresPromiseDoesNotCount(t *testing.T) {
	w := formedCluster(t, 3)
	leader, candidate, old := w.members[0], w.members[1], w.members[2]
	leader.beat()
	w.quiesce()
	if _, err := leader.core.Replace(3, StoreID{77}); err != nil {
		t.Fatal(err)
	}
	leader.settle()
	w.deliverOnly(1, 2)
	candidate.syncAll()
	w.net = nil
	leader.crash(0)
	candidate.elect()
	w.quiesce()
	if candidate.core.role == RoleLeader || old.core.role == RoleLeader {
		t.Errorf("%s", w.summary())
	}
	if !candidate.core.candidacy.votes.has(3) {
		t.Error("the old store did promise, it should not have counted")
	}
}

// deliverOnly delivers what is under way from one member to another.
func (w *world) deliverOnly(from, to NodeID) {
	net := w.net
	w.net = nil
	for _, p := range net {
		if p.from == from && p.to == to {
			w.deliver(p)
		}
	}
}

func TestReplacementsThatCannotBe(t *testing.T) {
	w := formedCluster(t, 3)
	leader := w.members[0]
	leader.beat()
	w.quiesce()
	for name, c := range map[string]struct {
		n     NodeID
		store StoreID
	}{
		"the leader itself":    {1, StoreID{77}},
		"no member":            {4, StoreID{77}},
		"no store":             {3, StoreID{}},
		"a store on the list":  {3, w.members[1].store},
		"a store of the place": {3, w.members[2].store},
	} {
		if s, err := leader.core.Replace(c.n, c.store); err == nil {
			t.Errorf("%s: proposed in slot %d", name, s)
		}
	}
	if s, err := w.members[1].core.Replace(3, StoreID{77}); err == nil {
		t.Errorf("a follower proposes in slot %d", s)
	}
	if _, err := leader.core.Replace(3, StoreID{77}); err != nil {
		t.Fatal(err)
	}
	leader.settle()
	if s, err := leader.core.Replace(2, StoreID{78}); err == nil {
		t.Errorf("a second one at the same time, in slot %d", s)
	}
	w.quiesce()
	// 3 is a store that nobody has ever seen: 1 and 2 are all that is left.
	if s, err := leader.core.Replace(2, StoreID{78}); err == nil {
		t.Errorf("the last voter beside the leader is replaced in slot %d", s)
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

// A LeaderStart at the floor is not above it: the old store may have promised
// that very ballot.
func TestALearnerWaitsForABallotAboveItsFloor(t *testing.T) {
	for _, c := range []struct {
		floor, mark Ballot
		votes       bool
	}{
		{Ballot{}, Ballot{5, 1}, false},
		{Ballot{5, 2}, Ballot{5, 1}, false},
		{Ballot{5, 1}, Ballot{5, 1}, false},
		{Ballot{5, 1}, Ballot{5, 2}, true},
	} {
		roster := Roster{Standing: StandingLearner, Floor: c.floor, Stores: [maxMembers]StoreID{{1}, {2}, {3}}}
		core := New(Config{Node: 2, Members: 3, Store: StoreID{2}}, Recovered{
			Promised: Ballot{4, 1},
			Commit:   1,
			Roster:   AppendRoster(nil, &roster),
			Entries:  []Entry{{Slot: 1, Ballot: c.mark, Origin: c.mark, Kind: KindLeaderStart}},
		}, 0)
		var out Output
		core.Take(&out)
		if core.votes() != c.votes {
			t.Errorf("floor %v, LeaderStart of %v applied: votes is %v", c.floor, c.mark, core.votes())
		}
		if core.votes() && core.promised != c.mark {
			t.Errorf("it votes with promise %v", core.promised)
		}
	}
}

// A replaced store that knows of it does not lead, whoever promises.
func TestAReplacedStoreDoesNotLead(t *testing.T) {
	w := formedCluster(t, 5)
	leader, old := w.members[0], w.members[2]
	leader.beat()
	w.quiesce()
	if _, err := leader.core.Replace(3, StoreID{77}); err != nil {
		t.Fatal(err)
	}
	leader.settle()
	w.deliverOnly(1, 3)
	old.syncAll()
	w.net = nil
	leader.crash(0)
	old.elect()
	w.quiesce()
	if old.core.role == RoleLeader || old.core.candidacy.votes.count() < 4 {
		t.Errorf("%s", w.summary())
	}
}

// Two replacements are replayed after a restart, and a later list is known.
func TestAnOlderReplacementChangesNothing(t *testing.T) {
	c := formedCluster(t, 3).members[1].core
	r := &c.membership.roster
	r.At, r.Stores[2] = 10, StoreID{78}
	c.applyReplacement(&Entry{Slot: 9, Kind: KindReplace, Payload: encodeReplacement(3, StoreID{77})})
	if r.At != 10 || r.Stores[2] != (StoreID{78}) {
		t.Errorf("the list is that of slot %d with %x", r.At, r.Stores[2])
	}
	c.applyReplacement(&Entry{Slot: 11, Kind: KindReplace, Payload: encodeReplacement(3, StoreID{79})})
	if r.At != 11 || r.Stores[2] != (StoreID{79}) {
		t.Errorf("the list is that of slot %d with %x", r.At, r.Stores[2])
	}
}

func TestAReplacementWithoutEffectChangesNothing(t *testing.T) {
	roster := Roster{Standing: StandingVoter, Incarnation: 1, Stores: [maxMembers]StoreID{{1}, {2}, {3}}}
	entry := func(s Slot, origin Ballot, kind Kind, payload []byte) Entry {
		return Entry{Slot: s, Ballot: Ballot{9, 1}, Origin: origin, Kind: kind, Payload: payload}
	}
	c := New(Config{Node: 2, Members: 3, Store: StoreID{2}}, Recovered{
		Promised: Ballot{9, 1},
		Commit:   2,
		Roster:   AppendRoster(nil, &roster),
		Entries: []Entry{
			entry(1, Ballot{9, 1}, KindLeaderStart, nil),
			entry(2, Ballot{8, 3}, KindReplace, encodeReplacement(3, StoreID{77})),
		},
	}, 0)
	var out Output
	c.Take(&out)
	if got := c.State().Roster.Stores; got != roster.Stores {
		t.Errorf("the list is %x", got)
	}
	if ch := out.Chosen[1]; ch.Effective || ch.Kind != KindCommands || ch.Payload != nil {
		t.Errorf("the state machine gets %+v", ch)
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

func TestRosterSurvivesTheStore(t *testing.T) {
	r := Roster{Standing: StandingLearner, Incarnation: 7, At: 9, Floor: Ballot{3, 2}}
	for i := range r.Stores {
		r.Stores[i] = StoreID{byte(i), 1}
		r.Seen[i] = Seen{Incarnation: uint64(i), Process: 5, Promised: Ballot{uint64(i), 4}, Last: Slot(i)}
	}
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
	h := Hello{Node: 2, Store: StoreID{1}, Standing: StandingVoter, Stores: [maxMembers]StoreID{{1}, {2}}, At: 3,
		Self: Seen{Incarnation: 4, Process: 5, Promised: Ballot{6, 1}, Last: 7}}
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
	if !t.Failed() && (formed < worlds*9/10 || replaced < worlds/4) {
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
		if m.core.role == RoleLeader && other.join && m.core.State().Roster.Stores[other.id-1] != other.store {
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
