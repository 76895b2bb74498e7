package loop

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"go.uber.org/goleak"

	"ticketing/proto"
)

func TestMain(m *testing.M) {
	// gnet starts two pools of workers when it is imported.
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// patience is how long a test waits for what should come at once.
const patience = 60 * time.Second

type testServer struct {
	*Server
	fake *fakeReplica
	set  *metrics.Set
	log  *logLines
}

func testConfig(r Replica) Config {
	return Config{
		Replica:  r,
		Listen:   "127.0.0.1:0",
		MaxConns: 5000,
		Limits:   DefaultLimits(),
		Log:      slog.New(slog.DiscardHandler),
		Metrics:  metrics.NewSet(),
		Clock:    BootClock,
	}
}

// start runs a server on a free port; change may alter its configuration. The
// end of the test checks that it ends when told to.
func start(t *testing.T, change func(*Config)) *testServer {
	t.Helper()
	ts := &testServer{fake: newFakeReplica(), set: metrics.NewSet(), log: &logLines{}}
	cfg := testConfig(ts.fake)
	cfg.Metrics = ts.set
	cfg.Log = slog.New(slog.NewTextHandler(ts.log, nil))
	if change != nil {
		change(&cfg)
	}
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ts.Server = s
	t.Cleanup(func() { ts.stop(t) })
	return ts
}

func (ts *testServer) stop(t *testing.T) {
	t.Helper()
	ts.Drain()
	select {
	case <-ts.Done():
	case <-time.After(patience):
		t.Error("the server does not end")
	}
}

// eventually waits for what the loop will do in its own time.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; <-time.After(time.Millisecond) {
		if f() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("not so after %v: %s", patience, what)
		}
	}
}

// metric returns the value of one line of the metrics page, or "".
func (ts *testServer) metric(name string) string {
	var b strings.Builder
	ts.set.WritePrometheus(&b)
	for line := range strings.Lines(b.String()) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// client is the raw side of a test.
type client struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func (ts *testServer) dial(t *testing.T) *client {
	t.Helper()
	nc, err := net.Dial("tcp", ts.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return ts.adopt(t, nc)
}

func (ts *testServer) adopt(t *testing.T, nc net.Conn) *client {
	t.Cleanup(func() { nc.Close() })
	_ = nc.SetDeadline(time.Now().Add(patience))
	return &client{t, nc, bufio.NewReader(nc)}
}

// nonce reads the challenge.
func (c *client) nonce() []byte {
	c.t.Helper()
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("no challenge: %v", err)
	}
	var ch proto.Challenge
	if _, ok := proto.ParseChallenge(line, &ch); !ok || ch.Nonce == nil {
		c.t.Fatalf("not a challenge: %q", line)
	}
	return ch.Nonce
}

func answer(secret string, nonce []byte) []byte {
	return append(proto.Digest([]byte(secret), nonce), '\n')
}

// connect returns a client that has answered the challenge.
func (ts *testServer) connect(t *testing.T) *client {
	t.Helper()
	c := ts.dial(t)
	c.write(answer("", c.nonce()))
	return c
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if _, err := c.Write(b); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// reply is one reply as text.
type reply struct {
	op           byte
	token, owner uint64
	text         string
}

// next reads one reply, or fails.
func (c *client) next() reply {
	c.t.Helper()
	r, err := c.read()
	if err != nil {
		c.t.Fatalf("no reply: %v", err)
	}
	return r
}

func (c *client) read() (reply, error) {
	for n := 1; ; n++ {
		if _, err := c.in.Peek(n); err != nil {
			return reply{}, err
		}
		b, _ := c.in.Peek(c.in.Buffered())
		var r proto.Reply
		used, ok := proto.ParseReply(b, &r)
		if !ok {
			c.t.Fatalf("not a reply: %q", b)
		}
		if used > 0 {
			got := reply{r.Op, r.Token, r.Owner, string(r.Text)}
			_, _ = c.in.Discard(used)
			return got, nil
		}
		n = len(b)
	}
}

// rest reads to the end of the stream.
func (c *client) rest() string {
	c.t.Helper()
	b, err := io.ReadAll(c.in)
	if err != nil {
		c.t.Fatalf("the stream does not end cleanly: %v", err)
	}
	return string(b)
}

func (c *client) acquire(owner uint64, key string) reply {
	c.t.Helper()
	c.write(acquire(owner, key))
	return c.next()
}

func acquire(owner uint64, key string) []byte {
	return proto.AppendAcquire(nil, 1, 1, owner, []byte(key))
}

// openFiles counts the descriptors of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}
