package sim

import "testing"

func TestStreamsOfOneSeedDiffer(t *testing.T) {
	seen := map[uint64]uint64{}
	for name := streamSwarm; name <= streamStore; name++ {
		v := newStream(7, name).Uint64()
		if other, ok := seen[v]; ok {
			t.Errorf("streams %d and %d begin alike", name, other)
		}
		seen[v] = name
		if newStream(7, name).Uint64() != v {
			t.Errorf("stream %d of one seed began twice differently", name)
		}
	}
}

func TestDrawsStayWithinTheirBounds(t *testing.T) {
	r := newStream(*firstSeed, streamHost)
	lo, hi := false, false
	for range 1000 {
		n := r.between(3, 5)
		if n < 3 || n > 5 {
			t.Fatalf("between(3, 5) is %d", n)
		}
		lo, hi = lo || n == 3, hi || n == 5
		if s := r.span(10, 12); s < 10 || s > 12 {
			t.Fatalf("span(10, 12) is %d", s)
		}
		if a := r.around(100); a > 1000 {
			t.Fatalf("around(100) is %d", a)
		}
	}
	if !lo || !hi {
		t.Error("an end of between never came")
	}
	if r.chance(0) || !r.chance(1) {
		t.Error("chance knows neither never nor always")
	}
	if r.span(5, 5) != 5 || r.span(5, 2) != 5 {
		t.Error("an empty span is not its beginning")
	}
}
