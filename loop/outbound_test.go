package loop

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"ticketing/node"
	"ticketing/proto"
)

// hugeKey is answered with a thousand grants.
var hugeKey = "huge" + strings.Repeat("k", 124)

// flood asks for about so many MiB of answers, a round for each request.
func (c *client) flood(t *testing.T, ts *testServer, mib int) {
	t.Helper()
	for i := range mib * 7 { // of a seventh of a MiB
		asked := len(ts.fake.keys())
		if _, err := c.Write(acquire(uint64(i), hugeKey)); err != nil {
			return // dropped
		}
		eventually(t, "the request is taken in, or the client dropped", func() bool {
			return len(ts.fake.keys()) > asked || ts.goneCount() > 0
		})
	}
}

// tokens returns those of all grants in b, which may end in the middle of one.
func tokens(t *testing.T, b []byte) []uint64 {
	t.Helper()
	var list []uint64
	var r proto.Reply
	for {
		used, ok := proto.ParseReply(b, &r)
		if !ok {
			t.Fatalf("not a reply: %q", b)
		}
		if used == 0 {
			return list
		}
		if r.Op == 'A' {
			list = append(list, r.Token)
		}
		b = b[used:]
	}
}

// Case D2, decisions 12 and 14: a client that never reads is dropped, what it
// cost is bounded, and exactly the replies of which no byte was handed over are
// given back.
func TestSlowReaderIsDropped(t *testing.T) {
	ts := start(t, func(cfg *Config) { cfg.Limits.OutboundBytes = 1 << 20 })
	c := ts.connect(t)
	c.flood(t, ts, 64)
	eventually(t, "it is dropped", func() bool { return ts.goneCount() == 1 })
	if !ts.log.has("does not read its answers") || ts.metric("ticketd_connections_dropped_total") != "1" {
		t.Fatal("not logged or not counted")
	}
	var unsent []byte
	for _, b := range look(ts.fake, func() map[node.Conn][]byte { return ts.fake.gone }) {
		unsent = b
	}
	if n := len(unsent); n < 1<<20 || n > 2<<20 {
		t.Fatalf("%d bytes were queued, want a little over the limit", n)
	}
	got, _ := io.ReadAll(c.in) // ends in a reset, perhaps
	back := tokens(t, unsent)
	seen := tokens(t, got)
	if last := seen[len(seen)-1]; last >= back[0] {
		t.Fatalf("token %d was given back from, and the client read up to %d", back[0], last)
	}
	for i, token := range back {
		if token != back[0]+uint64(i) {
			t.Fatalf("token %d is missing from what is given back", back[0]+uint64(i))
		}
	}
	if end := look(ts.fake, func() uint64 { return ts.fake.token }); back[len(back)-1] != end {
		t.Fatalf("given back up to %d, granted up to %d", back[len(back)-1], end)
	}
}

// A client that was slow and reads again gets everything, in order, though its
// answers waited in the queue.
func TestBackedUpRepliesArriveInOrder(t *testing.T) {
	ts := start(t, func(cfg *Config) { cfg.Limits.OutboundBytes = 64 << 20 })
	c := ts.connect(t)
	c.flood(t, ts, 16)
	eventually(t, "answers queue up", func() bool { return ts.queued(t) > 1<<20 })
	all := look(ts.fake, func() uint64 { return ts.fake.token })
	for want := uint64(1); want <= all; want++ {
		if got := c.next(); got.token != want {
			t.Fatalf("token %d where %d was due", got.token, want)
		}
	}
	eventually(t, "nothing waits any more", func() bool { return ts.queued(t) == 0 })
	err := ts.Do(t.Context(), func() {
		if n := len(ts.backlog.list); n != 0 {
			t.Errorf("%d connections still wait for their socket", n)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// queued is how many bytes of replies wait in our queues.
func (ts *testServer) queued(t *testing.T) (n int) {
	t.Helper()
	err := ts.Do(t.Context(), func() {
		for _, c := range ts.deadlines.heap {
			n += len(c.queue)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Case D2: others are served while some do not read.
func TestSlowReadersDoNotHoldUpOthers(t *testing.T) {
	ts := start(t, func(cfg *Config) { cfg.Limits.OutboundBytes = 64 << 20 })
	for range 4 {
		ts.connect(t).flood(t, ts, 8)
	}
	c := ts.connect(t)
	for i := range 1000 {
		if got := c.acquire(uint64(i), "k"); got.owner != uint64(i) {
			t.Fatalf("got %+v", got)
		}
	}
}

// Decision 12: what waits in the queue when the client itself goes has not been
// handed over either; and nobody waits for a reader that is gone.
func TestClientThatGoesWithRepliesQueued(t *testing.T) {
	ts := start(t, func(cfg *Config) { cfg.Limits.OutboundBytes = 64 << 20 })
	c := ts.connect(t)
	c.flood(t, ts, 16)
	eventually(t, "answers queue up", func() bool { return ts.queued(t) > 1<<20 })
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	c.Close()
	eventually(t, "the replica hears of it", func() bool { return ts.goneCount() == 1 })
	for _, unsent := range look(ts.fake, func() map[node.Conn][]byte { return ts.fake.gone }) {
		if n := len(unsent); n < 1<<20 || !bytes.HasPrefix(unsent, []byte("A")) {
			t.Fatalf("%d bytes unsent, beginning with %q", n, unsent[:min(n, 20)])
		}
	}
}

// A keep-alive does not overtake or cut what is under way to a slow client.
func TestNoKeepAliveWhereRepliesWait(t *testing.T) {
	clock := newTestClock()
	ts := start(t, func(cfg *Config) {
		cfg.Clock = clock.read
		cfg.Limits.OutboundBytes = 64 << 20
	})
	c := ts.connect(t)
	c.flood(t, ts, 16)
	eventually(t, "answers queue up", func() bool { return ts.queued(t) > 0 })
	ts.pass(t, clock, 30*time.Second)
	all := look(ts.fake, func() uint64 { return ts.fake.token })
	for want := uint64(1); want <= all; want++ {
		if got := c.next(); got.token != want {
			t.Fatalf("%+v where token %d was due", got, want)
		}
	}
}
