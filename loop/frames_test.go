package loop

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"ticketing/proto"
)

// script is requests of all kinds, well and badly formed, whose answers do not
// depend on when they come.
func script(n int) []byte {
	var b []byte
	for i := range n {
		key := fmt.Appendf(nil, "key-%d", i)
		switch i % 8 {
		case 0, 1, 2:
			b = proto.AppendAcquire(b, 0, 0x0a0a, 0x0a0a0a0a0a0a0a0a, key) // headers full of newlines
		case 3:
			b = proto.AppendRelease(b, 0x0a0a0a0a0a0a0a0a, key)
		case 4:
			b = proto.AppendKeep(b, uint64(i), 0x0a0a, key)
		case 5:
			b = append(proto.AppendKeepAlive(b), '\n', '\n')
		case 6:
			b = proto.AppendAcquire(b, 1, 1, 1, bytes.Repeat([]byte{'k'}, 128))
		case 7:
			b = proto.AppendAcquire(b, 1, 0, uint64(i), key) // bad_lease
		}
	}
	return b
}

// answersTo returns all that the server says to b, sent in the given pieces,
// each a segment of its own. A last acquire marks the end. Refusals come last:
// they name no request, and may overtake what is still being written.
func answersTo(t *testing.T, b []byte, cuts ...int) string {
	t.Helper()
	ts := start(t, nil)
	c := ts.connect(t)
	b = append(bytes.Clone(b), acquire(99, "the-end")...)
	got := make(chan string)
	go func() { got <- c.answers() }()
	from := 0
	for _, cut := range append(cuts, len(b)) {
		c.write(b[from:cut])
		from = cut
	}
	return <-got
}

// answers reads up to the reply to the last request, and puts refusals last.
func (c *client) answers() string {
	var b, refusals strings.Builder
	for {
		r, err := c.read()
		if err != nil {
			c.t.Errorf("after %d bytes: %v", b.Len(), err)
			return ""
		}
		if r.op == 'E' {
			fmt.Fprintln(&refusals, r)
			continue
		}
		fmt.Fprintln(&b, r)
		if r.text == "the-end" {
			return b.String() + refusals.String()
		}
	}
}

// Case D1: a thousand requests give the same answers in one segment, byte by
// byte, and cut anywhere.
func TestAnswersDoNotDependOnSegments(t *testing.T) {
	const requests = 1000
	b := script(requests)
	want := answersTo(t, b)
	if n := strings.Count(want, "bad_lease"); n != requests/8 {
		t.Fatalf("%d refusals in the answers", n)
	}
	every := make([]int, len(b))
	for i := range every {
		every[i] = i
	}
	t.Run("byte by byte", func(t *testing.T) {
		if got := answersTo(t, b, every...); got != want {
			t.Fatal("the answers differ")
		}
	})
	seed := seedOf(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Run("cut in random places", func(t *testing.T) {
		for range 20 {
			var cuts []int
			for at := 0; ; {
				if at += 1 + rng.IntN(2000); at >= len(b) {
					break
				}
				cuts = append(cuts, at)
			}
			if got := answersTo(t, b, cuts...); got != want {
				t.Fatalf("the answers differ (seed %d)", seed)
			}
		}
	})
	t.Run("cut once at every offset", func(t *testing.T) {
		short := script(16)
		want := answersTo(t, short)
		for cut := range len(short) {
			if got := answersTo(t, short, cut); got != want {
				t.Fatalf("the answers differ when cut at %d", cut)
			}
		}
	})
}

// seedOf is LOOP_SEED, or a new one.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv("LOOP_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("LOOP_SEED=%d", seed)
	return seed
}

// Errors: bad_key and bad_lease skip the frame, and the stream stays in step.
func TestBadFramesThatCanBeSkipped(t *testing.T) {
	for name, frame := range map[string]string{
		"bad_key":   "A\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01a key\n",
		"bad_lease": "A\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01key\n",
	} {
		t.Run(name, func(t *testing.T) {
			ts := start(t, nil)
			c := ts.connect(t)
			c.write([]byte(frame))
			if got := c.next(); got.op != 'E' || got.text != name {
				t.Fatalf("got %+v", got)
			}
			if got := c.acquire(5, "k"); got.op != 'A' || got.owner != 5 {
				t.Fatalf("after it: %+v", got)
			}
		})
	}
}

// Errors, case D1 (d): a stream that can't be trusted any more is answered and
// closed; what came before is answered first, nothing behind it is ever read
// as a request.
func TestBrokenStreamIsAnsweredAndClosed(t *testing.T) {
	for name, garbage := range map[string]string{
		"unknown opcode": "Z",
		"http":           "GET / HTTP/1.1\r\n\r\n",
		"over-long line": string(acquire(1, strings.Repeat("k", 170))[:180]) + strings.Repeat("k", 13) + "\n",
		"crlf":           "\r\n",
		"a megabyte":     "A" + strings.Repeat("k", 1<<20),
	} {
		for _, onLoop := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, on loop %t", name, onLoop), func(t *testing.T) {
				ts := start(t, func(cfg *Config) {
					cfg.Store = &fakeStore{}
					cfg.WriteOnLoop = onLoop
				})
				c := ts.connect(t)
				b := append(acquire(1, "before"), garbage...)
				b = append(b, acquire(2, "behind")...)
				go c.Write(b) // it may be cut off in the middle
				if got := c.next(); got.op != 'A' || got.text != "before" {
					t.Fatalf("got %+v", got)
				}
				if got, _ := io.ReadAll(c.in); string(got) != "Ebad_frame\n" {
					t.Fatalf("got %q", got)
				}
				c.Close()
				eventually(t, "the connection has ended", func() bool { return ts.conns.Load() == 0 })
				if got := ts.fake.keys(); len(got) != 1 {
					t.Fatalf("requests taken in: %q", got)
				}
				if got := ts.metric("ticketd_bad_frames_total"); got != "1" {
					t.Fatalf("counted %q", got)
				}
			})
		}
	}
}

// A broken stream is answered even while the disk hangs.
func TestBrokenStreamDoesNotWaitForEver(t *testing.T) {
	clock := newTestClock()
	store := &fakeStore{hold: make(chan struct{})}
	ts := start(t, func(cfg *Config) {
		cfg.Clock = clock.read
		cfg.Store = store
	})
	t.Cleanup(store.release)
	c := ts.connect(t)
	c.write(append(acquire(1, "k"), 'Z'))
	eventually(t, "the request is taken in", func() bool { return len(ts.fake.keys()) == 1 })
	ts.pass(t, clock, DefaultLimits().Linger)
	if got := c.rest(); got != "Ebad_frame\n" {
		t.Fatalf("got %q", got)
	}
}

// Wire: keep-alives from the client are taken in and not answered.
func TestKeepAliveIsIgnored(t *testing.T) {
	ts := start(t, nil)
	c := ts.connect(t)
	c.write(bytes.Repeat([]byte("\n"), 1000))
	if got := c.acquire(5, "k"); got.op != 'A' {
		t.Fatalf("got %+v", got)
	}
}

// One poll round is one entry: requests that come together are written
// together.
func TestRequestsOfOneRoundShareAnEntry(t *testing.T) {
	store := &fakeStore{}
	ts := start(t, func(cfg *Config) {
		cfg.Store = store
		cfg.WriteOnLoop = true
	})
	c := ts.connect(t)
	const requests = 500
	var b []byte
	for i := range requests {
		b = append(b, acquire(uint64(i), "k")...)
	}
	c.write(b)
	for i := range requests {
		if got := c.next(); got.owner != uint64(i) {
			t.Fatalf("reply %d is for %d", i, got.owner)
		}
	}
	if n := look(ts.fake, func() int { return ts.fake.largest }); n < requests/5 {
		t.Fatalf("at most %d requests in an entry", n)
	}
}

// An endless stream of requests does not keep the round from ending.
func TestRoundIsBounded(t *testing.T) {
	ts := start(t, nil)
	c := ts.connect(t)
	request := acquire(1, strings.Repeat("k", 128))
	b := bytes.Repeat(request, 2*roundBytesMax/len(request))
	go c.Write(b)
	for range 2 * roundBytesMax / len(request) {
		c.next()
	}
	most := (roundBytesMax + readBytes) / len(request)
	if n := look(ts.fake, func() int { return ts.fake.largest }); n > most {
		t.Fatalf("%d requests in an entry, at most %d expected", n, most)
	}
}

func (d *fakeStore) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hold != nil {
		close(d.hold)
		d.hold = nil
	}
}
