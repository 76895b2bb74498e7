package loop

import (
	"fmt"
	"testing"
	"time"

	"ticketing/proto"
)

// Decision 22: what is in flight is answered, what comes later is told
// not_active, whoever waits no_leader, whoever connects is turned away, and
// then the server ends without an error.
func TestDrainAnswersWhatIsInFlight(t *testing.T) {
	for _, onLoop := range []bool{true, false} {
		t.Run(fmt.Sprintf("on loop %t", onLoop), func(t *testing.T) {
			store := &fakeStore{}
			ts := start(t, func(cfg *Config) {
				cfg.Store = store
				cfg.WriteOnLoop = onLoop
			})
			t.Cleanup(store.release)
			waiting, late := ts.connect(t), ts.connect(t)
			waiting.write(acquire(1, "wait"))
			late.acquire(2, "before")
			eventually(t, "it waits", func() bool { return len(ts.fake.keys()) == 2 })
			inFlight := ts.connect(t)
			store.holdUp()
			inFlight.write(acquire(3, "k"))
			eventually(t, "it is in flight", func() bool { return len(ts.fake.keys()) == 3 })
			ts.Drain()
			if got := ts.dial(t).rest(); got != "shutting_down\n" {
				t.Fatalf("a newcomer got %q", got)
			}
			late.write(acquire(4, "late"))
			store.release()
			if got := inFlight.next(); got.op != 'A' || got.owner != 3 {
				t.Fatalf("what was in flight got %+v", got)
			}
			if got := waiting.next(); got.text != string(proto.NoLeader) {
				t.Fatalf("the waiter got %+v", got)
			}
			<-ts.Done()
			if ts.Err() != nil {
				t.Fatal(ts.Err())
			}
			for _, c := range []*client{inFlight, waiting} {
				if got := c.rest(); got != "" {
					t.Fatalf("behind the answer: %q", got)
				}
			}
		})
	}
}

// Decision 22: a request that comes while the server drains is told not_active.
func TestRequestWhileDrainingIsRefused(t *testing.T) {
	ts := start(t, nil)
	c := ts.connect(t)
	c.acquire(1, "k")
	look(ts.fake, func() int { ts.fake.stuck = true; return 0 })
	ts.Drain()
	eventually(t, "the replica drains", func() bool { return look(ts.fake, func() bool { return ts.fake.draining }) })
	if got := c.acquire(2, "k"); got.text != string(proto.NotActive) {
		t.Fatalf("got %+v", got)
	}
	look(ts.fake, func() int { ts.fake.stuck = false; return 0 })
	ts.post()
}

// Decision 22: a server that can't settle ends all the same, in time.
func TestDrainHasATimeLimit(t *testing.T) {
	clock := newTestClock()
	ts := start(t, withClock(clock))
	look(ts.fake, func() int { ts.fake.stuck = true; return 0 })
	c := ts.connect(t)
	c.acquire(1, "k")
	ts.Drain()
	eventually(t, "the replica drains", func() bool { return look(ts.fake, func() bool { return ts.fake.draining }) })
	ts.pass(t, clock, DefaultLimits().Drain-time.Millisecond)
	select {
	case <-ts.Done():
		t.Fatal("ended before the limit")
	default:
	}
	clock.at.Add(uint64(time.Millisecond))
	ts.post()
	<-ts.Done()
	if ts.Err() != nil {
		t.Fatal(ts.Err())
	}
	c.rest()
}

// Answers that wait in a queue are handed over before the end, to whoever
// reads; for others the end does not wait long.
func TestDrainFlushesQueues(t *testing.T) {
	ts := start(t, func(cfg *Config) {
		cfg.Limits.OutboundBytes = 64 << 20
		cfg.Limits.DrainFlush = patience // the reader's own pace decides
	})
	c := ts.connect(t)
	c.flood(t, ts, 16)
	eventually(t, "answers queue up", func() bool { return ts.queued(t) > 1<<20 })
	all := look(ts.fake, func() uint64 { return ts.fake.token })
	ts.Drain()
	for want := uint64(1); want <= all; want++ {
		if got := c.next(); got.token != want {
			t.Fatalf("token %d where %d was due", got.token, want)
		}
	}
	<-ts.Done()
}

func TestDrainDoesNotWaitForAReaderThatDoesNotRead(t *testing.T) {
	ts := start(t, func(cfg *Config) {
		cfg.Limits.OutboundBytes = 64 << 20
		cfg.Limits.DrainFlush = time.Millisecond
	})
	c := ts.connect(t)
	c.flood(t, ts, 16)
	ts.Drain()
	<-ts.Done()
}

// Drain may be called again, and after the end.
func TestDrainTwice(t *testing.T) {
	ts := start(t, nil)
	ts.Drain()
	ts.Drain()
	<-ts.Done()
	ts.Drain()
	if err := ts.Do(t.Context(), func() {}); err != ErrEnded {
		t.Fatalf("got %v", err)
	}
}

func (d *fakeStore) holdUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = make(chan struct{})
}
