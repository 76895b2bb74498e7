package consensus

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// dumbNth tries every value: the largest that at least n of them reach.
func dumbNth(values []Slot, n int) Slot {
	best := Slot(0)
	for _, v := range values {
		reached := 0
		for _, w := range values {
			if w >= v {
				reached++
			}
		}
		if reached >= n {
			best = max(best, v)
		}
	}
	return best
}

func TestNthAgreesWithItsTwin(t *testing.T) {
	for _, members := range []int{1, 3, 5} {
		values := make([]Slot, members)
		for code := range pow(4, members) {
			for i := range values {
				values[i] = Slot(code / pow(4, i) % 4)
			}
			for n := 1; n <= members; n++ {
				if got, want := nth(slices.Clone(values), n), dumbNth(values, n); got != want {
					t.Fatalf("the %d-th largest of %v is %d, not %d", n, values, want, got)
				}
			}
		}
	}
}

func pow(base, exponent int) int {
	n := 1
	for range exponent {
		n *= base
	}
	return n
}

func TestTwoQuorumsAlwaysMeet(t *testing.T) {
	for _, members := range []int{1, 3, 5} {
		quorum := members/2 + 1
		for a := range votes(1 << members) {
			for b := range votes(1 << members) {
				if a.count() >= quorum && b.count() >= quorum && (a&b).count() == 0 {
					t.Errorf("of %d members %05b and %05b are both a majority", members, a, b)
				}
			}
		}
	}
}

func TestVotesAreASet(t *testing.T) {
	var v votes
	for _, n := range []NodeID{5, 1, 5, 3, 1} {
		v.add(n)
	}
	if v.count() != 3 || !v.has(1) || v.has(2) || !v.has(3) || v.has(4) || !v.has(5) {
		t.Errorf("1, 3 and 5 were added: %08b", v)
	}
}

// randomLogs are what members may have accepted: from slot 3 on, contiguous,
// and with one value for each ballot and slot.
func randomLogs(rng *rand.Rand, members int) [][]Entry {
	logs := make([][]Entry, members)
	for i := range logs {
		for s := range rng.IntN(7) {
			b := Ballot{Round: uint64(1 + rng.IntN(4)), Node: 1}
			logs[i] = append(logs[i], Entry{Slot: Slot(3 + s), Ballot: b, Origin: b, Kind: KindCommands})
		}
	}
	return logs
}

// dumbRecovery looks through all logs for each slot.
func dumbRecovery(logs [][]Entry) []Entry {
	var best []Entry
	for s := Slot(3); ; s++ {
		var found *Entry
		for _, log := range logs {
			for i := range log {
				if e := &log[i]; e.Slot == s && (found == nil || found.Ballot.Less(e.Ballot)) {
					found = e
				}
			}
		}
		if found == nil {
			return best
		}
		best = append(best, *found)
	}
}

func TestRecoveryAgreesWithItsTwin(t *testing.T) {
	rng, done := seeded(t)
	defer done()
	same := func(a, b Entry) bool { return a.Slot == b.Slot && a.Ballot == b.Ballot && a.Origin == b.Origin }
	for range 3000 {
		logs := randomLogs(rng, 3+2*rng.IntN(2))
		r := recovery{from: 3}
		for i := range logs[0] {
			r.take(&logs[0][i])
		}
		promises := randomChunks(rng, logs)
		complete := 1
		for _, p := range promises {
			if r.add(p.from, &p.m) {
				complete |= 1 << (p.from - 1)
			}
		}
		var counted [][]Entry
		for i, log := range logs {
			if complete>>i&1 == 1 {
				counted = append(counted, log)
			}
		}
		if got, want := r.complete(), dumbRecovery(counted); !slices.EqualFunc(got, want, same) {
			t.Fatalf("of %+v\n%+v is recovered\n%+v should be", counted, got, want)
		}
	}
}

// randomChunks cuts the promises of all but the first into chunks, in any
// order, some twice and some never.
func randomChunks(rng *rand.Rand, logs [][]Entry) []packet {
	var chunks []packet
	for i, log := range logs[1:] {
		m := Message{Type: MsgPromise, Slot: 3, Last: Slot(2 + len(log))}
		for rest := log; ; {
			n := min(len(rest), 1+rng.IntN(3))
			m.Entries, rest = rest[:n], rest[n:]
			for range []int{0, 1, 1, 1, 1, 1, 1, 2}[rng.IntN(8)] {
				chunks = append(chunks, packet{from: NodeID(i + 2), m: m})
			}
			if len(rest) == 0 {
				break
			}
		}
	}
	rng.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	return chunks
}
