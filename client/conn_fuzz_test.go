package client

import (
	"context"
	"net"
	"testing"
	"time"

	"ticketing/proto"
)

// FuzzServerBytes lets a server say anything, while an acquire, a keep and a
// release are open: nothing panics, and every call ends.
func FuzzServerBytes(f *testing.F) {
	key := []byte("k")
	for _, frames := range [][]byte{
		proto.AppendAcquired(nil, 1, 7, key), proto.AppendTimedOut(nil, 7, key), proto.AppendBusy(nil, 7, key),
		proto.AppendKept(proto.AppendReleased(nil, 1, key), 1, key), proto.AppendNotHeld(proto.AppendKept(nil, 1, key), 1, key),
		proto.AppendMoved(nil, "b:1"), proto.AppendLeader(nil, "b:1"), proto.AppendError(nil, proto.NoLeader), []byte("\n\n"), []byte("?"),
	} {
		f.Add(frames)
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		near, far := net.Pipe()
		defer far.Close()
		ended := make(chan struct{})
		c := newConn(near, now, func(string) {}, func(*conn, error, bool) { close(ended) })
		calls := []*call{
			c.send(proto.Request{Op: proto.OpAcquire, Lease: 1, Owner: 7, Key: key}),
			c.send(proto.Request{Op: proto.OpKeep, Lease: 1, Token: 1, Key: key}),
			c.send(proto.Request{Op: proto.OpRelease, Token: 1, Key: key}),
		}
		go c.read()
		far.SetWriteDeadline(time.Now().Add(time.Second)) // the client may have had enough
		far.Write(said)
		far.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		for _, cl := range calls {
			select {
			case <-cl.done:
			case <-ctx.Done():
				t.Fatalf("request %q has not ended", cl.request.Op)
			}
			if cl.err == nil && !answers(cl.answer.op, cl.request.Op) {
				t.Errorf("request %q was answered by %q", cl.request.Op, cl.answer.op)
			}
		}
		<-ended
	})
}
