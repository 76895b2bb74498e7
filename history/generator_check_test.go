package history

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var firstSeed = flag.Uint64("seed", 1, "seed of the first random history")

func generatedRules(lazy bool) Rules {
	return Rules{Lazy: lazy, CalmFrom: 1, Slack: 200 * time.Millisecond}
}

func TestWhatARightServerAnswersIsExplained(t *testing.T) {
	granted, unknown := 0, 0
	for seed := *firstSeed; seed < *firstSeed+60; seed++ {
		lazy := seed%2 == 0
		ops := generate(rand.New(rand.NewPCG(seed, 0)), lazy)
		if f := Check(ops, generatedRules(lazy)); f.Verdict != Explained {
			t.Errorf("-seed %d: %v: key %q: %s", seed, f.Verdict, f.Key, f.Why)
		}
		for i := range ops {
			switch ops[i].Outcome {
			case Granted:
				granted++
			case Unknown:
				unknown++
			}
		}
	}
	if granted < 60*20 || unknown < 60*3 {
		t.Errorf("-seed %d: only %d grants and %d unknown outcomes in 60 histories", *firstSeed, granted, unknown)
	}
}

// pick returns some operation that is as wanted, or nil.
func pick(ops []Op, rng *rand.Rand, is func(*Op) bool) *Op {
	for range 10 * len(ops) {
		if o := &ops[rng.IntN(len(ops))]; is(o) {
			return o
		}
	}
	return nil
}

func outcome(want Outcome) func(*Op) bool {
	return func(o *Op) bool { return o.Outcome == want }
}

// Each way of falsifying a right history must be noticed nearly always. Where
// it is not, the false history happens to be right too.
func TestFalsifiedHistoriesAreRefused(t *testing.T) {
	f := func(name string, atLeast int, falsify func(ops []Op, rng *rand.Rand) bool) {
		t.Helper()
		tried, caught := 0, 0
		for seed := *firstSeed; seed < *firstSeed+40; seed++ {
			rng := rand.New(rand.NewPCG(seed, 0))
			ops := generate(rng, false)
			if !falsify(ops, rng) {
				continue
			}
			tried++
			if Check(ops, generatedRules(false)).Verdict == Violated {
				caught++
			}
		}
		if tried < 20 || caught*100 < atLeast*tried {
			t.Errorf("-seed %d: %s: %d of %d noticed, want %d %%", *firstSeed, name, caught, tried, atLeast)
		}
	}
	f("a release that freed nothing", 80, func(ops []Op, rng *rand.Rand) bool {
		o := pick(ops, rng, outcome(Released))
		if o != nil {
			o.Outcome = NotHeld
		}
		return o != nil
	})
	f("a token too high", 90, func(ops []Op, rng *rand.Rand) bool {
		o := pick(ops, rng, outcome(Granted))
		if o != nil {
			o.Token += 20
		}
		return o != nil
	})
	f("a grant in place of a time-out", 90, func(ops []Op, rng *rand.Rand) bool {
		o := pick(ops, rng, func(o *Op) bool { return o.Outcome == TimedOut && o.Wait == 0 })
		if o != nil {
			before := uint64(0)
			for i := range ops {
				if ops[i].Outcome == Granted && ops[i].Return <= o.Call {
					before = max(before, ops[i].Token)
				}
			}
			// Tokens go in steps of one: make room for one more.
			for i := range ops {
				ops[i].Token *= 2
			}
			o.Outcome, o.Token = Granted, 2*before+1
		}
		return o != nil
	})
	f("a release later than it was", 70, func(ops []Op, rng *rand.Rand) bool {
		o := pick(ops, rng, outcome(Released))
		if o != nil {
			o.Call, o.Return = o.Call+second, o.Return+second
		}
		return o != nil
	})
	f("a lease longer than was asked for", 20, func(ops []Op, rng *rand.Rand) bool {
		o := pick(ops, rng, outcome(Granted))
		if o != nil {
			o.Lease += 10
		}
		return o != nil
	})
}

// A search that has too much to do says so.
func TestASearchThatIsCutShortIsInconclusive(t *testing.T) {
	ops := []Op{{Conn: 1, Kind: Acquire, Key: "k", Lease: 60000, Return: 1, Outcome: Granted, Token: 7}}
	for i := range 60 {
		ops = append(ops, Op{Conn: 2 + i, Kind: Acquire, Key: "k", Lease: 1, Call: 2, Return: 10 * second, Outcome: TimedOut})
	}
	// Not held, though it is: refuted only by trying every order of the others.
	ops = append(ops, Op{Conn: 1, Kind: Release, Key: "k", Token: 7, Call: 5 * second, Return: 6 * second, Outcome: NotHeld})
	f := Check(ops, Rules{Search: 30 * time.Millisecond})
	if f.Verdict != Inconclusive {
		t.Errorf("got %v (%s), want inconclusive", f.Verdict, f.Why)
	}
	for v, want := range map[Verdict]string{Explained: "explained", Violated: "violated", Inconclusive: "inconclusive"} {
		if v.String() != want {
			t.Errorf("%d is called %q", v, v)
		}
	}
}

// A holder that releases after its lease, while many wait: whoever gets the key
// next gets it by the release, which the search must not have to find out.
func TestALateReleaseCostsNoSearch(t *testing.T) {
	ops := []Op{
		{Conn: 1, Kind: Acquire, Key: "k", Lease: 1, Return: 1, Outcome: Granted, Token: 7},
		{Conn: 2, Kind: Acquire, Key: "k", Wait: 60, Lease: 60, Call: 2, Return: 9 * second, Outcome: Granted, Token: 8},
	}
	for i := range 60 {
		ops = append(ops, Op{Conn: 3 + i, Kind: Acquire, Key: "k", Lease: 1, Call: 3, Return: 9 * second, Outcome: TimedOut})
	}
	ops = append(ops, Op{Conn: 1, Kind: Release, Key: "k", Token: 7, Call: 8 * second, Return: 9 * second, Outcome: Released})
	if f := Check(ops, Rules{Search: 10 * time.Second}); f.Verdict != Explained {
		t.Errorf("got %v (%s)", f.Verdict, f.Why)
	}
}
