package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Decision 19: nothing is answered before it is durable.
func TestNothingIsAnsweredBeforeItIsDurable(t *testing.T) {
	for _, onLoop := range []bool{true, false} {
		t.Run(fmt.Sprintf("on loop %t", onLoop), func(t *testing.T) {
			store := &fakeStore{}
			ts := start(t, func(cfg *Config) {
				cfg.Store = store
				cfg.WriteOnLoop = onLoop
			})
			t.Cleanup(store.release)
			c := ts.connect(t)
			c.acquire(1, "before")
			store.holdUp()
			c.write(acquire(2, "k"))
			eventually(t, "it is taken in", func() bool { return len(ts.fake.keys()) == 2 })
			_ = c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			if b, err := c.in.Peek(1); err == nil {
				t.Fatalf("answered while the write is under way: %q", b)
			}
			_ = c.SetReadDeadline(time.Now().Add(patience))
			store.release()
			if got := c.next(); got.op != 'A' || got.owner != 2 {
				t.Fatalf("got %+v", got)
			}
		})
	}
}

// What comes in during a write becomes one write after it.
func TestRequestsDuringAWriteShareTheNext(t *testing.T) {
	for _, onLoop := range []bool{true, false} {
		t.Run(fmt.Sprintf("on loop %t", onLoop), func(t *testing.T) {
			store := &fakeStore{}
			ts := start(t, func(cfg *Config) {
				cfg.Store = store
				cfg.WriteOnLoop = onLoop
			})
			t.Cleanup(store.release)
			const clients = 50
			var all []*client
			for range clients {
				all = append(all, ts.connect(t))
			}
			eventually(t, "all are open", func() bool { return look(ts.fake, func() bool { return len(ts.fake.open) == clients }) })
			first := ts.connect(t)
			store.holdUp()
			first.write(acquire(1, "k"))
			eventually(t, "a write is under way", func() bool { return len(ts.fake.keys()) == 1 })
			for _, c := range all {
				c.write(acquire(2, "k"))
			}
			store.release()
			for _, c := range all {
				c.next()
			}
			store.mu.Lock()
			defer store.mu.Unlock()
			if store.writes > clients/2 {
				t.Fatalf("%d writes for %d requests", store.writes, clients+1)
			}
		})
	}
}

// Decision 21: a failed write ends the server with an error that says what to
// do. It is not tried again, and the request is not answered.
func TestFailedWriteEndsTheServer(t *testing.T) {
	for _, onLoop := range []bool{true, false} {
		t.Run(fmt.Sprintf("on loop %t", onLoop), func(t *testing.T) {
			store := &fakeStore{}
			ts := start(t, func(cfg *Config) {
				cfg.Store = store
				cfg.WriteOnLoop = onLoop
			})
			c := ts.connect(t)
			c.acquire(1, "before")
			broken := errors.New("the disk is on fire")
			store.mu.Lock()
			store.fail = broken
			store.mu.Unlock()
			c.write(acquire(2, "k"))
			if got := c.rest(); got != "" {
				t.Fatalf("answered %q", got)
			}
			<-ts.Done()
			if err := ts.Err(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "start again") {
				t.Fatalf("got %v", err)
			}
			store.mu.Lock()
			defer store.mu.Unlock()
			if store.failures != 1 {
				t.Fatalf("the write was tried %d times", store.failures)
			}
		})
	}
}

// A store that fails before the first client is let in is an error of Start.
func TestStoreThatFailsAtTheStart(t *testing.T) {
	fake := newFakeReplica()
	fake.asked = []asked{{conn: fake.Open()}} // something to write at once
	broken := errors.New("the disk is on fire")
	cfg := testConfig(fake)
	cfg.Store = &fakeStore{fail: broken}
	if _, err := Start(cfg); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
}

// What the replica has to write at its start is durable before anybody is let
// in.
func TestReplicaIsSettledBeforeTheFirstClient(t *testing.T) {
	store := &fakeStore{}
	ts := start(t, func(cfg *Config) {
		fake := cfg.Replica.(*fakeReplica)
		fake.asked = []asked{{conn: 1, op: 'A', key: "k"}}
		cfg.Store = store
	})
	store.mu.Lock()
	seq := store.lastSeq
	store.mu.Unlock()
	if seq != 1 {
		t.Fatalf("seq %d is durable", seq)
	}
	if got := ts.connect(t).acquire(1, "k"); got.op != 'A' {
		t.Fatalf("got %+v", got)
	}
}

// A write that takes long is a line in the log while it lasts.
func TestSlowWriteIsLogged(t *testing.T) {
	store := &fakeStore{}
	ts := start(t, func(cfg *Config) { cfg.Store = store })
	t.Cleanup(store.release)
	c := ts.connect(t)
	store.holdUp()
	c.write(acquire(1, "k"))
	eventually(t, "it is logged", func() bool { return ts.log.has("the disk is slow") })
	store.release()
	c.next()
	if got := ts.metric("ticketd_write_seconds_count"); got != "1" {
		t.Fatalf("%q writes measured", got)
	}
}

// Do runs on the loop, and does not wait longer than it is told for a loop that
// is held up.
func TestDoHasATimeLimit(t *testing.T) {
	store := &fakeStore{}
	ts := start(t, func(cfg *Config) {
		cfg.Store = store
		cfg.WriteOnLoop = true
	})
	t.Cleanup(store.release)
	c := ts.connect(t)
	store.holdUp()
	c.write(acquire(1, "k"))
	eventually(t, "the loop is held up", func() bool { return len(ts.fake.keys()) == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	ran := make(chan bool, 1)
	if err := ts.Do(ctx, func() { ran <- true }); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	store.release()
	c.next()
	<-ran // later, as documented
}
