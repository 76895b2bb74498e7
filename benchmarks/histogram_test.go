package benchmarks

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every value is in the bucket whose end is the next at or above it, and no
// bucket is wider than 1/64 of its values.
func TestBucketsCoverAllValues(t *testing.T) {
	check := func(ns uint64) {
		i := bucket(ns)
		if end := bucketEnd(i); end < ns || end-ns > ns/64 {
			t.Fatalf("%d is in bucket %d, which ends at %d", ns, i, end)
		}
		if i > 0 && bucketEnd(i-1) >= ns {
			t.Fatalf("%d is in bucket %d, but fits the one before", ns, i)
		}
	}
	for ns := range uint64(100_000) {
		check(ns)
	}
	for power := range histogramBits {
		for _, off := range []int64{-1, 0, 1} {
			if ns := int64(1)<<power + off; ns > 0 {
				check(uint64(ns))
			}
		}
	}
	var h histogram
	if i := bucket(1 << 60); i != len(h.counts)-1 {
		t.Errorf("the largest values are in bucket %d of %d", i, len(h.counts))
	}
}

func TestPercentilesAreThoseOfTheSortedValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all, a, b histogram
	var values []uint64
	for range 10_000 {
		ns := random.Uint64() >> (30 + random.IntN(34))
		values = append(values, ns)
		if random.IntN(2) == 0 {
			a.add(ns)
		} else {
			b.add(ns)
		}
	}
	all.merge(&a)
	all.merge(&b)
	slices.Sort(values)
	for _, perMille := range []uint64{1, 500, 990, 999, 1000} {
		want := values[(10_000*perMille+999)/1000-1]
		if got := all.percentile(perMille); got < want || got-want > want/64 {
			t.Errorf("%d per mille: got %d, want %d", perMille, got, want)
		}
	}
	if all.max != values[9999] || all.total != 10_000 {
		t.Errorf("max %d, total %d", all.max, all.total)
	}
	var empty histogram
	if got := empty.percentile(500); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}
