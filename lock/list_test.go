package lock

import (
	"fmt"
	"slices"
	"testing"
)

// A list in pieces of any length is the whole list, and a piece can't begin
// behind a grant that has ended.
func TestListInPieces(t *testing.T) {
	table := New()
	table.Start(0, roomy(true))
	var batch []byte
	for i := range 100 {
		batch = AppendAcquire(batch, 1, uint64(i), 0, 60, fmt.Appendf(nil, "key-%d", i))
	}
	table.Apply(1, batch, &discard{})
	// Some are released, and some of those granted anew, behind all others.
	batch = batch[:0]
	table.List(func(h *Held) bool {
		if h.Token%3 == 0 {
			batch = AppendRelease(batch, 1, h.Token, []byte(h.Key))
		}
		if h.Token%6 == 0 {
			batch = AppendAcquire(batch, 1, h.Owner, 0, 60, []byte(h.Key))
		}
		return true
	})
	table.Apply(2, batch, &discard{})
	var whole []Held
	collect := func(to *[]Held, most int) func(*Held) bool {
		return func(h *Held) bool {
			*to = append(*to, *h)
			most--
			return most > 0
		}
	}
	table.List(collect(&whole, 1000))
	for _, piece := range []int{1, 7, len(whole) - 1, len(whole)} {
		var got []Held
		table.List(collect(&got, piece))
		for n := 0; len(got) > n; {
			n = len(got)
			last := got[n-1]
			if !table.ListAfter(last.Key, last.Token, collect(&got, piece)) {
				t.Fatalf("pieces of %d: no list behind %+v", piece, last)
			}
		}
		if !slices.Equal(got, whole) {
			t.Fatalf("pieces of %d: %d locks, want %d", piece, len(got), len(whole))
		}
	}
	table.Apply(3, AppendRelease(nil, 1, whole[0].Token, []byte(whole[0].Key)), &discard{})
	for _, h := range []Held{whole[0], {Key: whole[1].Key, Token: whole[1].Token + 1}, {Key: "never", Token: 1}} {
		if table.ListAfter(h.Key, h.Token, func(*Held) bool { t.Fatal("called"); return true }) {
			t.Fatalf("a list behind %+v", h)
		}
	}
}
