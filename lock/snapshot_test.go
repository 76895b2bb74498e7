package lock

import (
	"bytes"
	"fmt"
	"testing"
)

// meanwhile is what can happen to one key while a snapshot is read: in place,
// twice in place, to its holder, to its waiter, to both, to all.
var meanwhile = map[string]func(table *Table, token uint64, key []byte){
	"a keep": func(table *Table, token uint64, key []byte) {
		table.Apply(table.now, AppendKeep(nil, 1, token, 100, key), &discard{})
	},
	"two keeps": func(table *Table, token uint64, key []byte) {
		b := AppendKeep(nil, 1, token, 100, key)
		table.Apply(table.now, AppendKeep(b, 1, token, 200, key), &discard{})
	},
	"a keep and a release": func(table *Table, token uint64, key []byte) {
		b := AppendKeep(nil, 1, token, 100, key)
		table.Apply(table.now, AppendRelease(b, 1, token, key), &discard{})
	},
	"a hand-off": func(table *Table, token uint64, key []byte) {
		table.Apply(table.now, AppendRelease(nil, 1, token, key), &discard{})
	},
	"release, new grant, release": func(table *Table, token uint64, key []byte) {
		b := AppendRelease(nil, 1, token, key)
		b = AppendAcquire(b, 1, 7, 60, 60, key)
		table.Apply(table.now, AppendRelease(b, 1, table.LastToken()+1, key), &discard{})
	},
	"another waiter": func(table *Table, token uint64, key []byte) {
		table.Apply(table.now, AppendAcquire(nil, 1, 7, 60, 60, key), &discard{})
	},
	"its waiter's connection ends": func(table *Table, token uint64, key []byte) {
		table.Apply(table.now, AppendGone(nil, Conn(token)+100), &discard{})
	},
	"all waits end": func(table *Table, token uint64, key []byte) {
		table.Apply(60_000_000_000, nil, &discard{})
	},
	"all connections end": func(table *Table, token uint64, key []byte) {
		var b []byte
		for c := range Conn(200) {
			b = AppendGone(b, c)
		}
		table.Apply(table.now, b, &discard{})
	},
	"a start": func(table *Table, token uint64, key []byte) {
		table.Start(table.now, roomy(true))
	},
}

// Whatever happens to whichever key after however much has been read, alone or
// after another: the chunks are those of the beginning.
func TestASnapshotIsNotTouchedByAnyChange(t *testing.T) {
	const keys = 4
	want := records(tableWithWaiters(keys))
	for one, change := range meanwhile {
		for two, another := range meanwhile {
			for read := range len(want) {
				for i := range uint64(keys) {
					table := tableWithWaiters(keys)
					snapshot := table.Snapshot()
					var got [][]byte
					for range read {
						chunk, _ := snapshot.Next(1)
						got = append(got, chunk)
					}
					change(table, 2+i, numberedKey(i))
					another(table, 2+(i+1)%keys, numberedKey((i+1)%keys))
					got = append(got, chunksOf(snapshot, 1)...)
					if !bytes.Equal(bytes.Join(got, nil), bytes.Join(want, nil)) {
						t.Fatalf("%s to key %d and %s to the next, after %d records", one, i, two, read)
					}
					equalDigests(t, "afterwards", table, copyOf(t, table))
				}
			}
		}
	}
}

// tableWithWaiters has n held keys, tied to a connection each, with a waiter each.
func tableWithWaiters(n uint64) *Table {
	table := New()
	s := roomy(true)
	s.ReleaseOnGone = true
	table.Start(0, s)
	var b []byte
	for i := range n {
		b = AppendAcquire(b, Conn(2+i), i, 0, 60, numberedKey(i))
		b = AppendAcquire(b, Conn(102+i), i, 60, 60, numberedKey(i))
	}
	table.Apply(0, b, &discard{})
	return table
}

func numberedKey(i uint64) []byte { return fmt.Appendf(nil, "key-%d", i) }
