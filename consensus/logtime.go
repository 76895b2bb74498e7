package consensus

import "fmt"

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
		if !r.mark.Less(e.Origin) {
			return false
		}
		r.mark = e.Origin
	case KindCommands:
		if e.Origin != r.mark {
			return false
		}
	default:
		panic(fmt.Sprintf("BUG: entry %d is of unknown kind %d", e.Slot, e.Kind))
	}
	r.now = max(r.now, e.Stamp)
	return true
}

// reign is the clock of one leader: log time goes on from base with the
// leader's own monotonic clock.
type reign struct {
	base  Stamp
	since Mono // when log time was base
}

func (r reign) at(m Mono) Stamp {
	if m < r.since {
		panic(fmt.Sprintf("BUG: the clock went back: %d after %d", m, r.since))
	}
	return r.base + Stamp(m-r.since)
}

// when is the reading of the clock from which on at gives s or more.
func (r reign) when(s Stamp) Mono {
	if s <= r.base {
		return r.since
	}
	return r.since + Mono(s-r.base)
}
