package loop

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ticketing/consensus"
	"ticketing/proto"
)

// testClock stands still unless it is told.
type testClock struct{ at atomic.Uint64 }

func newTestClock() *testClock {
	c := &testClock{}
	c.at.Store(1_000_000_000_000)
	return c
}

func (c *testClock) read() consensus.Mono { return consensus.Mono(c.at.Load()) }

// pass lets time go by, and the server notice it.
func (ts *testServer) pass(t *testing.T, c *testClock, d time.Duration) {
	t.Helper()
	c.at.Add(uint64(d))
	if err := ts.Do(t.Context(), func() {}); err != nil {
		t.Fatal(err)
	}
}

func withClock(c *testClock) func(*Config) {
	return func(cfg *Config) { cfg.Clock = c.read }
}

// Wire, handshake 2: requests may come in the segment of the answer.
func TestRequestsMayFollowTheAnswerInOneSegment(t *testing.T) {
	ts := start(t, nil)
	c := ts.dial(t)
	c.write(append(answer("", c.nonce()), acquire(3, "k")...))
	if got := c.next(); got.op != 'A' || got.owner != 3 {
		t.Fatalf("got %+v", got)
	}
}

// Wire, handshake 5: a server without a secret refuses the digest of one, and
// the reverse; of several secrets each is good.
func TestSecretsMustMatch(t *testing.T) {
	for _, tc := range []struct {
		server []string
		client string
		ok     bool
	}{
		{nil, "", true},
		{nil, "s", false},
		{[]string{"s"}, "", false},
		{[]string{"s"}, "s", true},
		{[]string{"s"}, "t", false},
		{[]string{"old", "new"}, "old", true},
		{[]string{"old", "new"}, "new", true},
		{[]string{"old", "new"}, "oldnew", false},
	} {
		t.Run(fmt.Sprintf("%q takes %q", tc.server, tc.client), func(t *testing.T) {
			ts := start(t, func(cfg *Config) {
				cfg.Limits.Hold = time.Millisecond
				for _, s := range tc.server {
					cfg.Secrets = append(cfg.Secrets, []byte(s))
				}
			})
			c := ts.dial(t)
			c.write(append(answer(tc.client, c.nonce()), acquire(1, "k")...))
			if tc.ok {
				if got := c.next(); got.op != 'A' {
					t.Fatalf("got %+v", got)
				}
				return
			}
			if got := c.rest(); got != "Eauth_failed\n" {
				t.Fatalf("got %q", got)
			}
			if n := len(ts.fake.keys()); n != 0 {
				t.Fatalf("%d requests of a stranger were taken in", n)
			}
		})
	}
}

// Wire, handshake 3: auth_failed is held back for about a second.
func TestWrongDigestIsHeldBack(t *testing.T) {
	clock := newTestClock()
	ts := start(t, withClock(clock))
	c := ts.dial(t)
	c.write(answer("wrong", c.nonce()))
	eventually(t, "one is held", func() bool { return ts.heldNow(t) == 1 })
	ts.pass(t, clock, 999*time.Millisecond)
	if ts.heldNow(t) != 1 {
		t.Fatal("let go too early")
	}
	ts.pass(t, clock, time.Millisecond)
	if got := c.rest(); got != "Eauth_failed\n" {
		t.Fatalf("got %q", got)
	}
	if ts.heldNow(t) != 0 {
		t.Fatal("still counted as held")
	}
}

func (ts *testServer) heldNow(t *testing.T) (n int) {
	t.Helper()
	if err := ts.Do(t.Context(), func() { n = ts.held }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Wire, handshake 3: only a bounded number of connections is held.
func TestOneTooManyHeldIsClosedAtOnce(t *testing.T) {
	clock := newTestClock()
	ts := start(t, func(cfg *Config) {
		cfg.Clock = clock.read
		cfg.Limits.HeldConns = 2
	})
	for i := range 2 {
		c := ts.dial(t)
		c.write(answer("wrong", c.nonce()))
		eventually(t, "it is held", func() bool { return ts.heldNow(t) == i+1 })
	}
	c := ts.dial(t)
	c.write(answer("wrong", c.nonce()))
	if got := c.rest(); got != "" {
		t.Fatalf("got %q", got)
	}
	// A held client that goes makes room.
	ts.pass(t, clock, time.Second)
	eventually(t, "none is held", func() bool { return ts.heldNow(t) == 0 })
}

// Errors: auth_failed when there is no answer within 10 s, however busy the
// client is with sending something else (case D3).
func TestHandshakeHasATimeLimit(t *testing.T) {
	clock := newTestClock()
	ts := start(t, withClock(clock))
	c := ts.dial(t)
	c.nonce()
	for i := range 10 {
		if i > 0 {
			ts.pass(t, clock, time.Second)
		}
		c.write([]byte("x"))
		eventually(t, "the byte arrives", func() bool { return ts.buffered(t) == i+1 })
	}
	ts.pass(t, clock, 999*time.Millisecond)
	if n := ts.conns.Load(); n != 1 {
		t.Fatalf("%d connections before the limit", n)
	}
	ts.pass(t, clock, time.Millisecond)
	if got := c.rest(); got != "Eauth_failed\n" {
		t.Fatalf("got %q", got)
	}
	if got := ts.metric(`ticketd_handshake_failures_total{why="timeout"}`); got != "1" {
		t.Fatalf("counted %q", got)
	}
}

// buffered is how much the only connection has sent that is not parsed.
func (ts *testServer) buffered(t *testing.T) (n int) {
	t.Helper()
	if err := ts.Do(t.Context(), func() { n = ts.deadlines.heap[0].link.(*plain).sock.InboundBuffered() }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Case D3, D9: what is no digest is refused as soon as it can be told.
func TestBrokenAnswersAreRefused(t *testing.T) {
	for name, line := range map[string]string{
		"empty line":    "\n",
		"short":         "abc\n",
		"too long":      strings.Repeat("A", 44),
		"no newline":    strings.Repeat("A", 1<<20),
		"a request":     string(acquire(1, "k")),
		"http":          "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"carriage":      string(bytes.Replace(answer("", []byte("n")), []byte("\n"), []byte("\r\n"), 1)),
		"zeros":         string(make([]byte, 100)),
		"right length":  strings.Repeat("A", 43) + "\n",
		"43 newlines":   strings.Repeat("\n", 43),
		"with a digest": strings.Repeat(" ", 10) + string(proto.Digest(nil, nil)) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			ts := start(t, func(cfg *Config) { cfg.Limits.Hold = time.Millisecond })
			c := ts.dial(t)
			c.nonce()
			go io.WriteString(c, line) // it may be cut off in the middle
			got, _ := io.ReadAll(c.in)
			if string(got) != "Eauth_failed\n" {
				t.Fatalf("got %q", got)
			}
			if got := ts.metric(`ticketd_handshake_failures_total{why="digest"}`); got != "1" {
				t.Fatalf("counted %q", got)
			}
		})
	}
}

// Case D9: an answer that was good once is worth nothing on another connection.
func TestRecordedAnswerIsRefused(t *testing.T) {
	ts := start(t, func(cfg *Config) { cfg.Limits.Hold = time.Millisecond })
	c := ts.dial(t)
	recorded := answer("", c.nonce())
	c.write(recorded)
	if got := c.acquire(1, "k"); got.op != 'A' {
		t.Fatalf("got %+v", got)
	}
	again := ts.dial(t)
	again.nonce()
	again.write(recorded)
	if got := again.rest(); got != "Eauth_failed\n" {
		t.Fatalf("got %q", got)
	}
}

func TestNoncesDiffer(t *testing.T) {
	var n nonces
	seen := map[[proto.NonceBytes]byte]bool{}
	for range 1000 {
		random := n.draw()
		if seen[random] {
			t.Fatal("a nonce came twice")
		}
		seen[random] = true
	}
}

// A connection cut after any byte of answer and request leaves nothing behind,
// and the request counts only if it came whole.
func TestConnectionCutAtEveryByte(t *testing.T) {
	ts := start(t, nil)
	whole := len(answer("", nil)) + len(acquire(1, "wait"))
	for n := range whole + 1 {
		c := ts.dial(t)
		b := append(answer("", c.nonce()), acquire(1, "wait")...)
		c.write(b[:n])
		c.Close()
	}
	eventually(t, "all connections have ended", func() bool { return ts.conns.Load() == 0 })
	if got := len(ts.fake.keys()); got != 1 {
		t.Fatalf("%d requests were taken in, want the whole one", got)
	}
	if open := look(ts.fake, func() int { return len(ts.fake.open) }); open != 0 {
		t.Fatalf("the replica has %d connections", open)
	}
}
