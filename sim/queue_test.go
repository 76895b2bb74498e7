package sim

import (
	"slices"
	"testing"
)

func TestEventsHappenInTheOrderOfTimeAndThenOfPlanning(t *testing.T) {
	r := newStream(*firstSeed, streamHost)
	var q queue
	type planned struct {
		at    Time
		order int
	}
	var want, got []planned
	for i := range 2000 {
		p := planned{Time(r.IntN(100)), i}
		want = append(want, p)
		q.at(p.at, func() {
			if q.now != p.at {
				t.Errorf("event of %d happens at %d", p.at, q.now)
			}
			got = append(got, p)
		})
	}
	slices.SortStableFunc(want, func(a, b planned) int { return int(a.at) - int(b.at) })
	for q.step(1000) {
	}
	if !slices.Equal(got, want) {
		t.Errorf("seed %d: events happened in another order than they were planned in", *firstSeed)
	}
}

func TestWhatIsPlannedForThePastHappensNow(t *testing.T) {
	var q queue
	var order []string
	note := func(s string) func() { return func() { order = append(order, s) } }
	q.at(5, func() {
		q.at(3, note("late"))
		q.after(0, note("at once"))
		q.after(1, note("soon"))
	})
	q.at(5, note("second of 5"))
	for q.step(7) {
	}
	if want := []string{"second of 5", "late", "at once", "soon"}; !slices.Equal(order, want) {
		t.Errorf("got %q, want %q", order, want)
	}
	if q.now != 6 {
		t.Errorf("the clock stands at %d, want 6", q.now)
	}
}

func TestNothingHappensFromTheLimitOn(t *testing.T) {
	var q queue
	q.at(10, func() { t.Error("an event of the limit itself happened") })
	if q.step(10) {
		t.Error("a step was made")
	}
	if q.step(9) || q.now != 0 {
		t.Errorf("the clock moved to %d", q.now)
	}
}
