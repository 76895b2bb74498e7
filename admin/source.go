package admin

import (
	"context"
	"io"
	"time"
)

// Source is where the answers come from. Its functions may be called by any
// number of goroutines, and return soon after ctx ends.
type Source struct {
	// Ready returns nil if requests for locks are answered, else why not.
	Ready func(ctx context.Context) error
	// Metrics writes the Prometheus text.
	Metrics func(ctx context.Context, w io.Writer)
	Status  func(ctx context.Context) (Status, error)
	// Locks lists held keys, those with the oldest grants first.
	Locks func(ctx context.Context, q Query) ([]Lock, error)
}

// Status is what a server says of itself.
type Status struct {
	Version string `json:"version"`
	Mode    string `json:"mode"` // single or cluster
	Cluster string `json:"cluster"`
	Node    int    `json:"node"`
	// Role is single, leader, follower, candidate or learner.
	Role string `json:"role"`
	// Leader is the address at which clients reach whoever leads.
	Leader string `json:"leader"`
	Ballot string `json:"ballot"`
	// Commit and Applied are slots of the log.
	Commit  uint64 `json:"commit"`
	Applied uint64 `json:"applied"`
	// Digests of the lock table after the last multiples of 1,024 slots,
	// oldest first. Equal logs give equal digests.
	Digests  []Digest `json:"digests"`
	LogTimeS float64  `json:"log_time_s"`
	Keys     int      `json:"keys"`
	Waiters  int      `json:"waiters"`
	Conns    int      `json:"conns"`
	UptimeS  float64  `json:"uptime_s"`
	// Durable says whether what is acknowledged survives the process.
	Durable bool `json:"durable"`
}

// Digest is the hash of the lock table after the entry at Index.
type Digest struct {
	Index uint64 `json:"index"`
	Hash  string `json:"hash"` // 16 hexadecimal digits
}

// Lock is one held key. Token and Owner are text, since they need all 64 bits.
type Lock struct {
	Key   string  `json:"key"`
	Token uint64  `json:"token,string"`
	Owner uint64  `json:"owner,string"`
	HeldS float64 `json:"held_s"`
	// RemainingS is 0 for a lease that is over and not cleared away.
	RemainingS float64 `json:"remaining_s"`
	Waiters    int     `json:"waiters"`
}

// Query says which held keys are wanted.
type Query struct {
	Prefix  string
	HeldFor time.Duration // at least
	Limit   int           // at most
}
