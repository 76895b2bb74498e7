package main

import (
	"bytes"
	"encoding/json"
	"slices"

	"ticketing/benchmarks"
)

// record is one figure: a load on one target, or what its keys cost in memory.
type record struct {
	machine

	Regime string `json:"regime"` // see plan.go
	Load   string `json:"load"`
	Target string `json:"target"`
	// Server and Command made this figure; ADDR stands for where the server was.
	Server  string `json:"server"`
	Command string `json:"command"`
	// Held is how many keys were held all the while.
	Held int `json:"held"`

	// Runs are the pairs per second of each round; the other figures are the
	// medians over the rounds, each for itself. Errors and retries are sums.
	Runs        []float64 `json:"runs,omitempty"`
	PairsPerSec float64   `json:"pairs_per_s,omitempty"`
	P50         float64   `json:"p50_us,omitempty"`
	P99         float64   `json:"p99_us,omitempty"`
	P999        float64   `json:"p999_us,omitempty"`
	Max         float64   `json:"max_us,omitempty"`
	Errors      uint64    `json:"errors"`
	Retries     uint64    `json:"retries"`
	// Ratio is ticketd's pairs per second over those of Redis.
	Ratio float64 `json:"ratio,omitempty"`

	// ResidentBytes is the memory of the server with all its keys, EmptyBytes
	// before there were any.
	ResidentBytes uint64 `json:"resident_bytes,omitempty"`
	EmptyBytes    uint64 `json:"empty_bytes,omitempty"`
}

// take fills in the figures of the rounds.
func (r *record) take(rounds []benchmarks.Result) {
	of := func(f func(benchmarks.Result) float64) float64 {
		values := make([]float64, len(rounds))
		for i, round := range rounds {
			values[i] = f(round)
		}
		return median(values)
	}
	for _, round := range rounds {
		r.Runs = append(r.Runs, round.PairsPerSec)
		r.Errors += round.Errors
		r.Retries += round.Retries
	}
	r.PairsPerSec = of(func(b benchmarks.Result) float64 { return b.PairsPerSec })
	r.P50 = of(func(b benchmarks.Result) float64 { return b.P50 })
	r.P99 = of(func(b benchmarks.Result) float64 { return b.P99 })
	r.P999 = of(func(b benchmarks.Result) float64 { return b.P999 })
	r.Max = of(func(b benchmarks.Result) float64 { return b.Max })
}

// median of an even number of values is the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func jsonLines(records []record) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
