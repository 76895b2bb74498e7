package consensus

import "math/bits"

// votes is a set of members.
type votes uint8

func (v *votes) add(n NodeID) { *v |= 1 << n }

func (v votes) has(n NodeID) bool { return v&(1<<n) != 0 }

func (v votes) count() int { return bits.OnesCount8(uint8(v)) }

// nth returns the n-th largest of values (1: the largest), which it reorders.
// With a quorum of n it is the most that n members have all reached.
func nth[T Slot | Mono](values []T, n int) T {
	for i := 1; i < len(values); i++ {
		for j := i; j > 0 && values[j] > values[j-1]; j-- {
			values[j], values[j-1] = values[j-1], values[j]
		}
	}
	return values[n-1]
}
