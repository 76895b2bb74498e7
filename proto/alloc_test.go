package proto_test

import (
	"bytes"
	"strings"
	"testing"

	"ticketing/proto"
)

// The server reads and answers millions of requests a second: neither may cost
// the garbage collector anything.

func noAllocs(t *testing.T, what string, f func()) {
	t.Helper()
	if got := testing.AllocsPerRun(200, f); got != 0 {
		t.Errorf("%s: %v allocations", what, got)
	}
}

func TestReadingDoesNotAllocate(t *testing.T) {
	var q proto.Request
	for name, g := range goldenRequests() {
		noAllocs(t, "c "+name, func() { proto.ParseRequest(g.wire, &q) })
	}
	for _, bad := range []string{"Z", "A", "", "A" + strings.Repeat("k", 300)} {
		wire := []byte(bad)
		noAllocs(t, "c bad", func() { proto.ParseRequest(wire, &q) })
	}
	var p proto.Reply
	for name, g := range goldenReplies() {
		noAllocs(t, "s "+name, func() { proto.ParseReply(g.wire, &p) })
	}
}

func TestWritingDoesNotAllocate(t *testing.T) {
	b := make([]byte, 0, 4096)
	key := bytes.Repeat([]byte{'k'}, proto.KeyMaxBytes)
	addr := strings.Repeat("a", proto.TextMaxBytes)
	for name, f := range map[string]func(){
		"acquired":   func() { proto.AppendAcquired(b, tens, tens, key) },
		"timed out":  func() { proto.AppendTimedOut(b, tens, key) },
		"busy":       func() { proto.AppendBusy(b, tens, key) },
		"released":   func() { proto.AppendReleased(b, tens, key) },
		"not held":   func() { proto.AppendNotHeld(b, tens, key) },
		"kept":       func() { proto.AppendKept(b, tens, key) },
		"moved":      func() { proto.AppendMoved(b, addr) },
		"leader":     func() { proto.AppendLeader(b, addr) },
		"error":      func() { proto.AppendError(b, proto.NoLeader) },
		"keep-alive": func() { proto.AppendKeepAlive(b) },
		"acquire":    func() { proto.AppendAcquire(b, 1, 1, tens, key) },
		"release":    func() { proto.AppendRelease(b, tens, key) },
		"keep":       func() { proto.AppendKeep(b, tens, 1, key) },
	} {
		noAllocs(t, name, f)
	}
}
