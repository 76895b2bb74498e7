package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ticketing/proto"
)

var errRefused = errors.New("connection refused")

// world is a set of scripted servers and a Client that can reach only them. It
// lives in a synctest bubble: time is virtual and passes only when everyone
// waits.
type world struct {
	t      *testing.T
	client *Client
	begun  time.Time

	mu      sync.Mutex
	scripts map[string]func(*session)
	dials   map[string][]time.Duration // when each address was dialled
	running sync.WaitGroup
}

// inWorld runs test in a bubble with a client of addrs.
func inWorld(t *testing.T, addrs []string, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, begun: time.Now(), scripts: map[string]func(*session){}, dials: map[string][]time.Duration{}}
		c, err := New(Config{Addrs: addrs, Secret: []byte("secret")})
		if err != nil {
			t.Fatal(err)
		}
		c.now = w.elapsed
		c.dialer = w.dial
		w.client = c
		test(t, w)
		c.Close()
		w.running.Wait()
	})
}

func (w *world) elapsed() time.Duration { return time.Since(w.begun) }

// serve makes addr reachable: script is run for each connection to it, after
// the handshake, and the connection is closed when it returns.
func (w *world) serve(addr string, script func(s *session)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scripts[addr] = script
}

func (w *world) dial(addr string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dials[addr] = append(w.dials[addr], w.elapsed())
	script := w.scripts[addr]
	if script == nil {
		return nil, errRefused
	}
	near, far := net.Pipe()
	s := &session{t: w.t, nc: far, in: bufio.NewReader(far)}
	w.running.Go(func() {
		defer far.Close()
		if s.shake() {
			script(s)
		}
	})
	return near, nil
}

func (w *world) dialled(addr string) []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dials[addr]
}

// session is the server's end of one connection.
type session struct {
	t  *testing.T
	nc net.Conn
	in *bufio.Reader
}

func (s *session) shake() bool {
	random := bytes.Repeat([]byte{7}, proto.NonceBytes)
	if _, err := s.nc.Write(proto.AppendChallenge(nil, random)); err != nil {
		return false
	}
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return false
	}
	if !proto.CheckDigest([][]byte{[]byte("secret")}, random, line[:len(line)-1]) {
		s.t.Errorf("digest %q is wrong", line)
	}
	return true
}

// next reads one request, keep-alives included (Op 0). ok is false when the
// client has closed the connection.
func (s *session) next() (r proto.Request, ok bool) {
	var frame []byte
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			if err != io.EOF && !errors.Is(err, io.ErrClosedPipe) {
				s.t.Errorf("server: %v", err)
			}
			return r, false
		}
		frame = append(frame, b)
		n, reason := proto.ParseRequest(frame, &r)
		if reason != "" {
			s.t.Errorf("the client sent a frame that is %s: %q", reason, frame)
			return r, false
		}
		if n > 0 {
			r.Key = bytes.Clone(r.Key)
			return r, true
		}
	}
}

// want reads the next request and checks its opcode.
func (s *session) want(op proto.Op) proto.Request {
	s.t.Helper()
	r, ok := s.next()
	if !ok || r.Op != op {
		s.t.Errorf("server: got request %q (connection open: %v), want %q", r.Op, ok, op)
	}
	return r
}

// wantEnd checks that the client closes the connection without another request.
func (s *session) wantEnd() {
	s.t.Helper()
	for {
		r, ok := s.next()
		if !ok {
			return
		}
		if r.Op != 0 {
			s.t.Errorf("server: got request %q, want the connection closed", r.Op)
		}
	}
}

// pass lets d of virtual time go by.
func pass(d time.Duration) { <-time.After(d) }

// say writes frames. The client may be gone: then nobody hears them.
func (s *session) say(frames ...[]byte) {
	s.nc.Write(bytes.Join(frames, nil))
}

func granted(r proto.Request, token uint64) []byte {
	return proto.AppendAcquired(nil, token, r.Owner, r.Key)
}

func timedOut(r proto.Request) []byte { return proto.AppendTimedOut(nil, r.Owner, r.Key) }
func busy(r proto.Request) []byte     { return proto.AppendBusy(nil, r.Owner, r.Key) }
func released(r proto.Request) []byte { return proto.AppendReleased(nil, r.Token, r.Key) }
func kept(r proto.Request) []byte     { return proto.AppendKept(nil, r.Token, r.Key) }
func notHeld(r proto.Request) []byte  { return proto.AppendNotHeld(nil, r.Token, r.Key) }

// grantAll answers everything that is asked as if no key were ever held.
func grantAll(s *session) {
	token := uint64(100)
	for {
		r, ok := s.next()
		if !ok {
			return
		}
		switch r.Op {
		case proto.OpAcquire:
			token++
			s.say(granted(r, token))
		case proto.OpRelease:
			s.say(released(r))
		case proto.OpKeep:
			s.say(kept(r))
		}
	}
}

// mustAcquire acquires "k" with a wait of 10 s and a lease of 30 s.
func (w *world) mustAcquire() *Lock {
	w.t.Helper()
	lock, err := w.client.Acquire(context.Background(), "k", 10*time.Second, 30*time.Second)
	if err != nil {
		w.t.Fatal(err)
	}
	return lock
}

// isOver reports whether Lost is closed, when all that can happen at this
// instant has happened.
func isOver(l *Lock) bool {
	synctest.Wait()
	select {
	case <-l.Lost():
		return true
	default:
		return false
	}
}

func wantErrors(t *testing.T, got error, want ...error) {
	t.Helper()
	for _, w := range want {
		if !errors.Is(got, w) {
			t.Errorf("error is %v, want it to be %q", got, w)
		}
	}
	if len(want) == 0 && got != nil {
		t.Errorf("error %v", got)
	}
}

func wantAt(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got != want {
		t.Errorf("%s after %v, want %v", what, got, want)
	}
}

func addrOf(i int) string { return fmt.Sprintf("node%d:1", i) }
