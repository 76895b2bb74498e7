package benchmarks

import "math/bits"

// histogram counts latencies in nanoseconds in buckets that are at most 1/64 of
// their value wide, up to 2^histogramBits. Counting allocates nothing.
type histogram struct {
	counts [(histogramBits - subBits + 1) << subBits]uint64
	total  uint64
	max    uint64
}

const (
	subBits       = 6  // 64 buckets for each power of two
	histogramBits = 37 // up to 137 s; what is longer is counted as that
)

// bucket: values below 2^subBits have a bucket each; above, a value is shifted
// down until it has subBits+1 bits, and its bucket is named by the shift and
// the low bits.
func bucket(ns uint64) int {
	ns = min(ns, 1<<histogramBits-1)
	shift := max(bits.Len64(ns)-subBits-1, 0)
	return shift<<subBits + int(ns>>shift)
}

// bucketEnd is the largest value that is counted in bucket i.
func bucketEnd(i int) uint64 {
	if i < 2<<subBits {
		return uint64(i)
	}
	shift := i>>subBits - 1
	low := uint64(i) - uint64(shift)<<subBits
	return (low+1)<<shift - 1
}

func (h *histogram) add(ns uint64) {
	h.counts[bucket(ns)]++
	h.total++
	h.max = max(h.max, ns)
}

func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.max = max(h.max, o.max)
}

// percentile returns a value that perMille of a thousand are not above, to the
// width of a bucket; 0 of an empty histogram.
func (h *histogram) percentile(perMille uint64) uint64 {
	rank := (h.total*perMille + 999) / 1000
	seen := uint64(0)
	for i, n := range h.counts {
		if seen += n; n > 0 && seen >= rank {
			return min(bucketEnd(i), h.max)
		}
	}
	return 0
}
