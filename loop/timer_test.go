package loop

import (
	"slices"
	"testing"
	"time"

	"ticketing/consensus"
)

// Decision 17: the replica is flushed when it asked to be, within a few
// milliseconds, and not before, though nothing happens.
func TestWakeIsPrompt(t *testing.T) {
	ts := start(t, nil)
	var late []time.Duration
	for range 20 {
		want := after(BootClock(), 20*time.Millisecond)
		look(ts.fake, func() int { ts.fake.wake, ts.fake.flushed = want, nil; return 0 })
		ts.post()
		var at consensus.Mono
		eventually(t, "the replica is flushed", func() bool {
			flushed := look(ts.fake, func() []consensus.Mono { return slices.Clone(ts.fake.flushed) })
			if i := slices.IndexFunc(flushed, func(m consensus.Mono) bool { return m >= want }); i >= 0 {
				at = flushed[i]
			}
			return at != 0
		})
		look(ts.fake, func() int { ts.fake.wake = 0; return 0 })
		late = append(late, time.Duration(at-want))
	}
	slices.Sort(late)
	t.Logf("late by %v (median), %v (most)", late[len(late)/2], late[len(late)-1])
	if median := late[len(late)/2]; median > 5*time.Millisecond {
		t.Fatalf("the median is %v late", median)
	}
}

// A wake that is due already is a round at once; without one an idle server
// does nothing.
func TestIdleServerSleeps(t *testing.T) {
	ts := start(t, nil)
	if err := ts.Do(t.Context(), func() {}); err != nil {
		t.Fatal(err)
	}
	rounds := ts.metric("ticketd_rounds_total")
	<-time.After(50 * time.Millisecond)
	if got := ts.metric("ticketd_rounds_total"); got != rounds {
		t.Fatalf("%s rounds, then %s", rounds, got)
	}
}

// A replica that wants one round after the other, as for a snapshot, does not
// keep the loop from its sockets.
func TestReplicaThatIsNeverDoneHoldsUpNobody(t *testing.T) {
	ts := start(t, nil)
	look(ts.fake, func() int { ts.fake.wake = 1; return 0 })
	ts.post()
	c := ts.connect(t)
	for i := range 100 {
		if got := c.acquire(uint64(i), "k"); got.owner != uint64(i) {
			t.Fatalf("got %+v", got)
		}
	}
	if n := look(ts.fake, func() int { return len(ts.fake.flushed) }); n < 100 {
		t.Fatalf("only %d rounds", n)
	}
	c.Close()
	eventually(t, "the connection has ended", func() bool { return ts.conns.Load() == 0 })
}

func TestAlarmKeepsTheEarliest(t *testing.T) {
	rang := make(chan bool, 10)
	a := newAlarm(func() { rang <- true })
	defer a.stop()
	now := BootClock()
	a.set(after(now, time.Millisecond), now)
	a.set(after(now, time.Hour), now) // does not put it off
	a.set(0, now)                     // nor does never
	<-rang
	a.hush()
	a.set(after(now, -time.Second), BootClock()) // overdue
	<-rang
}

func TestDeadlinesComeInOrder(t *testing.T) {
	var d deadlines
	var conns []*conn
	for i := range 100 {
		c := newConn()
		d.set(c, consensus.Mono(1+(i*37)%100))
		conns = append(conns, c)
	}
	for _, c := range conns[:50] {
		d.remove(c)
		d.remove(c) // harmless
	}
	for _, c := range conns[50:75] {
		d.set(c, c.due+200)
	}
	var last consensus.Mono
	for n := 0; ; n++ {
		c := d.first(1000)
		if c == nil {
			if n != 50 {
				t.Fatalf("%d deadlines came", n)
			}
			break
		}
		if c.due < last || c.due != d.next() {
			t.Fatalf("deadline %d after %d", c.due, last)
		}
		last = c.due
		d.remove(c)
	}
	if d.next() != 0 {
		t.Fatal("an empty list has a deadline")
	}
}
