package consensus

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// seedVariable takes back the seed that a failed random test has printed.
const seedVariable = "CONSENSUS_SEED"

// seed returns the seed of a random test: the one asked for, or a new one.
func seed(t testing.TB) uint64 {
	text := os.Getenv(seedVariable)
	if text == "" {
		return rand.Uint64()
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return n
}

// seeded returns random numbers for one test; the function it returns prints
// the seed when the test has failed.
func seeded(t testing.TB) (*rand.Rand, func()) {
	n := seed(t)
	return rand.New(rand.NewPCG(n, 0)), func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v", r)
			t.Logf("again with %s=%d", seedVariable, n)
			panic(r)
		}
		if t.Failed() {
			t.Logf("again with %s=%d", seedVariable, n)
		}
	}
}
