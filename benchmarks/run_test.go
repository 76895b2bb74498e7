package benchmarks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ticketing/proto"
)

// Figures must be possible, and a fair load has no errors.
func checkResult(t *testing.T, cfg Config, r Result) {
	t.Helper()
	if r.Errors != 0 || r.Pairs == 0 || r.Target != cfg.Target || r.Conns != cfg.Conns || r.Pipeline != cfg.Pipeline {
		t.Errorf("got %+v", r)
	}
	if r.P50 <= 0 || r.P50 > r.P99 || r.P99 > r.P999 || r.P999 > r.Max || r.PairsPerSec <= 0 {
		t.Errorf("latencies out of order: %+v", r)
	}
}

func TestALoadOfPairsWithKeysOfTheirOwn(t *testing.T) {
	for _, s := range allServers(t) {
		for _, shape := range [][2]int{{1, 1}, {7, 1}, {3, 50}} {
			t.Run(fmt.Sprint(s.name, shape), func(t *testing.T) {
				cfg := Config{Target: s.target, Addrs: []string{s.addr}, Conns: shape[0], Pipeline: shape[1], For: 100 * time.Millisecond}
				r, err := Run(cfg)
				if err != nil {
					t.Fatal(err)
				}
				checkResult(t, cfg, r)
				if r.Retries != 0 || r.Keys != "unique" || r.Seconds < 0.1 {
					t.Errorf("got %+v", r)
				}
			})
		}
	}
}

// Many pairs want few keys: ticketd queues them, Redis is asked again.
func TestALoadOfPairsThatShareKeys(t *testing.T) {
	for _, s := range allServers(t) {
		t.Run(s.name, func(t *testing.T) {
			cfg := Config{Target: s.target, Addrs: []string{s.addr}, Conns: 8, Pipeline: 4, Keys: 2, For: 200 * time.Millisecond}
			r, err := Run(cfg)
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, cfg, r)
			if r.Keys != "2" || (r.Retries > 0) != (s.target == "redis") {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// Held keys stay held after the run: holding them again fails for each.
func TestKeysThatAreHeldStayHeld(t *testing.T) {
	for _, s := range allServers(t) {
		t.Run(s.name, func(t *testing.T) {
			cfg := Config{Target: s.target, Addrs: []string{s.addr}, Conns: 3, Pipeline: 7, Hold: 1000}
			r, err := Run(cfg)
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, cfg, r)
			if r.Pairs != 1000 || r.Held != 1000 {
				t.Errorf("got %+v", r)
			}
			if r, err = Run(cfg); err != nil || r.Errors != 1000 || r.Pairs != 0 {
				t.Errorf("held again: %+v, error %v", r, err)
			}
			// And they are in nobody's way.
			cfg = Config{Target: s.target, Addrs: []string{s.addr}, Conns: 2, Pipeline: 2, For: 50 * time.Millisecond}
			if r, err = Run(cfg); err != nil {
				t.Fatal(err)
			}
			checkResult(t, cfg, r)
		})
	}
}

// After a run nothing is left at the server that the run did not mean to leave.
func TestARunReleasesWhatItAcquired(t *testing.T) {
	s := started(t)(StartTicketd(ticketdProgram, "--memory", "--max-keys=8"))
	cfg := Config{Target: "ticketd", Addrs: []string{s.Addr}, Conns: 2, Pipeline: 4, For: 20 * time.Millisecond}
	for range 5 {
		r, err := Run(cfg)
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, cfg, r) // at the cap there would be errors
	}
}

func TestACapIsCountedAsErrors(t *testing.T) {
	s := started(t)(StartTicketd(ticketdProgram, "--memory", "--max-keys=10"))
	r, err := Run(Config{Target: "ticketd", Addrs: []string{s.Addr}, Conns: 2, Pipeline: 2, Hold: 25})
	if err != nil || r.Pairs != 10 || r.Errors != 15 {
		t.Errorf("got %+v, error %v", r, err)
	}
}

// Nothing is allocated for a pair. The server is another process, so all that is
// counted is the generator's.
func TestTheLoopAllocatesNothing(t *testing.T) {
	s := started(t)(StartTicketd(ticketdProgram, "--memory"))
	w := loadedWorker(t, s.Addr)
	defer closeAll([]*worker{w})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.start = time.Now()
	if err := w.run(300 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; w.latency.total < 1000 || n > w.latency.total/10 {
		t.Errorf("%d allocations for %d pairs", n, w.latency.total)
	}
}

func loadedWorker(t *testing.T, addr string) *worker {
	t.Helper()
	cfg := Config{Target: "ticketd", Addrs: []string{addr}, Conns: 1, Pipeline: 16}
	workers, err := cfg.workers()
	if err != nil {
		t.Fatal(err)
	}
	return workers[0]
}

// fakeTicketd answers like a server whose keys are never held, but for what
// answer changes: it gets each request and may return other bytes.
func fakeTicketd(t *testing.T, answer func(*proto.Request) []byte) string {
	return listen(t, func(nc net.Conn) {
		in := bufio.NewReaderSize(nc, 64<<10)
		nc.Write(proto.AppendChallenge(nil, make([]byte, proto.NonceBytes)))
		if _, err := in.ReadBytes('\n'); err != nil {
			return
		}
		buf, out := make([]byte, 0, 64<<10), make([]byte, 0, 64<<10)
		for {
			n, err := in.Read(buf[len(buf):cap(buf)])
			if err != nil {
				return
			}
			buf, out = buf[:len(buf)+n], out[:0]
			taken := 0
			for {
				var r proto.Request
				n, reason := proto.ParseRequest(buf[taken:], &r)
				if n == 0 || reason != "" {
					break
				}
				taken += n
				out = append(out, fakeAnswer(&r, answer)...)
			}
			buf = buf[:copy(buf, buf[taken:])]
			if _, err := nc.Write(out); err != nil {
				return
			}
		}
	})
}

func fakeAnswer(r *proto.Request, answer func(*proto.Request) []byte) []byte {
	if answer != nil {
		if b := answer(r); b != nil {
			return b
		}
	}
	var frame [proto.ReplyMaxBytes]byte
	if r.Op == proto.OpAcquire {
		return proto.AppendAcquired(frame[:0], uint64(time.Now().UnixNano())<<8|r.Owner, r.Owner, r.Key)
	}
	return proto.AppendReleased(frame[:0], r.Token, r.Key)
}

func TestTheLeaderIsFound(t *testing.T) {
	leader := fakeTicketd(t, func(r *proto.Request) []byte { return proto.AppendNotHeld(nil, r.Token, r.Key) })
	follower := fakeTicketd(t, func(*proto.Request) []byte { return proto.AppendMoved(nil, leader) })
	electing := 3
	late := fakeTicketd(t, func(*proto.Request) []byte {
		if electing--; electing >= 0 {
			return proto.AppendError(nil, proto.NoLeader)
		}
		return proto.AppendMoved(nil, leader)
	})
	for _, addrs := range [][]string{{leader}, {follower}, {late}, {"127.0.0.1:1", follower}} {
		d := &ticketdDialect{}
		if got, err := d.find(addrs); err != nil || got != leader {
			t.Errorf("from %v: got %q, error %v", addrs, got, err)
		}
	}
}

// Whatever ends the connection, or can't be understood, ends the run with an
// error that says so.
func TestARunThatCannotGoOnEnds(t *testing.T) {
	key := []byte("other")
	for want, answer := range map[string][]byte{
		"leader changed":        proto.AppendMoved(nil, "127.0.0.1:1"),
		"ticketd says":          proto.AppendError(nil, proto.NotActive),
		"not a reply":           []byte("?\n"),
		"nothing that was aske": proto.AppendReleased(nil, 7, key),
		"owner 9":               proto.AppendAcquired(nil, 7, 9, key),
	} {
		asked := 0
		addr := fakeTicketd(t, func(r *proto.Request) []byte {
			if asked++; asked <= 3 { // one for find
				return nil
			}
			return answer
		})
		_, err := Run(Config{Target: "ticketd", Addrs: []string{addr}, Conns: 1, Pipeline: 1, For: time.Minute})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// A pair that is never answered is an error, and does not hold up the end.
func TestPairsWithoutAnAnswerAreErrors(t *testing.T) {
	probed := false
	addr := fakeTicketd(t, func(r *proto.Request) []byte {
		if !probed {
			probed = true
			return nil
		}
		return []byte{'\n'} // a keep-alive
	})
	begun := time.Now()
	r, err := Run(Config{Target: "ticketd", Addrs: []string{addr}, Conns: 1, Pipeline: 3, For: 10 * time.Millisecond})
	if err != nil || r.Errors != 3 || r.Pairs != 0 {
		t.Errorf("got %+v, error %v", r, err)
	}
	if took := time.Since(begun); took < drainTimeout || took > 3*drainTimeout {
		t.Errorf("took %v", took)
	}
}

// The dialect makes and reads exactly these bytes.
func TestTheBytesOfRedis(t *testing.T) {
	d := newRedis(30)
	addr := listen(t, func(nc net.Conn) {
		readCommand(bufio.NewReader(nc))
		fmt.Fprintf(nc, "$40\r\n%s\r\n", strings.Repeat("d", 40))
	})
	nc, err := dial(addr)
	if err == nil {
		err = d.open(nc)
		nc.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	w := loadedWorker(t, fakeTicketd(t, nil))
	defer closeAll([]*worker{w})
	c := w.conns[0]
	c.pairs[2].name(0xabc)
	set := string(d.acquire(nil, c, 2))
	value := string(appendHex(nil, c.pairs[2].token))
	want := "*6\r\n$3\r\nSET\r\n$22\r\nbench:0000000000000abc\r\n$16\r\n" + value + "\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n30000\r\n"
	if set != want {
		t.Errorf("acquire\n%q, want\n%q", set, want)
	}
	eval := string(d.release(nil, c, 2))
	want = "*5\r\n$7\r\nEVALSHA\r\n$40\r\n" + strings.Repeat("d", 40) + "\r\n$1\r\n1\r\n$22\r\nbench:0000000000000abc\r\n$16\r\n" + value + "\r\n"
	if eval != want {
		t.Errorf("release\n%q, want\n%q", eval, want)
	}
}

// Replies may be cut anywhere; each belongs to the oldest request.
func TestTheRepliesOfRedis(t *testing.T) {
	d := newRedis(30)
	c := &conn{order: order{slots: make([]uint16, 4)}}
	text := []byte("+OK\r\n$-1\r\n:1\r\n:0\r\n")
	var got []reply
	for round := range 3 { // the ring goes round
		for slot := range 4 {
			c.order.push((slot + round) % 4)
		}
		for b := text; len(b) > 0; {
			whole := bytes.IndexByte(b, '\n') + 1
			for cut := range whole {
				if r, n, err := d.parse(b[:cut], c); n != 0 || err != nil {
					t.Fatalf("of %q: %+v, %d, %v", b[:cut], r, n, err)
				}
			}
			r, n, err := d.parse(b, c)
			if n != whole || err != nil {
				t.Fatalf("of %q: %d, %v", b, n, err)
			}
			got = append(got, r)
			b = b[n:]
		}
	}
	want := []reply{{0, granted}, {1, held}, {2, released}, {3, notHeld}, {1, granted}, {2, held}, {3, released}, {0, notHeld},
		{2, granted}, {3, held}, {0, released}, {1, notHeld}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if _, _, err := d.parse([]byte("+OK\r\n"), c); err == nil {
		t.Error("a reply to nothing passes")
	}
	c.order.push(1)
	if _, _, err := d.parse([]byte("-NOSCRIPT No matching script.\r\n"), c); err == nil {
		t.Error("an error of the server passes")
	}
}

func TestAConfigIsChecked(t *testing.T) {
	good := Config{Target: "ticketd", Addrs: []string{"a:1"}, Conns: 1, Pipeline: 1, For: time.Second}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*Config){
		func(c *Config) { c.Target = "etcd" }, func(c *Config) { c.Addrs = nil }, func(c *Config) { c.Conns = 0 },
		func(c *Config) { c.Conns = ConnsMax + 1 }, func(c *Config) { c.Pipeline = 0 }, func(c *Config) { c.Pipeline = PipelineMax + 1 },
		func(c *Config) { c.Keys = -1 }, func(c *Config) { c.Keys, c.Hold = 1, 1 }, func(c *Config) { c.For = 0 },
	} {
		bad := good
		change(&bad)
		if _, err := Run(bad); err == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}

// The names that outsiders rely on.
func TestTheJSONOfAResult(t *testing.T) {
	b, err := json.Marshal(Result{Target: "ticketd", Conns: 64, Pipeline: 1, Keys: "unique"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"target", "conns", "pipeline", "pairs", "errors", "pairs_per_s", "p50_us", "p99_us", "p999_us", "max_us"} {
		if !bytes.Contains(b, []byte(`"`+name+`":`)) {
			t.Errorf("no %s in %s", name, b)
		}
	}
}
