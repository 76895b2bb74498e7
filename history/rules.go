package history

import (
	"math"
	"time"
)

// Rules are what the history's server had promised, and what it went through.
type Rules struct {
	// Drift is how far the rate of a server's clock may be from that of the
	// history's clock, as a fraction.
	Drift float64
	// Lazy: the server was in single mode, where an expired key is taken over
	// by the next acquire, past the queue.
	Lazy bool
	// Busy: there were caps that could be reached.
	Busy bool
	// WaitZeroBlocks: a wait of 0 may have meant without limit.
	WaitZeroBlocks bool
	// ReleaseOnGone: a key may have ended with its connection.
	ReleaseOnGone bool
	// CalmFrom is from when on nothing disturbed the server and its clients
	// any more, nanoseconds; 0: something always did. From then on nothing may
	// take longer than it has to by more than Slack.
	CalmFrom int64
	Slack    time.Duration
	// Search bounds the search for an explanation, for each key; 0: no bound.
	Search time.Duration
}

// never is a time after every other.
const never = math.MaxInt64

// least is the shortest time that seconds of log time can have taken.
func (r *Rules) least(seconds uint16) int64 {
	return int64(float64(seconds) * second / (1 + r.Drift))
}

// most is the longest that it can have taken while all was calm.
func (r *Rules) most(seconds uint16) int64 {
	return int64(float64(seconds)*second/(1-r.Drift)) + int64(r.Slack)
}

// by is when something that began at begin and takes seconds is surely over,
// or never if that can't be said.
func (r *Rules) by(begin int64, seconds uint16) int64 {
	if r.CalmFrom == 0 || begin == never {
		return never
	}
	return max(begin, r.CalmFrom) + r.most(seconds)
}

// settled is when an unanswered o can't take effect any more: from the first
// calm moment at which its client had given it up on it either acts at once or
// waits its wait out.
func (r *Rules) settled(o *Op) int64 {
	if o.Kind == Acquire && o.Wait == 0 && r.WaitZeroBlocks {
		return never
	}
	return r.by(o.Return, o.Wait)
}

// sweepEvery is how often a server in single mode frees expired keys that
// nobody asks for.
const sweepEvery = 5 * second

// unnoticed is how long an expired key may still count as held for its holder.
func (r *Rules) unnoticed() int64 {
	if r.Lazy {
		return r.most(sweepEvery / second)
	}
	return 0
}
