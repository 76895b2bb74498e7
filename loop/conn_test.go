package loop

import (
	"bytes"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ticketing/node"
	"ticketing/proto"
)

// Decision 12: a half-close is the end of the connection, and what was received
// before it takes effect all the same (case D1 (e)).
func TestHalfCloseEndsTheConnection(t *testing.T) {
	ts := start(t, nil)
	c := ts.connect(t)
	c.write(append(acquire(1, "one"), acquire(2, "wait")...))
	if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replica hears of it", func() bool { return ts.goneCount() == 1 })
	if got := ts.fake.keys(); len(got) != 2 {
		t.Fatalf("requests taken in: %q", got)
	}
	c.rest()
}

func (ts *testServer) goneCount() int {
	return look(ts.fake, func() int { return len(ts.fake.gone) })
}

// Case A1: FIN and RST are both noticed at once, while nothing is under way.
func TestClosedConnectionIsNoticed(t *testing.T) {
	for name, linger := range map[string]int{"FIN": -1, "RST": 0} {
		t.Run(name, func(t *testing.T) {
			ts := start(t, nil)
			c := ts.connect(t)
			c.write(acquire(1, "wait"))
			eventually(t, "it waits", func() bool { return len(ts.fake.keys()) == 1 })
			_ = c.Conn.(*net.TCPConn).SetLinger(linger)
			c.Close()
			eventually(t, "the replica hears of it", func() bool { return ts.goneCount() == 1 })
		})
	}
}

// Decision 12: a reply whose write failed has not been handed over, and neither
// has what the disk held up while the client went.
func TestReplyToAResetConnectionCountsAsUnsent(t *testing.T) {
	store := &fakeStore{hold: make(chan struct{})}
	ts := start(t, func(cfg *Config) {
		cfg.Store = store
		cfg.WriteOnLoop = true // so that the loop learns of the reset by its write
	})
	t.Cleanup(store.release)
	c := ts.connect(t)
	c.write(acquire(7, "k"))
	eventually(t, "the request is taken in", func() bool { return len(ts.fake.keys()) == 1 })
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	c.Close()
	store.release()
	eventually(t, "the replica hears of it", func() bool { return ts.goneCount() == 1 })
	for _, unsent := range look(ts.fake, func() map[node.Conn][]byte { return ts.fake.gone }) {
		if want := proto.AppendAcquired(nil, 1, 7, []byte("k")); !bytes.Equal(unsent, want) {
			t.Fatalf("unsent %q, want %q", unsent, want)
		}
	}
}

// A descriptor that is used again must not get what was meant for the one
// before: not answers, not refusals, not keep-alives.
func TestNewConnectionGetsNothingOfAnOldOne(t *testing.T) {
	store := &fakeStore{hold: make(chan struct{})}
	clock := newTestClock()
	ts := start(t, func(cfg *Config) {
		cfg.Store = store
		cfg.Clock = clock.read
	})
	t.Cleanup(store.release)
	const clients = 20
	for i := range clients {
		c := ts.connect(t)
		c.write(append(acquire(uint64(i), "old"), "Z"[:i%2]...))
		eventually(t, "it is taken in", func() bool { return len(ts.fake.keys()) == i+1 })
		c.Close()
	}
	eventually(t, "all are gone", func() bool { return ts.conns.Load() == 0 })
	var fresh []*client
	for range clients {
		fresh = append(fresh, ts.connect(t))
	}
	store.release()
	ts.pass(t, clock, DefaultLimits().Linger)
	for i, c := range fresh {
		if got := c.acquire(uint64(1000+i), "new"); got.op != 'A' || got.owner != uint64(1000+i) {
			t.Fatalf("got %+v", got)
		}
	}
}

// Wire, handshake 4: over the limit a line without a space comes in place of
// the challenge; a connection that ends makes room.
func TestTooManyConnectionsAreTurnedAway(t *testing.T) {
	ts := start(t, func(cfg *Config) { cfg.MaxConns = 2 })
	first, second := ts.connect(t), ts.connect(t)
	if got := ts.dial(t).rest(); got != "too_many_connections\n" {
		t.Fatalf("got %q", got)
	}
	if got := ts.metric(`ticketd_connections_turned_away_total{why="too_many_connections"}`); got != "1" {
		t.Fatalf("counted %q", got)
	}
	first.Close()
	eventually(t, "there is room", func() bool { return ts.conns.Load() == 1 })
	if got := ts.connect(t).acquire(1, "k"); got.op != 'A' {
		t.Fatalf("got %+v", got)
	}
	if got := second.acquire(1, "k"); got.op != 'A' {
		t.Fatalf("got %+v", got)
	}
}

// Case D3: thousands of connections at once, each served, and afterwards memory
// and descriptors are where they were.
func TestThousandsOfConnections(t *testing.T) {
	const conns = 3000
	ts := start(t, nil)
	before, heapBefore := openFiles(t), heapBytes()
	clients := make([]*client, conns)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < conns; i += 8 {
				nc, err := net.Dial("tcp", ts.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				clients[i] = ts.adopt(t, nc)
				clients[i].write(append(answer("", clients[i].nonce()), acquire(uint64(i), "k")...))
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for i, c := range clients {
		if got := c.next(); got.op != 'A' || got.owner != uint64(i) {
			t.Fatalf("connection %d got %+v", i, got)
		}
	}
	if n := ts.conns.Load(); n != conns {
		t.Fatalf("%d connections", n)
	}
	for _, c := range clients {
		c.Close()
	}
	eventually(t, "all have ended", func() bool { return ts.conns.Load() == 0 })
	eventually(t, "descriptors are back", func() bool { return openFiles(t) <= before })
	clear(clients)
	if grown := heapBytes() - heapBefore; grown > 4<<20 {
		t.Fatalf("the heap has grown by %d bytes", grown)
	}
	err := ts.Do(t.Context(), func() {
		if n := len(ts.deadlines.heap); n != 0 {
			t.Errorf("%d deadlines are left", n)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// heapBytes is what is in use.
func heapBytes() int64 {
	runtime.GC()
	runtime.GC() // what finalizers let go of in the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Wire: the server sends a keep-alive on a connection that it has sent nothing
// on for 10 s, and only then, whatever the client sends meanwhile.
func TestKeepAliveIsSentAfterSilence(t *testing.T) {
	clock := newTestClock()
	ts := start(t, withClock(clock))
	c := ts.connect(t)
	c.acquire(1, "k")
	ts.pass(t, clock, 6*time.Second)
	if got := c.acquire(2, "k"); got.op != 'A' { // the silence begins anew
		t.Fatalf("got %+v", got)
	}
	ts.pass(t, clock, 9*time.Second)
	if got := c.acquire(3, "k"); got.op != 'A' {
		t.Fatalf("a keep-alive after 9 s: %+v", got)
	}
	for range 3 {
		ts.pass(t, clock, 10*time.Second)
		if got := c.next(); got.op != 0 {
			t.Fatalf("got %+v", got)
		}
	}
	received := ts.metric("ticketd_received_bytes_total")
	ts.pass(t, clock, 6*time.Second)
	c.write([]byte("\n")) // a client that is not silent, and is told nothing
	eventually(t, "it arrives", func() bool { return ts.metric("ticketd_received_bytes_total") != received })
	ts.pass(t, clock, 4*time.Second)
	if got := c.next(); got.op != 0 {
		t.Fatalf("got %+v", got)
	}
}

// Wire, case D5: with TCP_USER_TIMEOUT of 15 s a vanished peer is noticed soon
// after the keep-alive.
func TestConnectionsInheritTheSocketOptions(t *testing.T) {
	ts := start(t, nil)
	c := ts.connect(t)
	c.acquire(1, "k")
	err := ts.Do(t.Context(), func() {
		fd := ts.deadlines.heap[0].link.(*plain).sock.Fd()
		for _, o := range []struct{ level, option, want int }{
			{unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 15_000},
			{unix.IPPROTO_TCP, unix.TCP_NODELAY, 1},
			{unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
			{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepAliveIdleSeconds},
		} {
			got, err := unix.GetsockoptInt(fd, o.level, o.option)
			if err != nil || got != o.want {
				t.Errorf("option %d is %d (%v), want %d", o.option, got, err, o.want)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Decision 14: a connection that costs too much is closed, and nothing of what
// it was to be told counts as sent.
func TestDroppedConnectionIsClosed(t *testing.T) {
	ts := start(t, nil)
	look(ts.fake, func() int { ts.fake.dropKey = "greedy"; return 0 })
	c := ts.connect(t)
	c.write(acquire(1, "greedy"))
	if b, _ := c.in.Peek(1); len(b) != 0 {
		t.Fatalf("got %q", b)
	}
	eventually(t, "the replica hears of it", func() bool { return ts.goneCount() == 1 })
	for _, unsent := range look(ts.fake, func() map[node.Conn][]byte { return ts.fake.gone }) {
		if !strings.Contains(string(unsent), "greedy") {
			t.Fatalf("unsent: %q", unsent)
		}
	}
	if !ts.log.has("connection dropped") || ts.metric("ticketd_connections_dropped_total") != "1" {
		t.Fatal("not logged or not counted")
	}
}

// A port that is taken is an error that names it.
func TestPortInUse(t *testing.T) {
	ts := start(t, nil)
	cfg := testConfig(newFakeReplica())
	cfg.Listen = ts.Addr().String()
	_, err := Start(cfg)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint(ts.Addr())) {
		t.Fatalf("got %v", err)
	}
}
