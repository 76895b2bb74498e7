package benchmarks

import (
	"fmt"
	"strconv"
	"time"
)

// Result is what a run came to. As JSON it is one line.
type Result struct {
	Target   string  `json:"target"`
	Conns    int     `json:"conns"`
	Pipeline int     `json:"pipeline"`
	Keys     string  `json:"keys"` // "unique", or how many are shared
	Held     int     `json:"held"` // keys that were acquired to stay held
	Seconds  float64 `json:"seconds"`
	// Pairs that were done in time. Of a run that holds keys: grants.
	Pairs uint64 `json:"pairs"`
	// Errors are pairs that went wrong: at a cap, released too late, or never
	// answered.
	Errors uint64 `json:"errors"`
	// Retries are acquires that found the key held and were sent again. Only
	// Redis has them: ticketd has a queue.
	Retries     uint64  `json:"retries"`
	PairsPerSec float64 `json:"pairs_per_s"`
	// Latencies of a whole pair, retries and waits included, in microseconds.
	P50  float64 `json:"p50_us"`
	P99  float64 `json:"p99_us"`
	P999 float64 `json:"p999_us"`
	Max  float64 `json:"max_us"`
}

func (c *Config) result(workers []*worker) Result {
	r := Result{Target: c.Target, Conns: c.Conns, Pipeline: c.Pipeline, Keys: "unique", Held: c.Hold}
	if c.Keys > 0 {
		r.Keys = strconv.Itoa(c.Keys)
	}
	var all histogram
	var longest time.Duration
	for _, w := range workers {
		all.merge(&w.latency)
		r.Errors += w.errors
		r.Retries += w.retries
		longest = max(longest, w.ended)
	}
	r.Pairs = all.total
	r.Seconds = longest.Seconds()
	if r.Seconds > 0 {
		r.PairsPerSec = float64(r.Pairs) / r.Seconds
	}
	micros := func(ns uint64) float64 { return float64(ns) / 1e3 }
	r.P50, r.P99 = micros(all.percentile(500)), micros(all.percentile(990))
	r.P999, r.Max = micros(all.percentile(999)), micros(all.max)
	return r
}

// String is a Result for people.
func (r Result) String() string {
	what := "pairs of acquire and release"
	if r.Held > 0 {
		what = "keys acquired and left held"
	}
	return fmt.Sprintf(`%s: %d connections, %d in flight on each, keys: %s
%d %s in %.2f s: %.0f per second
%d errors, %d retries
latency: median %.0f µs, 99 %% within %.0f µs, 99.9 %% within %.0f µs, longest %.0f µs`,
		r.Target, r.Conns, r.Pipeline, r.Keys, r.Pairs, what, r.Seconds, r.PairsPerSec,
		r.Errors, r.Retries, r.P50, r.P99, r.P999, r.Max)
}
