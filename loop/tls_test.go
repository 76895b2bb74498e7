package loop

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"ticketing/node"
)

// serverTLS is a configuration with a certificate of its own.
var serverTLS = sync.OnceValue(func() *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: key}}}
})

func withTLS(cfg *Config) {
	cfg.TLS = serverTLS()
	cfg.ListenTLS = "127.0.0.1:0"
}

func (ts *testServer) dialTLS(t *testing.T) *client {
	t.Helper()
	raw, err := net.Dial("tcp", ts.AddrTLS().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	return ts.adopt(t, tls.Client(raw, &tls.Config{InsecureSkipVerify: true}))
}

func (ts *testServer) connectTLS(t *testing.T) *client {
	t.Helper()
	c := ts.dialTLS(t)
	c.write(answer("", c.nonce()))
	return c
}

// Wire: TLS around the same bytes, beside plain TCP.
func TestClientsByTLSAndWithout(t *testing.T) {
	ts := start(t, withTLS)
	plain, secure := ts.connect(t), ts.connectTLS(t)
	for i := range 100 {
		for _, c := range []*client{plain, secure} {
			if got := c.acquire(uint64(i), "k"); got.op != 'A' || got.owner != uint64(i) {
				t.Fatalf("got %+v", got)
			}
		}
	}
	secure.Close()
	plain.Close()
	eventually(t, "both have ended", func() bool { return ts.conns.Load() == 0 && ts.goneCount() == 2 })
}

// Case D1 holds by TLS too: frames cut anywhere, thousands in one record.
func TestFramesByTLS(t *testing.T) {
	ts := start(t, withTLS)
	c := ts.connectTLS(t)
	b := append(script(1000), acquire(99, "the-end")...)
	got := make(chan string)
	go func() { got <- c.answers() }()
	for i := 0; i < len(b); i += 1 + i%7000 {
		c.write(b[i:min(len(b), i+1+i%7000)])
	}
	if by, without := <-got, answersTo(t, script(1000)); by != without {
		t.Fatal("the answers differ from those without TLS")
	}
}

// Errors: what is refused without TLS is refused by TLS.
func TestRefusalsByTLS(t *testing.T) {
	ts := start(t, func(cfg *Config) {
		withTLS(cfg)
		cfg.Limits.Hold = time.Millisecond
		cfg.MaxConns = 2
	})
	c := ts.dialTLS(t)
	c.nonce()
	c.write([]byte("wrong\n"))
	if got := c.rest(); got != "Eauth_failed\n" {
		t.Fatalf("got %q", got)
	}
	c.Close()
	c = ts.connectTLS(t)
	c.write([]byte("Z"))
	if got := c.rest(); got != "Ebad_frame\n" {
		t.Fatalf("got %q", got)
	}
	c.Close()
	eventually(t, "both have ended", func() bool { return ts.conns.Load() == 0 })
	ts.connectTLS(t).acquire(1, "k")
	ts.connectTLS(t).acquire(1, "k")
	if got := ts.dialTLS(t).rest(); got != "too_many_connections\n" {
		t.Fatalf("got %q", got)
	}
}

// Case D3: whoever does not finish the TLS handshake is dropped in time, and
// nothing of it is left.
func TestTLSHandshakeHasATimeLimit(t *testing.T) {
	ts := start(t, func(cfg *Config) {
		withTLS(cfg)
		cfg.Limits.Handshake = 10 * time.Millisecond
	})
	for _, text := range []string{"", "\x16", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 1<<20)} {
		nc, err := net.Dial("tcp", ts.AddrTLS().String())
		if err != nil {
			t.Fatal(err)
		}
		c := ts.adopt(t, nc)
		go io.WriteString(c, text) // it may be cut off in the middle
		_, _ = io.ReadAll(c)       // a TLS alert, at most
	}
	eventually(t, "all are counted", func() bool { return ts.metric(`ticketd_handshake_failures_total{why="tls"}`) == "4" })
}

// Case D2 by TLS: a client that never reads is dropped, and what its writer
// never took counts as unsent.
func TestSlowReaderByTLSIsDropped(t *testing.T) {
	ts := start(t, func(cfg *Config) {
		withTLS(cfg)
		cfg.Limits.OutboundBytes = 1 << 20
	})
	c := ts.connectTLS(t)
	c.flood(t, ts, 64)
	eventually(t, "it is dropped", func() bool { return ts.goneCount() == 1 })
	for _, unsent := range look(ts.fake, func() map[node.Conn][]byte { return ts.fake.gone }) {
		if n := len(unsent); n < 1<<19 || // the rest of the limit had been taken
			!bytes.HasPrefix(unsent, []byte("A")) {
			t.Fatalf("%d bytes unsent, beginning with %q", n, unsent[:min(n, 20)])
		}
		back := tokens(t, unsent)
		got, _ := io.ReadAll(c.in) // ends in a cut, perhaps
		seen := tokens(t, got)
		if last := seen[len(seen)-1]; last >= back[0] {
			t.Fatalf("token %d was given back from, and the client read up to %d", back[0], last)
		}
	}
}

// A TLS client that was slow gets everything, in order, when it reads again.
func TestBackedUpRepliesByTLSArriveInOrder(t *testing.T) {
	ts := start(t, func(cfg *Config) {
		withTLS(cfg)
		cfg.Limits.OutboundBytes = 64 << 20
	})
	c := ts.connectTLS(t)
	c.flood(t, ts, 16)
	eventually(t, "answers queue up", func() bool { return ts.queued(t) > 1<<20 })
	all := look(ts.fake, func() uint64 { return ts.fake.token })
	for want := uint64(1); want <= all; want++ {
		if got := c.next(); got.token != want {
			t.Fatalf("token %d where %d was due", got.token, want)
		}
	}
}

// Decision 22 by TLS: answers that are under way arrive before the end.
func TestDrainByTLS(t *testing.T) {
	ts := start(t, withTLS)
	c := ts.connectTLS(t)
	c.write(acquire(1, "wait"))
	eventually(t, "it waits", func() bool { return len(ts.fake.keys()) == 1 })
	ts.Drain()
	if got := c.rest(); got != "Eno_leader\n" {
		t.Fatalf("got %q", got)
	}
	<-ts.Done()
}

// Decision 12: a TLS client that only ends its own side is gone.
func TestHalfCloseByTLS(t *testing.T) {
	ts := start(t, withTLS)
	c := ts.connectTLS(t)
	c.write(acquire(1, "wait"))
	if err := c.Conn.(*tls.Conn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replica hears of it", func() bool { return ts.goneCount() == 1 && len(ts.fake.keys()) == 1 })
}

// Connections that come and go leave no descriptor and no goroutine behind
// (goleak looks for the latter in the end).
func TestManyTLSConnections(t *testing.T) {
	ts := start(t, withTLS)
	before := openFiles(t)
	var left []*client
	for i := range 100 {
		c := ts.connectTLS(t)
		if got := c.acquire(uint64(i), "k"); got.owner != uint64(i) {
			t.Fatalf("got %+v", got)
		}
		if i%2 == 0 {
			c.Close()
		}
		left = append(left, c)
	}
	for range 50 {
		left = append(left, ts.dialTLS(t)) // and no handshake
	}
	port := ts.AddrTLS().String()
	ts.stop(t)
	if nc, err := net.Dial("tcp", port); err == nil {
		nc.Close()
		t.Fatal("the port is still open")
	}
	for _, c := range left {
		c.Close()
	}
	eventually(t, "descriptors are back", func() bool { return openFiles(t) < before })
}
