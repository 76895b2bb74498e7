package consensus

import (
	"fmt"

	"ticketing/planted"
)

// replay is what the log up to some slot amounts to for the rules of this
// package: whose entries count, and what time it is. It is a function of the
// chosen values alone.
type replay struct {
	mark Ballot // of the last effective LeaderStart
	now  Stamp  // log time
}

// apply takes in the next entry and reports whether it is effective.
//
// A LeaderStart counts only above the mark, and a batch only under the very
// ballot that is the mark: a value of an old leader that nobody chose can
// come back slots later, with its LeaderStart or without.
func (r *replay) apply(e *Entry) bool {
	switch e.Kind {
	case KindLeaderStart:
		if !r.mark.Less(e.Origin) && !planted.Is(planted.ZombieLeaderStart) {
			return false
		}
		r.mark = e.Origin
	case KindCommands, KindReplace:
		if e.Origin != r.mark && !planted.Is(planted.ZombieCommand) {
			return false
		}
	default:
		panic(fmt.Sprintf("BUG: entry %d is of unknown kind %d", e.Slot, e.Kind))
	}
	r.now = max(r.now, e.Stamp)
	return true
}

// clock is log time under one leader: it goes on from base with the leader's
// own monotonic clock.
type clock struct {
	base  Stamp
	since Mono // when log time was base
}

func (k clock) at(m Mono) Stamp {
	if m < k.since {
		panic(fmt.Sprintf("BUG: log time asked for at %d, the reign began at %d", m, k.since))
	}
	return k.base + Stamp(m-k.since)
}

// when is the reading of the clock from which on at gives s or more.
func (k clock) when(s Stamp) Mono {
	if s <= k.base {
		return k.since
	}
	return k.since + Mono(s-k.base)
}

// slowest is the least that a clock can have shown while this node's showed
// d, if each may be wrong by ppm parts in a million: d·(1-ρ)/(1+ρ).
func slowest(d Mono, ppm uint32) Mono {
	const million = 1_000_000
	return d / (million + Mono(ppm)) * (million - Mono(ppm))
}
