package lock

import (
	"runtime"
	"testing"
)

// many is how many keys make a crowd.
func many() int {
	if testing.Short() {
		return 100_000
	}
	return 1_000_000
}

// A million leases end in one instant. The Expires come in slices, in order,
// none is forgotten or comes twice, and requests between them are served.
func TestAMillionDeadlinesAtOnce(t *testing.T) {
	const slice = 4096
	n := many()
	for _, lazy := range []bool{false, true} {
		table := New()
		table.Start(0, roomy(lazy))
		fillAt(table, 0, n, 10)
		now := Time(10_000_000_000)
		table.Apply(now, AppendAcquire(nil, 1, 1, 60, 60, []byte("other")), &discard{})
		other := table.LastToken()
		var last uint64
		for left := n; left > 0; {
			batch, count := table.AppendExpires(nil, now, false, slice)
			if count != min(left, slice) {
				t.Fatalf("%d expires of %d left", count, left)
			}
			last = mustRise(t, batch, last)
			batch = AppendRelease(batch, 1, other, []byte("other"))
			batch = AppendAcquire(batch, 1, 1, 60, 60, []byte("other"))
			var got transcript
			table.Apply(now, batch, &got)
			if left -= count; len(got) != 2 || table.Keys() != left+1 {
				t.Fatalf("%d keys, want %d; %q", table.Keys(), left+1, got)
			}
			other = table.LastToken()
		}
		if most := cap(table.frontier.items); most > 16*slice {
			t.Errorf("room for %d items to find %d expires", most, slice)
		}
	}
}

// fillAt makes n held keys in one instant.
func fillAt(table *Table, now Time, n int, lease uint16) {
	var batch []byte
	var key [20]byte
	for i := range n {
		writeKey(key[:], uint64(i))
		batch = AppendAcquire(batch, 1, 7, 0, lease, key[:])
		if len(batch) > 1<<16 || i == n-1 {
			table.Apply(now, batch, &discard{})
			batch = batch[:0]
		}
	}
}

// mustRise checks that the tokens of the expires in batch rise from last on.
func mustRise(t *testing.T, batch []byte, last uint64) uint64 {
	t.Helper()
	commands, err := Decode(batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if c.Op != opExpire || c.Token <= last {
			t.Fatalf("%c of token %d after %d", c.Op, c.Token, last)
		}
		last = c.Token
	}
	return last
}

// So many waits end in one instant: each entry answers its share, and its own
// commands all the same, until none is left.
func TestManyWaitsEndAtOnceInSlices(t *testing.T) {
	const n = 3*TimeoutsPerEntry + 100
	table := New()
	table.Start(0, roomy(true))
	batch := AppendAcquire(nil, 1, 0, 0, 60, []byte("a"))
	for i := range uint64(n) {
		batch = AppendAcquire(batch, Conn(i%50), i, 5, 60, []byte("a"))
	}
	table.Apply(0, batch, &discard{})
	now := Time(5_000_000_000)
	var owners ownersOf
	for entries := 1; table.Waiters() > 0; entries++ {
		if at, ok := table.NextWait(); !ok || at > now {
			t.Fatalf("%d wait, the next until %d", table.Waiters(), at)
		}
		before := len(owners)
		table.Apply(now, AppendAcquire(nil, 9, n+1, 0, 60, []byte("a")), &owners)
		if got := len(owners) - before; got != min(TimeoutsPerEntry, n-(entries-1)*TimeoutsPerEntry)+1 {
			t.Fatalf("entry %d ends %d waits", entries, got)
		}
		if owners[len(owners)-1] != n+1 {
			t.Fatal("the command of the entry is not answered last")
		}
		owners = owners[:len(owners)-1]
	}
	for i, owner := range owners {
		if owner != uint64(i) {
			t.Fatalf("owner %d is answered as number %d", owner, i)
		}
	}
}

// ownersOf is a Sink that keeps the owners of those who got T.
type ownersOf []uint64

func (o *ownersOf) Outcome(out *Outcome) {
	if out.Verdict == TimedOut {
		*o = append(*o, out.Owner)
	}
}

func TestAMillionHeldKeysCostLittle(t *testing.T) {
	n := many()
	before := heapInUse()
	table := New()
	table.Start(0, roomy(true))
	fillAt(table, 0, n, 10)
	perKey := float64(heapInUse()-before) / float64(n)
	t.Logf("%.1f bytes a key", perKey)
	if perKey > 100 {
		t.Errorf("%.1f bytes a key of 20 bytes, want at most 100", perKey)
	}
	runtime.KeepAlive(table)
}

// When a burst is over, its memory goes back, but for a few chunks of each
// container; a table that was small stays small.
func TestABurstLeavesLittleBehind(t *testing.T) {
	table := New()
	table.Start(0, roomy(false))
	before := heapInUse()
	fillAt(table, 0, 100_000, 10)
	waitForAll(table, 100_000)
	table.Apply(never-1, nil, &discard{})
	for table.Waiters() > 0 {
		table.Apply(never-1, nil, &discard{})
	}
	for table.Keys() > 0 {
		batch, _ := table.AppendExpires(nil, never-1, false, 1000)
		table.Apply(never-1, batch, &discard{})
	}
	left := heapInUse() - before
	t.Logf("%d KiB are left", left>>10)
	if left > 4<<20 {
		t.Errorf("%d KiB are left of a burst", left>>10)
	}
	runtime.KeepAlive(table)
}

// waitForAll lets an acquire wait for each of n held keys.
func waitForAll(table *Table, n int) {
	var batch []byte
	var key [20]byte
	for i := range n {
		writeKey(key[:], uint64(i))
		batch = AppendAcquire(batch, Conn(i%1000), 7, 5, 10, key[:])
	}
	table.Apply(table.now, batch, &discard{})
}

// The command at which the index doubles is no slower in kind than another: it
// splits one segment, however many keys there are.
func TestGrowthMovesOneSegmentAtATime(t *testing.T) {
	table := New()
	table.Start(0, roomy(true))
	var key [20]byte
	for i := range 30_000 {
		writeKey(key[:], uint64(i))
		before := segmentsOf(&table.index)
		table.Apply(0, AppendAcquire(nil, 1, 7, 0, 10, key[:]), &discard{})
		if after := segmentsOf(&table.index); after > before+1 {
			t.Fatalf("key %d makes %d segments of %d", i, after, before)
		}
	}
}

// segmentsOf counts segments: one that is shallower stands in several places.
func segmentsOf(x *index) int {
	n := 0
	for i := 0; i < len(x.segments); n++ {
		i += 1 << (x.depth - uint(x.segments[i].depth))
	}
	return n
}
