package sim

import (
	"testing"

	"ticketing/consensus"
)

func TestAClockRunsAtItsRate(t *testing.T) {
	c := clock{base: 1000, rate: 1.5}
	if got := c.read(100); got != 1150 {
		t.Errorf("after 100 it shows %d, want 1150", got)
	}
	c.setRate(100, 0.5)
	if got := c.read(100); got != 1150 {
		t.Errorf("a change of rate moved it to %d", got)
	}
	if got := c.read(300); got != 1250 {
		t.Errorf("200 later it shows %d, want 1250", got)
	}
}

// A timer must never fire early, or its node would plan it again at once; and
// not late either, or a deadline would wait for no reason.
func TestWhenIsTheFirstInstantOfAReading(t *testing.T) {
	r := newStream(*firstSeed, streamClock)
	for range 1000 {
		c := clock{
			base: consensus.Mono(r.span(second, 1_000_000*second)),
			from: r.span(0, 100*second),
			rate: 1 + 0.1*(2*r.Float64()-1),
		}
		m := c.base + consensus.Mono(r.span(0, 100*second))
		at := c.when(m)
		if c.read(at) < m {
			t.Errorf("seed %d: %+v shows %d at %d, which when named for %d", *firstSeed, c, c.read(at), at, m)
		}
		if at > c.from+3 && c.read(at-3) >= m {
			t.Errorf("seed %d: %+v shows %d already at %d, and when named %d", *firstSeed, c, m, at-3, at)
		}
	}
	c := clock{base: 50, from: 7, rate: 1}
	if at := c.when(20); at != 7 {
		t.Errorf("a reading of the past comes at %d, want 7", at)
	}
}
