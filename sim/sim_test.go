package sim

import (
	"flag"
	"runtime"
	"testing"
)

var (
	firstSeed = flag.Uint64("seed", 1, "seed of the first world")
	worlds    = flag.Int("worlds", 40, "how many worlds")
)

// alone draws the world of seed with a single member.
func alone(seed uint64) Options {
	p := draw(seed)
	p.Members = 1
	p.Settings.Lazy = true
	return Options{Params: &p}
}

func TestASingleServerKeepsItsPromises(t *testing.T) {
	Many(*firstSeed, *worlds, 0, alone, func(r Result) bool {
		if r.Violation != "" || r.Stuck != "" {
			t.Errorf("seed %d: %s%s (again: go test ./sim -run %s -seed %d -worlds 1)",
				r.Seed, r.Violation, r.Stuck, t.Name(), r.Seed)
		}
		return true
	})
}

func TestTheSameSeedGivesTheSameWorld(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+5; seed++ {
		first := Run(seed, alone(seed))
		old := runtime.GOMAXPROCS(1)
		second := Run(seed, alone(seed))
		runtime.GOMAXPROCS(old)
		if first.Hash != second.Hash {
			t.Errorf("seed %d: hash %016x, then %016x", seed, first.Hash, second.Hash)
		}
	}
}
