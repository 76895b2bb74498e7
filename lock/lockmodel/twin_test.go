package lockmodel

import (
	"slices"
	"testing"
)

// A twin is a model with one rule broken. That each of them loses a duel soon
// shows that the generator reaches the rule and that the comparison sees it.

// twin is how a rule is broken: each part runs around what the model does.
// A part that is nil leaves the model alone.
type twin struct {
	rule    string
	start   func(m *Model, run func())
	timeOut func(m *Model, run func())
	command func(m *Model, c Command, run func(Command))
}

// broken is a twin at work.
type broken struct {
	*Model
	twin twin
}

func (b broken) play(s step) []Outcome {
	m := b.Model
	if s.start != nil {
		b.twin.start(m, func() { m.Start(s.now, *s.start) })
		return nil
	}
	m.advance(s.now)
	m.outcomes = nil
	b.twin.timeOut(m, m.timeOut)
	for _, c := range s.batch {
		b.twin.command(m, c, m.apply)
	}
	return m.outcomes
}

func (w twin) challenger(timeoutsPerEntry int) func() subject {
	plain := func(_ *Model, run func()) { run() }
	if w.start == nil {
		w.start = plain
	}
	if w.timeOut == nil {
		w.timeOut = plain
	}
	if w.command == nil {
		w.command = func(_ *Model, c Command, run func(Command)) { run(c) }
	}
	return func() subject { return broken{New(timeoutsPerEntry), w} }
}

// lastWorld is how many worlds a twin may survive at most.
const lastWorld = 300

func TestEveryTwinIsCaught(t *testing.T) {
	for _, w := range slices.Concat(acquireTwins, roomTwins, endTwins, goneTwins, entryTwins) {
		t.Run(w.rule, func(t *testing.T) {
			mustCatch(t, contest{timeoutsPerEntry: 2, challenger: w.challenger(2)})
		})
	}
}

func mustCatch(t *testing.T, c contest) {
	t.Helper()
	played := 0
	for seed := uint64(1); seed <= lastWorld; seed++ {
		log, difference := c.world(seed)
		played += commands(log)
		if difference != "" {
			t.Logf("caught after %d commands", played)
			return
		}
	}
	t.Fatalf("survived %d commands", played)
}

func TestAnUnbrokenTwinIsNotCaught(t *testing.T) {
	c := contest{timeoutsPerEntry: 2, challenger: twin{}.challenger(2)}
	for seed := uint64(1); seed <= lastWorld; seed++ {
		if log, difference := c.world(seed); difference != "" {
			t.Fatalf("seed %d:\n%s", seed, c.story(c.shrink(log)))
		}
	}
}

func TestAFailureIsShrunk(t *testing.T) {
	c := contest{timeoutsPerEntry: 2, challenger: endTwins[0].challenger(2)} // last in, first out
	log, _ := c.world(1)
	shrunk := c.shrink(log)
	if at, _ := c.duel(shrunk); at != len(shrunk)-1 || commands(shrunk) > 10 {
		t.Fatalf("%d commands shrink to %d, which fail at step %d:\n%s", commands(log), commands(shrunk), at, c.story(shrunk))
	}
}
