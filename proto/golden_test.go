package proto_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"ticketing/proto"
)

const ones64 = 1<<64 - 1

// tens is a header field of newlines only.
const tens = 0x0a0a_0a0a_0a0a_0a0a

var order1, k = []byte("order-1"), []byte("k")

// goldenRequest is a line of testdata/frames.txt that a client sends.
type goldenRequest struct {
	wire   []byte
	want   proto.Request
	reason proto.Reason
}

func goldenRequests() map[string]goldenRequest {
	const a, r, p = proto.OpAcquire, proto.OpRelease, proto.OpKeep
	order := []byte("주문/1")
	return map[string]goldenRequest{
		"acquire": {proto.AppendAcquire(nil, 5, 30, 0x1122334455667788, order1),
			proto.Request{Op: a, Wait: 5, Lease: 30, Owner: 0x1122334455667788, Key: order1}, ""},
		"acquire, wait 0": {proto.AppendAcquire(nil, 0, 1, 7, k),
			proto.Request{Op: a, Lease: 1, Owner: 7, Key: k}, ""},
		"acquire, all limits": {proto.AppendAcquire(nil, 65535, 65535, ones64, k),
			proto.Request{Op: a, Wait: 65535, Lease: 65535, Owner: ones64, Key: k}, ""},
		"acquire, newlines": {proto.AppendAcquire(nil, 0x0a0a, 0x0a0a, tens, k),
			proto.Request{Op: a, Wait: 0x0a0a, Lease: 0x0a0a, Owner: tens, Key: k}, ""},
		"acquire, utf-8": {proto.AppendAcquire(nil, 0, 30, 1, order),
			proto.Request{Op: a, Lease: 30, Owner: 1, Key: order}, ""},
		"release": {proto.AppendRelease(nil, 42, order1),
			proto.Request{Op: r, Token: 42, Key: order1}, ""},
		"release, newlines": {proto.AppendRelease(nil, tens, k),
			proto.Request{Op: r, Token: tens, Key: k}, ""},
		"keep": {proto.AppendKeep(nil, 42, 30, order1),
			proto.Request{Op: p, Token: 42, Lease: 30, Key: order1}, ""},
		"keep, newlines": {proto.AppendKeep(nil, tens, 0x0a0a, k),
			proto.Request{Op: p, Token: tens, Lease: 0x0a0a, Key: k}, ""},
		"keep-alive":         {proto.AppendKeepAlive(nil), proto.Request{}, ""},
		"no lease":           {proto.AppendAcquire(nil, 5, 0, 7, k), proto.Request{Op: a}, proto.BadLease},
		"keep without lease": {proto.AppendKeep(nil, 42, 0, k), proto.Request{Op: p}, proto.BadLease},
		"no key":             {proto.AppendAcquire(nil, 5, 30, 7, nil), proto.Request{Op: a}, proto.BadKey},
		"key with space":     {proto.AppendRelease(nil, 42, []byte("a b")), proto.Request{Op: r}, proto.BadKey},
		"key ends in CR":     {proto.AppendRelease(nil, 42, []byte("k\r")), proto.Request{Op: r}, proto.BadKey},
	}
}

// goldenReply is a line of testdata/frames.txt that a server sends.
type goldenReply struct {
	wire []byte
	want proto.Reply
}

func goldenReplies() map[string]goldenReply {
	const addr, owner = "127.0.0.1:5226", 0x1122334455667788
	replies := map[string]goldenReply{
		"acquired": {proto.AppendAcquired(nil, 0x0001020304050607, owner, order1),
			proto.Reply{Op: 'A', Token: 0x0001020304050607, Owner: owner, Text: order1}},
		"acquired, newlines": {proto.AppendAcquired(nil, tens, tens, k),
			proto.Reply{Op: 'A', Token: tens, Owner: tens, Text: k}},
		"timed out":      {proto.AppendTimedOut(nil, owner, order1), proto.Reply{Op: 'T', Owner: owner, Text: order1}},
		"busy":           {proto.AppendBusy(nil, owner, order1), proto.Reply{Op: 'B', Owner: owner, Text: order1}},
		"released":       {proto.AppendReleased(nil, 42, order1), proto.Reply{Op: 'R', Token: 42, Text: order1}},
		"not held":       {proto.AppendNotHeld(nil, 42, order1), proto.Reply{Op: 'N', Token: 42, Text: order1}},
		"kept":           {proto.AppendKept(nil, 42, order1), proto.Reply{Op: 'K', Token: 42, Text: order1}},
		"kept, newlines": {proto.AppendKept(nil, tens, k), proto.Reply{Op: 'K', Token: tens, Text: k}},
		"moved":          {proto.AppendMoved(nil, addr), proto.Reply{Op: 'M', Text: []byte(addr)}},
		"leader":         {proto.AppendLeader(nil, addr), proto.Reply{Op: 'L', Text: []byte(addr)}},
		"keep-alive":     {proto.AppendKeepAlive(nil), proto.Reply{}},
	}
	for _, r := range []proto.Reason{
		proto.AuthFailed, proto.NoLeader, proto.NotActive, proto.BadFrame, proto.BadKey, proto.BadLease,
	} {
		replies[string(r)] = goldenReply{proto.AppendError(nil, r), proto.Reply{Op: 'E', Text: []byte(r)}}
	}
	return replies
}

// goldenHandshake are the lines before the first frame.
func goldenHandshake() map[string][]byte {
	random := bytes.Repeat([]byte{0xfb, 0xff}, proto.NonceBytes/2)
	return map[string][]byte{
		"c digest":        append(proto.Digest([]byte("secret"), []byte("aB3dEf_g")), '\n'),
		"s challenge":     proto.AppendChallenge(nil, random),
		"s turned away":   proto.AppendTurnedAway(nil, proto.TooManyConnections),
		"s shutting down": proto.AppendTurnedAway(nil, proto.ShuttingDown),
	}
}

func TestFramesAreTheGoldenBytes(t *testing.T) {
	requests, replies, handshake := goldenRequests(), goldenReplies(), goldenHandshake()
	golden := readGolden(t)
	if got, want := len(requests)+len(replies)+len(handshake), len(golden); got != want {
		t.Errorf("%d frames here, %d in the file", got, want)
	}
	for name, wire := range golden {
		t.Run(name, func(t *testing.T) {
			direction, row, _ := strings.Cut(name, " ")
			if line, ok := handshake[name]; ok {
				equalBytes(t, line, wire)
			} else if q, ok := requests[row]; ok && direction == "c" {
				equalBytes(t, q.wire, wire)
				checkRequest(t, wire, q.want, q.reason)
			} else if p, ok := replies[row]; ok && direction == "s" {
				equalBytes(t, p.wire, wire)
				checkReply(t, wire, p.want)
			} else {
				t.Error("not known here")
			}
		})
	}
}

func readGolden(t *testing.T) map[string][]byte {
	t.Helper()
	page, err := os.ReadFile("testdata/frames.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden := map[string][]byte{}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(line, "|")
		wire, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(fields[1]), " ", ""))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		name := strings.TrimSpace(fields[0])
		if golden[name] != nil {
			t.Fatalf("%q stands there twice", name)
		}
		golden[name] = wire
	}
	return golden
}

func equalBytes(t *testing.T, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

// usedRequest is one that holds an earlier frame, as it does in a server.
func usedRequest() proto.Request {
	return proto.Request{Op: '?', Wait: 1, Lease: 2, Owner: 3, Token: 4, Key: order1}
}

func usedReply() proto.Reply {
	return proto.Reply{Op: '?', Token: 1, Owner: 2, Text: order1}
}

// checkRequest wants wire to be one whole frame that is read as want.
func checkRequest(t *testing.T, wire []byte, want proto.Request, reason proto.Reason) {
	t.Helper()
	r := usedRequest()
	n, got := proto.ParseRequest(wire, &r)
	if n != len(wire) || got != reason {
		t.Errorf("n = %d of %d, reason %q, want %q", n, len(wire), got, reason)
	}
	if !equalRequests(r, want) {
		t.Errorf("got  %+v\nwant %+v", r, want)
	}
}

func checkReply(t *testing.T, wire []byte, want proto.Reply) {
	t.Helper()
	r := usedReply()
	n, ok := proto.ParseReply(wire, &r)
	if n != len(wire) || !ok {
		t.Errorf("n = %d of %d, ok %v", n, len(wire), ok)
	}
	if !equalReplies(r, want) {
		t.Errorf("got  %+v\nwant %+v", r, want)
	}
	if len(wire) > proto.ReplyMaxBytes {
		t.Errorf("%d bytes", len(wire))
	}
}

// equalRequests compares values: an empty key is not the same as none.
func equalRequests(a, b proto.Request) bool {
	return a.Op == b.Op && a.Wait == b.Wait && a.Lease == b.Lease && a.Owner == b.Owner &&
		a.Token == b.Token && (a.Key == nil) == (b.Key == nil) && bytes.Equal(a.Key, b.Key)
}

func equalReplies(a, b proto.Reply) bool {
	return a.Op == b.Op && a.Token == b.Token && a.Owner == b.Owner &&
		(a.Text == nil) == (b.Text == nil) && bytes.Equal(a.Text, b.Text)
}
