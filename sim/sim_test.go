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

func alone(uint64) Options { return Options{Members: 1} }

func asDrawn(uint64) Options { return Options{} }

// keepTheirPromises lives through worlds and demands that all is well.
func keepTheirPromises(t *testing.T, opt func(uint64) Options) {
	t.Helper()
	Many(*firstSeed, *worlds, 0, opt, func(r Result) bool {
		if r.Failed() {
			t.Errorf("seed %d: %s%s%s (again: go test ./sim -run %s -seed %d -worlds 1)",
				r.Seed, r.Violation, r.Stuck, r.Unjudged, t.Name(), r.Seed)
		}
		return true
	})
}

func TestASingleServerKeepsItsPromises(t *testing.T) { keepTheirPromises(t, alone) }

func TestClustersKeepTheirPromises(t *testing.T) { keepTheirPromises(t, asDrawn) }

func TestTheSameSeedGivesTheSameWorld(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+5; seed++ {
		first := Run(seed, asDrawn(seed))
		old := runtime.GOMAXPROCS(1)
		second := Run(seed, asDrawn(seed))
		runtime.GOMAXPROCS(old)
		if first.Hash != second.Hash {
			t.Errorf("seed %d: hash %016x, then %016x", seed, first.Hash, second.Hash)
		}
	}
}
