package client

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// seedFor draws a seed and logs it, or takes it from CLIENT_SEED.
func seedFor(t *testing.T) uint64 {
	seed := rand.Uint64()
	if given := os.Getenv("CLIENT_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("CLIENT_SEED=%d", seed)
	return seed
}
