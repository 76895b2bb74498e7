package benchmarks

import "time"

const (
	// ConnsMax is the most connections that a run can have.
	ConnsMax = 10_000
	// PipelineMax is the most pairs in flight on each.
	PipelineMax = 4096

	// leaseSeconds is the lease of a pair. No pair should take that long.
	leaseSeconds = 30
	// holdSeconds is the lease of a key that is to stay held.
	holdSeconds = 65_535
	// waitSeconds is how long an acquire waits in the server's queue, where keys
	// are shared and the server has a queue.
	waitSeconds = 60

	// holdTimeout is for all the keys that are to be held.
	holdTimeout = 10 * time.Minute
	// drainTimeout is how long the end of a run waits for what is in flight.
	drainTimeout = 5 * time.Second
	// openTimeout is for one connection with all that its dialect does first.
	openTimeout = 5 * time.Second
	// leaderTimeout is how long a cluster may take to have a leader.
	leaderTimeout = 10 * time.Second

	// readBytes is the most that one read takes.
	readBytes = 64 << 10
)
