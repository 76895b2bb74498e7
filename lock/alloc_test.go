//go:build !invariants

package lock

import "testing"

// Whatever a table does again and again allocates nothing.
func TestNothingIsAllocatedPerCommand(t *testing.T) {
	for name, s := range map[string]Settings{
		"lazy":             {Lazy: true},
		"strict":           {},
		"release on gone":  {Lazy: true, ReleaseOnGone: true},
		"wait zero blocks": {WaitZeroBlocks: true},
	} {
		s.Version, s.MaxKeys, s.MaxWaiters, s.MaxWaitersPerKey = Version, 1000, 1000, 1000
		table := New()
		table.Start(0, s)
		round := roundOf(table)
		round()
		if n := testing.AllocsPerRun(200, round); n != 0 {
			t.Errorf("%s: %v allocations a round", name, n)
		}
	}
}

// roundOf returns a round of all commands with all their outcomes, that ends
// with an empty table.
func roundOf(table *Table) func() {
	var batch []byte
	var sink discard
	key, other := []byte("some-key"), []byte("another")
	return func() {
		token := table.LastToken()
		batch = AppendAcquire(batch[:0], 1, 1, 0, 10, key)
		batch = AppendAcquire(batch, 2, 2, 60, 10, key)
		batch = AppendAcquire(batch, 3, 3, 1, 10, key)
		batch = AppendAcquire(batch, 4, 4, 60, 10, key)
		batch = AppendAcquire(batch, 5, 5, 0, 2, other)
		batch = AppendKeep(batch, 1, token+1, 20, key)
		batch = AppendRelease(batch, 1, token+1, key)
		table.Apply(table.now+1_000_000_000, batch, &sink)
		batch = AppendGone(AppendGone(batch[:0], 4), 9)
		table.Apply(table.now+2_000_000_000, batch, &sink)
		batch, _ = table.AppendExpires(batch[:0], table.now, false, 10)
		table.Apply(table.now, batch, &sink)
		table.Apply(table.now+30_000_000_000, nil, &sink)
		for table.Keys() > 0 {
			batch, _ = table.AppendExpires(batch[:0], table.now, false, 10)
			table.Apply(table.now+10_000_000_000, batch, &sink)
		}
	}
}
