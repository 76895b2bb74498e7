package lock

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// A walk makes up a log entry by entry, each with a look at the table that the
// entries before it made: so that its tokens are often the right ones and its
// times often those at which something falls due.

// dice are random numbers: rapid's, which shrink, or faster ones.
type dice interface{ IntN(n int) int }

type rapidDice struct{ t *rapid.T }

func (d rapidDice) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "die") }

// seedVariable takes back the seed that a failed walk has printed.
const seedVariable = "LOCK_SEED"

// seeded returns dice for one test, which prints their seed if it fails.
func seeded(t *testing.T) dice {
	seed := rand.Uint64()
	if text := os.Getenv(seedVariable); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
		seed = n
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with %s=%d", seedVariable, seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// entry is one entry of a made-up log.
type entry struct {
	now   Time
	start *Settings // a LeaderStart, or nil
	batch []byte
}

func (e *entry) applyTo(table *Table, sink Sink) {
	if e.start != nil {
		table.Start(e.now, *e.start)
		return
	}
	table.Apply(e.now, e.batch, sink)
}

// transcript is a Sink that keeps what it is told.
type transcript []string

func (r *transcript) Outcome(o *Outcome) {
	*r = append(*r, fmt.Sprintf("%c to c%d, owner %d, token %d, key %q", "?ATBRKN"[o.Verdict], o.Conn, o.Owner, o.Token, o.Key))
}

// walk is a table and the way on from it.
type walk struct {
	dice
	table *Table
	keys  int // how many there are
	conns int
}

func newWalk(d dice) *walk {
	w := &walk{dice: d, table: New(), keys: 6, conns: 4}
	w.table.Start(0, w.settings())
	return w
}

func (w *walk) settings() Settings {
	return Settings{
		Version:          Version,
		MaxKeys:          uint32(2 + w.IntN(w.keys)),
		MaxWaiters:       uint32(w.IntN(9)),
		MaxWaitersPerKey: uint32(1 + w.IntN(5)),
		WaitZeroBlocks:   w.IntN(3) == 0,
		ReleaseOnGone:    w.IntN(2) == 0,
		Lazy:             w.IntN(2) == 0,
		TokenSeed:        uint64(w.IntN(3) * 1000),
	}
}

// next makes up an entry and applies it.
func (w *walk) next(sink Sink) entry {
	e := entry{now: w.time()}
	if w.IntN(50) == 0 {
		s := w.settings()
		e.start = &s
	} else {
		for range w.IntN(6) {
			e.batch = w.command(e.batch, e.now)
		}
	}
	e.applyTo(w.table, sink)
	return e
}

// time is now, or soon, or when something falls due.
func (w *walk) time() Time {
	now := w.table.now
	switch w.IntN(8) {
	case 0, 1:
		return now
	case 2:
		return now + 1
	case 3:
		if at, ok := w.table.NextWait(); ok {
			return max(now, at)
		}
	case 4, 5:
		if at, ok := w.table.NextExpiry(w.IntN(2) == 0); ok {
			return max(now, at)
		}
	}
	return now + Time(w.IntN(4))*1_000_000_000
}

func (w *walk) key() []byte { return walkKey(w.IntN(w.keys)) }

// walkKey makes keys of many lengths, the longest included.
func walkKey(i int) []byte {
	key := fmt.Appendf(nil, "k%d", i)
	if i%3 == 1 {
		key = append(key, "-and-a-longer-name-that-goes-on-and-on"...)
	}
	if i%6 == 5 {
		key = append(key, make([]byte, KeyMax-len(key))...)
	}
	return key
}

// held is a key with its token: mostly of a key that is held.
func (w *walk) held() (token uint64, key []byte) {
	key = w.key()
	if ref := w.table.find(key); ref != 0 && w.IntN(8) > 0 {
		return w.table.term(ref).tie, key
	}
	return w.table.LastToken() - uint64(w.IntN(3)), key
}

func (w *walk) command(b []byte, now Time) []byte {
	c := Conn(w.IntN(w.conns))
	switch w.IntN(12) {
	case 0, 1, 2, 3, 4, 5:
		return AppendAcquire(b, c, uint64(w.IntN(9)), uint16(w.IntN(5)), uint16(w.IntN(6)), w.key())
	case 6, 7:
		token, key := w.held()
		return AppendRelease(b, c, token, key)
	case 8:
		token, key := w.held()
		return AppendKeep(b, c, token, uint16(w.IntN(9)), key)
	case 9:
		return AppendGone(b, c)
	case 10:
		token, key := w.held()
		return AppendExpire(b, token, key)
	}
	b, _ = w.table.AppendExpires(b, now, w.IntN(2) == 0, w.IntN(4))
	return b
}

func equalDigests(t rapid.TB, when string, a, b *Table) {
	t.Helper()
	if a.Digest() != b.Digest() {
		t.Fatalf("%s: digest %016x, and %016x", when, a.Digest(), b.Digest())
	}
}

func equalTranscripts(t rapid.TB, when string, a, b transcript) {
	t.Helper()
	if !slices.Equal(a, b) {
		t.Fatalf("%s:\n%q\nand\n%q", when, a, b)
	}
}

// The index is seeded anew in each table, so two tables agree only if its order
// can't be seen.
func TestTheSameLogGivesTheSameOutcomesAndDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWalk(rapidDice{t})
		other := New()
		other.Start(0, w.table.settings)
		for i := range 60 {
			var one, two transcript
			e := w.next(&one)
			e.applyTo(other, &two)
			equalTranscripts(t, fmt.Sprintf("entry %d", i), one, two)
			equalDigests(t, fmt.Sprintf("entry %d", i), w.table, other)
		}
		equalViews(t, w.table, other)
	})
}

// equalViews compares all that a table shows of itself.
func equalViews(t rapid.TB, a, b *Table) {
	t.Helper()
	if one, two := view(a), view(b); !slices.Equal(one, two) {
		t.Fatalf("views differ:\n%q\nand\n%q", one, two)
	}
}

func view(table *Table) []string {
	var lines []string
	table.List(func(h *Held) bool {
		lines = append(lines, fmt.Sprintf("%+v", *h))
		return true
	})
	for _, onlyWaited := range []bool{false, true} {
		at, ok := table.NextExpiry(onlyWaited)
		batch, n := table.AppendExpires(nil, table.now, onlyWaited, 3)
		lines = append(lines, fmt.Sprint(at, ok, batch, n))
	}
	at, ok := table.NextWait()
	return append(lines, fmt.Sprint(at, ok, table.Keys(), table.Waiters(), table.LastToken()))
}

func TestARestoredTableGoesOnTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWalk(rapidDice{t})
		var ignored transcript
		for range w.IntN(60) {
			w.next(&ignored)
		}
		restored := copyOf(t, w.table)
		equalDigests(t, "restored", w.table, restored)
		equalViews(t, w.table, restored)
		for i := range 30 {
			var one, two transcript
			e := w.next(&one)
			e.applyTo(restored, &two)
			equalTranscripts(t, fmt.Sprintf("entry %d", i), one, two)
			equalDigests(t, fmt.Sprintf("entry %d", i), w.table, restored)
		}
		equalViews(t, w.table, restored)
	})
}

// chunksOf reads a snapshot to its end.
func chunksOf(s *Snapshot, max int) (chunks [][]byte) {
	for last := false; !last; {
		var chunk []byte
		chunk, last = s.Next(max)
		chunks = append(chunks, chunk)
	}
	return chunks
}

func TestASnapshotIsOfItsBeginningWhateverHappensMeanwhile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWalk(rapidDice{t})
		var ignored transcript
		for range w.IntN(60) {
			w.next(&ignored)
		}
		most := 1 + w.IntN(300)
		want := chunksOf(copyOf(t, w.table).Snapshot(), most)
		snapshot := w.table.Snapshot()
		var got [][]byte
		for last := false; !last; {
			for range w.IntN(8) {
				w.next(&ignored)
			}
			var chunk []byte
			chunk, last = snapshot.Next(most)
			got = append(got, chunk)
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("chunks\n%q\nof an untouched copy\n%q", got, want)
		}
	})
}

// A snapshot given up halfway leaves nothing behind for the next.
func TestASnapshotMayBeGivenUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWalk(rapidDice{t})
		var ignored transcript
		for range 4 {
			for range w.IntN(20) {
				w.next(&ignored)
			}
			snapshot := w.table.Snapshot()
			snapshot.Next(1 + w.IntN(200))
			w.next(&ignored)
			snapshot.Close()
			snapshot.Close()
		}
		equalDigests(t, "at the end", w.table, copyOf(t, w.table))
	})
}

// A long walk over thousands of keys: containers grow and shrink again.
func TestALongWalkOverManyKeys(t *testing.T) {
	w := &walk{dice: seeded(t), table: New(), keys: 20_000, conns: 300}
	other := New()
	for round := range 6 {
		w.manyKeys(t, other, 300+300*(round%2))
		equalDigests(t, fmt.Sprintf("round %d", round), w.table, other)
		equalDigests(t, fmt.Sprintf("round %d, copy", round), w.table, copyOf(t, w.table))
	}
	equalViews(t, w.table, other)
}

// manyKeys applies big entries, half of the time with much waiting, to the
// table and to another, which must answer the same.
func (w *walk) manyKeys(t *testing.T, other *Table, entries int) {
	s := Settings{Version: Version, MaxKeys: 15_000, MaxWaiters: 5_000, MaxWaitersPerKey: 50, Lazy: w.IntN(2) == 0, ReleaseOnGone: w.IntN(2) == 0}
	start := entry{now: w.table.now, start: &s}
	start.applyTo(w.table, nil)
	start.applyTo(other, nil)
	for i := range entries {
		var one, two transcript
		e := entry{now: w.time()}
		for range w.IntN(400) {
			e.batch = w.command(e.batch, e.now)
		}
		e.applyTo(w.table, &one)
		e.applyTo(other, &two)
		equalTranscripts(t, fmt.Sprintf("entry %d", i), one, two)
	}
}
