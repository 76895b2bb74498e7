package sim

import (
	"math"

	"ticketing/consensus"
)

// alwaysLogTime: log time never runs faster than true time by more than the
// drift of the clocks. For every effective batch (it may grant) and each later
// effective entry, the difference of their log times is at most (1+ρ) times the
// true time between their stampings: hence no lease ends early.
type alwaysLogTime struct {
	stampedAt map[stampKey]Time
	next      consensus.Slot // not judged yet
	// least is the smallest of log time - (1+ρ) × true time, over all
	// effective batches so far.
	least float64
	now   consensus.Stamp
}

// stampKey names a value: its origin stamps a slot once.
type stampKey struct {
	origin consensus.Ballot
	slot   consensus.Slot
}

// slack covers the rounding of clocks.
const slack = 10 // nanoseconds

// stamped: a process has made or passed on e. The first time counts.
func (a *alwaysLogTime) stamped(now Time, e *consensus.Entry) {
	if a.stampedAt == nil {
		a.stampedAt = map[stampKey]Time{}
		a.next, a.least = 1, math.Inf(1)
	}
	k := stampKey{e.Origin, e.Slot}
	if _, ok := a.stampedAt[k]; !ok {
		a.stampedAt[k] = now
	}
}

// applied: the first process that applies a slot shows its log time.
func (a *alwaysLogTime) applied(w *World, e *consensus.Chosen) {
	if e.Slot != a.next {
		return
	}
	a.next++
	if !e.Effective {
		return
	}
	if e.Now < a.now {
		failf("log time goes back in slot %d: %d after %d", e.Slot, e.Now, a.now)
	}
	a.now = e.Now
	v := float64(e.Now) - (1+w.params.Drift)*float64(a.stampedAt[stampKey{e.Origin, e.Slot}])
	if v > a.least+slack {
		failf("log time runs ahead of true time by %.0f ns at slot %d", v-a.least, e.Slot)
	}
	if e.Kind == consensus.KindCommands { // nothing else grants
		a.least = min(a.least, v)
	}
}
