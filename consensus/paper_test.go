package consensus

import "testing"

// The claims of "Paxos Made Simple" (Leslie Lamport, 2001), one test for each
// that is about what this package does. "Proposal number" there is ballot here.

// acceptorOf returns a member of three with an empty log, and a function that
// gives it a message, makes everything durable, and returns its answers.
func acceptorOf(t *testing.T) (*member, func(from NodeID, m Message) []Message) {
	t.Helper()
	w := newWorld(Config{}, []float64{1, 1, 1})
	m := w.members[2]
	return m, func(from NodeID, msg Message) []Message {
		w.net = nil
		for _, e := range msg.Entries {
			w.ghost.slot(e.Slot).stamped[e.Origin] = w.now
		}
		m.core.Step(from, &msg)
		m.settle()
		m.syncAll()
		var answers []Message
		for _, p := range w.net {
			answers = append(answers, p.m)
		}
		return answers
	}
}

// proposal is an Accept of one value in slot 1.
func proposal(b Ballot, value string) Message {
	return Message{Type: MsgAccept, Ballot: b, Entries: []Entry{
		{Slot: 1, Ballot: b, Origin: b, Kind: KindCommands, Payload: []byte(value)}}}
}

func has(answers []Message, kind MessageType) *Message {
	for i := range answers {
		if answers[i].Type == kind {
			return &answers[i]
		}
	}
	return nil
}

// P1. "An acceptor must accept the first proposal that it receives."
func TestP1TheFirstProposalIsAccepted(t *testing.T) {
	m, give := acceptorOf(t)
	answers := give(1, proposal(Ballot{4, 1}, "v"))
	if a := has(answers, MsgAccepted); a == nil || a.Slot != 1 || a.Ballot != (Ballot{4, 1}) {
		t.Errorf("the answer is %+v", answers)
	}
	if e := m.disk.state.entries; len(e) != 1 || string(e[0].Payload) != "v" {
		t.Errorf("the disk has %+v", e)
	}
}

// P1a. "An acceptor can accept a proposal numbered n iff it has not responded to
// a prepare request having a number greater than n."
func TestP1aAnAcceptorAcceptsUnlessItHasPromisedMore(t *testing.T) {
	for _, c := range []struct {
		promised, proposed Ballot
		accepted           bool
	}{
		{Ballot{5, 2}, Ballot{5, 2}, true},
		{Ballot{5, 2}, Ballot{6, 2}, true},
		{Ballot{5, 1}, Ballot{5, 2}, true},
		{Ballot{5, 2}, Ballot{5, 1}, false},
		{Ballot{5, 1}, Ballot{4, 2}, false},
	} {
		_, give := acceptorOf(t)
		if a := has(give(c.promised.Node, Message{Type: MsgPrepare, Ballot: c.promised, Slot: 1}), MsgPromise); a == nil {
			t.Fatalf("%v is not promised", c.promised)
		}
		answers := give(c.proposed.Node, proposal(c.proposed, "v"))
		if accepted := has(answers, MsgAccepted) != nil; accepted != c.accepted {
			t.Errorf("promised %v, proposed %v, accepted: %v", c.promised, c.proposed, accepted)
		}
		if refused := has(answers, MsgNack); (refused != nil) == c.accepted || refused != nil && refused.Promised != c.promised {
			t.Errorf("promised %v, proposed %v, refused: %+v", c.promised, c.proposed, refused)
		}
	}
}

// "An acceptor must remember ... the highest-numbered proposal that it has ever
// accepted and the number of the highest-numbered prepare request to which it
// has responded", "even if it fails and then restarts".
func TestAnAcceptorRemembersOverARestart(t *testing.T) {
	m, give := acceptorOf(t)
	give(1, proposal(Ballot{4, 1}, "v"))
	give(2, Message{Type: MsgPrepare, Ballot: Ballot{7, 2}, Slot: 1})
	m.crash(0)
	m.start()
	if answers := give(1, proposal(Ballot{6, 1}, "w")); has(answers, MsgNack) == nil {
		t.Errorf("6.1 is answered with %+v, 7.2 was promised", answers)
	}
	p := has(give(1, Message{Type: MsgPrepare, Ballot: Ballot{8, 1}, Slot: 1}), MsgPromise)
	if p == nil || len(p.Entries) != 1 || p.Entries[0].Ballot != (Ballot{4, 1}) || string(p.Entries[0].Payload) != "v" {
		t.Errorf("8.1 is promised with %+v", p)
	}
}

// Phase 1 (b): the response to a prepare request is "a promise not to accept any
// more proposals numbered less than n and the highest-numbered proposal (if any)
// that it has accepted".
func TestPhase1bAPromiseHasWhatIsAccepted(t *testing.T) {
	_, give := acceptorOf(t)
	if p := has(give(2, Message{Type: MsgPrepare, Ballot: Ballot{3, 2}, Slot: 1}), MsgPromise); p == nil || p.Last != 0 {
		t.Errorf("with nothing accepted: %+v", p)
	}
	give(1, proposal(Ballot{4, 1}, "v"))
	give(2, proposal(Ballot{5, 2}, "w"))
	p := has(give(2, Message{Type: MsgPrepare, Ballot: Ballot{6, 2}, Slot: 1}), MsgPromise)
	if p == nil || p.Last != 1 || len(p.Entries) != 1 || string(p.Entries[0].Payload) != "w" {
		t.Errorf("after accepting w under 5.2: %+v", p)
	}
}

// Phase 2 (a): v is "the value of the highest-numbered proposal among the
// responses, or is any value if the responses reported no proposals".
func TestPhase2aTheValueOfTheHighestBallotOrAny(t *testing.T) {
	w := newWorld(Config{}, []float64{1, 1, 1})
	voter, candidate := w.members[1], w.members[0]
	voter.core.Step(3, &Message{Type: MsgAccept, Ballot: Ballot{2, 3}, Entries: []Entry{
		{Slot: 1, Ballot: Ballot{2, 3}, Origin: Ballot{2, 3}, Kind: KindLeaderStart, Payload: []byte("found")}}})
	w.ghost.slot(1).stamped[Ballot{2, 3}] = w.now
	w.members[2].crash(0)
	voter.settle()
	voter.syncAll()
	candidate.elect() // refused: it has not heard of round 2
	w.quiesce()
	candidate.elect()
	w.quiesce()
	log := candidate.disk.state.entries
	if len(log) != 2 || string(log[0].Payload) != "found" || string(log[1].Payload) != "start of 1" {
		t.Fatalf("the log is %+v", log)
	}
	if log[0].Ballot != candidate.core.promised || log[0].Origin != (Ballot{2, 3}) {
		t.Errorf("the value found is proposed again under the own ballot: %+v", log[0])
	}
}

// "Different proposers choose their numbers from disjoint sets of numbers, so two
// different proposers never issue a proposal with the same number. Each proposer
// remembers (in stable storage) the highest-numbered proposal it has tried to
// issue."
func TestBallotsAreNeverUsedTwice(t *testing.T) {
	w := newWorld(Config{}, []float64{1, 1, 1})
	used := map[Ballot]NodeID{}
	for range 20 {
		for _, m := range w.members {
			m.core.campaign()
			b := m.core.promised
			if by, known := used[b]; known || b.Node != m.id {
				t.Fatalf("member %d takes ballot %v, which member %d has used", m.id, b, by)
			}
			used[b] = m.id
			m.settle()
			m.syncAll()
			m.crash(0)
			m.start()
		}
	}
}

// Section 3: the new leader "executes phase 1 ... for infinitely many instances"
// with "a single reasonably short message", and phase 2 only after. "Gaps" that
// it would have to fill with no-ops do not arise here, because every member's log
// is contiguous: recovery.complete panics on one.
func TestPhaseOneIsDoneOnceForAllSlots(t *testing.T) {
	w := led(t, Config{})
	prepares := 0
	for range 50 {
		w.members[0].propose()
		for _, p := range w.net {
			if p.m.Type == MsgPrepare {
				prepares++
			}
		}
		w.quiesce()
	}
	if prepares != 0 || w.members[0].core.commit != 51 {
		t.Errorf("%d Prepares for %d slots", prepares, w.members[0].core.commit)
	}
}

// P2. "If a proposal with value v is chosen, then every higher-numbered proposal
// that is chosen has value v." P2a says so of what is accepted, P2b of what is
// issued, and P2c is the rule that keeps P2b: there is a majority S such that
// either no acceptor in S has accepted any proposal numbered less than n, or v is
// the value of the highest-numbered proposal among all proposals numbered less
// than n accepted by the acceptors in S.
//
// Each random walk checks all four at every step: see ghost.choose (P2),
// ghost.vote (P2a), ghost.proposed (P2b) and ghost.backed (P2c). These tests
// check that the checks see what they should.
func TestP2IsWatched(t *testing.T) {
	low, high := Ballot{1, 1}, Ballot{2, 2}
	entry := func(b Ballot, value string) *Entry {
		return &Entry{Slot: 1, Ballot: b, Origin: low, Kind: KindCommands, Payload: []byte(value)}
	}
	ghostWith := func(voters ...NodeID) *ghost {
		var g ghost
		g.init(3)
		for _, n := range voters {
			g.vote(n, entry(low, "v"))
		}
		return &g
	}
	g := ghostWith(1, 2)
	if got := panicOf(func() { g.vote(3, entry(high, "w")) }); got == "no panic" {
		t.Error("P2a: w accepted at 2.2 after v was chosen at 1.1")
	}
	g = ghostWith(1, 2)
	if got := panicOf(func() { g.proposed(high, entry(high, "w")) }); got == "no panic" {
		t.Error("P2b: w proposed at 2.2 after v was chosen at 1.1")
	}
	g = ghostWith(1)
	if got := panicOf(func() { g.proposed(high, entry(high, "w")) }); got != "no panic" {
		t.Errorf("P2c: w may be proposed with the majority of 2 and 3 behind it: %s", got)
	}
	g = ghostWith(1)
	g.vote(2, entry(Ballot{1, 2}, "x"))
	g.vote(3, entry(Ballot{1, 3}, "y"))
	for value, backed := range map[string]bool{"v": false, "x": true, "y": true, "w": false} {
		got := panicOf(func() { g.proposed(high, entry(high, value)) }) == "no panic"
		if got != backed {
			t.Errorf("P2c: v at 1.1, x at 1.2 and y at 1.3 are accepted, %s is proposed at 2.2: allowed %v", value, got)
		}
		delete(g.slots[1].sentAt, high)
	}
}
