package consensus

import (
	"fmt"
	"strings"
	"testing"
)

// led returns a cluster of three with member 1 at its head and everything at
// rest.
func led(t *testing.T, cfg Config) *world {
	t.Helper()
	w := newWorld(cfg, []float64{1, 1, 1})
	w.members[0].elect()
	w.quiesce()
	if !w.members[0].core.Ready() {
		t.Fatal("nobody leads: " + w.summary())
	}
	return w
}

func TestALeadersMemoryDoesNotGrowForADeadFollower(t *testing.T) {
	const entries, kept = 10, 5
	w := led(t, Config{
		SnapshotBytes: entries * entryOverhead,
		Limits:        Limits{KeptBytes: kept * entryOverhead, AwaitedBytes: 4 * entries * entryOverhead},
	})
	leader := w.members[0].core
	most := 0
	for range 1000 {
		if leader.Ready() {
			leader.Tick(leader.now)
			leader.Propose(nil)
			w.members[0].finish()
		}
		w.quiesceWithout(3)
		most = max(most, leader.log.count)
	}
	// The log above a snapshot while it is taken, and no more than is kept
	// for those who live.
	if most > 5*entries || leader.commit < 1000 {
		t.Errorf("%d entries in memory at most, %d chosen", most, leader.commit)
	}
	if f := &leader.reign.followers[2]; len(f.flights) > maxStreamMessages {
		t.Errorf("%d messages to a dead follower", len(f.flights))
	}
}

func TestWhatIsUnderWayIsBounded(t *testing.T) {
	w := led(t, Config{})
	leader := w.members[0].core
	n := 0
	for leader.Ready() {
		w.members[0].propose()
		n++
	}
	if n != maxInflight {
		t.Errorf("%d entries were taken with nothing chosen, not %d", n, maxInflight)
	}
	w.net = nil // nothing arrives, and no acknowledgement comes
	for range 10 {
		w.members[0].settle()
	}
	if len(w.net) != 0 {
		t.Errorf("%d messages are sent again by themselves", len(w.net))
	}

	w = led(t, Config{})
	leader = w.members[0].core
	n = 0
	for leader.Ready() {
		leader.Propose(make([]byte, MaxPayload))
		w.members[0].finish()
		n++
	}
	if n*MaxPayload > maxInflightBytes+MaxPayload {
		t.Errorf("%d MiB are in flight", n)
	}
	for _, wr := range w.members[0].disk.waiting {
		bytes := 0
		for i := range wr.Entries {
			bytes += len(wr.Entries[i].Payload)
		}
		if bytes > maxWriteBytes {
			t.Errorf("a write of %d bytes", bytes)
		}
	}
}

func TestAStreamIsBounded(t *testing.T) {
	w := led(t, Config{Limits: Limits{MessageBytes: 1}})
	leader := w.members[0].core
	// 2 acknowledges, 3 only answers heartbeats.
	for range 500 {
		w.members[0].propose()
		w.quiesceWithout(3)
	}
	f := &leader.reign.followers[2]
	if len(f.flights) != maxStreamMessages || f.next > f.match+1+maxStreamMessages {
		t.Errorf("%d messages under way, slots %d..%d", len(f.flights), f.match+1, f.next-1)
	}
	w.members[0].beat()
	w.quiesce()
	w.members[0].beat()
	w.quiesce()
	if last := leader.log.last(); f.match != last || w.members[2].sm.slot != last {
		t.Errorf("the follower has %d of %d slots after it has come back", f.match, last)
	}
}

func TestMisuseIsABug(t *testing.T) {
	w := led(t, Config{})
	leader, follower := w.members[0].core, w.members[1].core
	for name, act := range map[string]func(){
		"propose at a follower":     func() { follower.Propose(nil) },
		"too large a payload":       func() { leader.Propose(make([]byte, MaxPayload+1)) },
		"a clock that goes back":    func() { leader.Tick(leader.now - 1) },
		"a write never handed out":  func() { leader.Persisted(leader.gate.newest + 1) },
		"a write less than before":  func() { leader.Persisted(0) },
		"a message of nobody":       func() { leader.Step(0, &Message{Type: MsgAlive}) },
		"a message of member 4":     func() { leader.Step(4, &Message{Type: MsgAlive}) },
		"a message of itself":       func() { leader.Step(1, &Message{Type: MsgAlive}) },
		"a message of no type":      func() { leader.Step(2, &Message{}) },
		"a snapshot nobody wants":   func() { leader.SnapshotChunk(nil, true) },
		"a stamp of before a reign": func() { leader.LogTime(leader.reign.clock.since - 1) },
	} {
		if got := panicOf(act); !strings.HasPrefix(got, "BUG: ") {
			t.Errorf("%s: %q", name, got)
		}
	}
	hole := Recovered{Entries: []Entry{{Slot: 1}, {Slot: 3}}}
	if got := panicOf(func() { New(Config{Node: 1, Members: 3}, hole, 0) }); !strings.HasPrefix(got, "BUG: ") {
		t.Errorf("a hole in the log: %q", got)
	}
	if got := panicOf(func() { New(Config{Node: 1, Members: 3}, Recovered{Commit: 1}, 0) }); !strings.HasPrefix(got, "BUG: ") {
		t.Errorf("a commit index above the log: %q", got)
	}
}

func panicOf(act func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	act()
	return "no panic"
}

// A snapshot whose chunks do not add up never takes the place of anything.
func TestASnapshotThatDoesNotAddUpIsDropped(t *testing.T) {
	c := led(t, Config{}).members[1].core
	meta := SnapshotMeta{Gen: 7, Slot: 100, Mark: Ballot{1, 1}, Chunks: 2, Bytes: 10}
	var out Output
	c.Step(1, &Message{Type: MsgOffer, Meta: meta})
	c.Step(1, &Message{Type: MsgChunk, Meta: meta, Data: []byte("12345")})
	c.Step(1, &Message{Type: MsgChunk, Meta: meta, Index: 1, Data: []byte("6789")})
	c.Take(&out)
	if len(out.Restores) != 1 || c.applied == meta.Slot || c.fetch.active() {
		t.Errorf("%d chunks restored, applied %d, fetch %+v", len(out.Restores), c.applied, c.fetch)
	}
	c.Step(1, &Message{Type: MsgOffer, Meta: meta})
	c.Step(1, &Message{Type: MsgChunk, Meta: meta, Data: []byte("12345")})
	c.Step(1, &Message{Type: MsgChunk, Meta: meta, Index: 1, Data: []byte("67890")})
	c.Take(&out)
	if len(out.Restores) != 2 || c.applied != meta.Slot {
		t.Errorf("%d chunks restored, applied %d", len(out.Restores), c.applied)
	}
}

// Two values for one slot and ballot, or another value where one is chosen, mean
// that something is broken beyond repair: better to stop than to go on.
func TestConflictingValuesStopAMember(t *testing.T) {
	w := led(t, Config{})
	b := w.members[0].core.promised
	other := Entry{Slot: 1, Ballot: b, Origin: Ballot{Round: 9, Node: 2}, Kind: KindCommands}
	got := panicOf(func() {
		w.members[1].core.Step(1, &Message{Type: MsgAccept, Ballot: b, Entries: []Entry{other}})
	})
	if !strings.HasPrefix(got, "BUG: slot 1 holds") {
		t.Errorf("another value in a chosen slot: %q", got)
	}
	r := recovery{from: 1}
	r.take(&Entry{Slot: 1, Ballot: b, Origin: b})
	if got := panicOf(func() { r.take(&other) }); !strings.HasPrefix(got, "BUG: slot 1 was accepted") {
		t.Errorf("two values at one ballot in promises: %q", got)
	}
}
