package sim

import (
	"bytes"
	"testing"
)

func TestSegmentsAreTheBytesInOrderCutAnywhere(t *testing.T) {
	w := &World{clientRand: newStream(*firstSeed, streamClients)}
	whole := []byte("a frame and another frame")
	most := 0
	for _, cut := range []float64{0, 0.5, 1} {
		w.params.Client.Cut = cut
		for range 200 {
			var got []byte
			parts := 0
			w.segments(whole, func(b []byte) {
				if len(b) == 0 || cap(b) != len(b) {
					t.Fatalf("a segment of %d bytes with room for %d", len(b), cap(b))
				}
				got = append(got, b...)
				parts++
			})
			if !bytes.Equal(got, whole) {
				t.Fatalf("seed %d: got %q", *firstSeed, got)
			}
			if cut == 0 && parts != 1 {
				t.Fatalf("%d segments where none is cut", parts)
			}
			most = max(most, parts)
		}
	}
	if most < 3 {
		t.Errorf("seed %d: never more than %d segments", *firstSeed, most)
	}
}

func TestAStreamKeepsItsOrder(t *testing.T) {
	w := &World{clientRand: newStream(*firstSeed, streamClients)}
	w.params.Client.Delay = millisecond
	s := &session{w: w}
	var got []int
	for i := range 100 {
		s.later(&s.toServer, func() { got = append(got, i) })
	}
	for w.step(second) {
	}
	for i, v := range got {
		if i != v {
			t.Fatalf("seed %d: arrived as %v", *firstSeed, got)
		}
	}
	if len(got) != 100 {
		t.Errorf("%d of 100 arrived", len(got))
	}
}
