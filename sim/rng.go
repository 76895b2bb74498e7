package sim

import "math/rand/v2"

// stream is one source of random numbers. Each part of the world has its own,
// so that a change in one does not reshuffle the others.
type stream struct{ *rand.Rand }

// The streams of a world.
const (
	streamSwarm uint64 = iota + 1
	streamNetwork
	streamDisk
	streamClock
	streamClients
	streamFaults
	streamHost
	streamStore
)

func newStream(seed, name uint64) stream {
	return stream{rand.New(rand.NewPCG(seed, name*0x9e3779b97f4a7c15))}
}

// chance is true with probability p.
func (s stream) chance(p float64) bool { return p > 0 && s.Float64() < p }

// between is uniform in [lo, hi].
func (s stream) between(lo, hi int) int { return lo + s.IntN(hi-lo+1) }

// span is uniform in [lo, hi].
func (s stream) span(lo, hi Time) Time {
	if hi <= lo {
		return lo
	}
	return lo + Time(s.Uint64N(uint64(hi-lo)+1))
}

// around is exponential with the given mean, cut at ten times of it.
func (s stream) around(mean Time) Time {
	return Time(min(s.ExpFloat64(), 10) * float64(mean))
}
