package consensus

import (
	"slices"
	"testing"
)

func TestWindowAgreesWithASlice(t *testing.T) {
	rng, done := seeded(t)
	defer done()
	for range 200 {
		var w window
		var plain []Entry // of slots w.first and on
		w.first = Slot(1 + rng.IntN(3))
		for step := range 300 {
			switch n := rng.IntN(10); {
			case n < 5:
				e := Entry{Slot: w.last() + 1, Stamp: Stamp(step), Payload: make([]byte, rng.IntN(9))}
				w.put(e)
				plain = append(plain, e)
			case n < 8 && len(plain) > 0:
				i := rng.IntN(len(plain))
				e := Entry{Slot: plain[i].Slot, Stamp: Stamp(step), Payload: make([]byte, rng.IntN(9))}
				w.put(e)
				plain[i] = e
			default:
				drop := min(rng.IntN(4), len(plain))
				w.dropTo(w.first + Slot(drop) - 1)
				plain = plain[drop:]
			}
			checkWindow(t, &w, plain)
		}
	}
}

func checkWindow(t *testing.T, w *window, plain []Entry) {
	t.Helper()
	var bytes uint64
	for i := range plain {
		bytes += cost(&plain[i])
		if got := w.at(plain[i].Slot); got.Slot != plain[i].Slot || got.Stamp != plain[i].Stamp {
			t.Fatalf("slot %d holds %+v, not %+v", plain[i].Slot, *got, plain[i])
		}
	}
	if w.count != len(plain) || w.bytes != bytes {
		t.Fatalf("%d entries of %d bytes, not %d of %d", w.count, w.bytes, len(plain), bytes)
	}
}

func TestWindowBeginsAboveWhatWasDropped(t *testing.T) {
	w := window{first: 1}
	w.put(Entry{Slot: 1})
	w.dropTo(7)
	if w.first != 8 || w.last() != 7 || w.count != 0 {
		t.Fatalf("the window is %d..%d", w.first, w.last())
	}
	w.put(Entry{Slot: 8})
	if w.last() != 8 {
		t.Fatalf("the window ends at %d", w.last())
	}
}

func TestSliceStopsAtItsLimitButNeverAtNothing(t *testing.T) {
	w := window{first: 1}
	for s := range Slot(5) {
		w.put(Entry{Slot: s + 1, Payload: make([]byte, 36)}) // 100 bytes each
	}
	slots := func(entries []Entry) (out []Slot) {
		for i := range entries {
			out = append(out, entries[i].Slot)
		}
		return out
	}
	for _, c := range []struct {
		from, to Slot
		limit    uint64
		want     []Slot
	}{
		{1, 5, 1000, []Slot{1, 2, 3, 4, 5}},
		{2, 4, 1000, []Slot{2, 3, 4}},
		{1, 5, 200, []Slot{1, 2}},
		{1, 5, 199, []Slot{1}},
		{4, 5, 1, []Slot{4}},
		{6, 5, 1000, nil},
	} {
		if got := slots(w.slice(c.from, c.to, c.limit)); !slices.Equal(got, c.want) {
			t.Errorf("slots %d..%d in %d bytes: %v, not %v", c.from, c.to, c.limit, got, c.want)
		}
	}
}
