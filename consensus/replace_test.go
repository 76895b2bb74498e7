package consensus

import (
	"testing"
)

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
	if m.core.Roster().Floor == (Ballot{}) && m.core.isLearner() {
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
	if floor := m.core.Roster().Floor; floor != (Ballot{}) {
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
	if got := c.Roster().Stores; got != roster.Stores {
		t.Errorf("the list is %x", got)
	}
	if ch := out.Chosen[1]; ch.Effective || ch.Kind != KindCommands || ch.Payload != nil {
		t.Errorf("the state machine gets %+v", ch)
	}
}
