package loop

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/panjf2000/gnet/v2"
	gnetErrors "github.com/panjf2000/gnet/v2/pkg/errors"
)

// tiredListener fails a few times before each connection.
type tiredListener struct {
	net.Listener
	calls atomic.Int64
}

func (l *tiredListener) Accept() (net.Conn, error) {
	if n := l.calls.Add(1); n%4 != 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// Too many files open is no reason to end: the server tries on, and says so
// once each time.
func TestAcceptGoesOnAfterAnError(t *testing.T) {
	ts := start(t, nil)
	inner, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		ts.accept(&tiredListener{Listener: inner}, ts.admitPlain)
		close(done)
	}()
	for i := range 3 {
		nc, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c := ts.adopt(t, nc)
		c.write(answer("", c.nonce()))
		if got := c.acquire(uint64(i), "k"); got.owner != uint64(i) {
			t.Fatalf("got %+v", got)
		}
	}
	inner.Close()
	<-done
	if n := strings.Count(ts.log.text(), "can be accepted"); n != 4 {
		t.Fatalf("%d lines in the log, want one for each of 3 connections and one at the end", n)
	}
}

// An event loop that ends unasked ends the server, with an error.
func TestLoopThatEndsByItself(t *testing.T) {
	ts := start(t, nil)
	c := ts.connect(t)
	c.acquire(1, "k")
	end := gnet.RunnableFunc(func(context.Context) error { return gnetErrors.ErrEngineShutdown })
	if err := ts.rounds.loop.Execute(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	<-ts.Done()
	if err := ts.Err(); err == nil || !strings.Contains(err.Error(), "event loop") {
		t.Fatalf("got %v", err)
	}
	c.rest()
}
