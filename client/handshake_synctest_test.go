package client

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ticketing/proto"
)

// greet runs the handshake against a server that sends its line in pieces, and
// returns what it got back.
func greet(t *testing.T, secret string, pieces ...string) (got string, err error) {
	t.Helper()
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, piece := range pieces {
			far.Write([]byte(piece))
		}
		b, _ := io.ReadAll(far)
		got = string(b)
	}()
	err = handshake(near, []byte(secret))
	near.Close()
	<-done
	far.Close()
	return got, err
}

func TestTheHandshakeOfThePublishedVector(t *testing.T) {
	const line = "sha256 aB3dEf_g\n"
	for _, pieces := range [][]string{{line}, strings.Split(line, "")} {
		got, err := greet(t, "secret", pieces...)
		wantErrors(t, err)
		if want := "WvDLEd0VIA9cVatiwxXYXRGMDSXw0ibHllLgAMBffdg\n"; got != want {
			t.Errorf("answered %q, want %q", got, want)
		}
	}
}

func TestAGreetingThatIsNoChallenge(t *testing.T) {
	for _, line := range []string{"md5 abc\n", "sha256 \n", "\n", "sha256 abc\nR"} {
		got, err := greet(t, "secret", line)
		if err == nil || got != "" {
			t.Errorf("%q: answered %q, error %v", line, got, err)
		}
		wantErrors(t, err, ErrProtocol)
	}
}

// A server that is full is come back to, with pauses.
func TestAServerThatTurnsAwayIsComeBackTo(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.client.dialer = func(addr string) (net.Conn, error) {
			w.dials[addr] = append(w.dials[addr], w.elapsed())
			near, far := net.Pipe()
			w.running.Go(func() {
				far.Write(proto.AppendTurnedAway(nil, proto.TooManyConnections))
				far.Close()
			})
			return near, nil
		}
		wantErrors(t, w.client.Release(context.Background(), "k", 1), ErrUnavailable)
		if n := len(w.dials["a:1"]); n < 6 || n > 25 {
			t.Errorf("%d dials in %v", n, patience)
		}
	})
}

func TestAServerThatNeverGreetsIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Config{Addrs: []string{"a:1"}})
		wantErrors(t, err)
		var far net.Conn
		c.dialer = func(string) (near net.Conn, err error) { near, far = net.Pipe(); return near, nil }
		begun := time.Now()
		_, err = c.dial("a:1")
		if ne, ok := err.(interface{ Unwrap() error }); !ok || ne.Unwrap() == nil {
			t.Errorf("error %v", err)
		}
		wantAt(t, "gave up", time.Since(begun), dialTimeout)
		far.Close()
	})
}
