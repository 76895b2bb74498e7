package proto_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"ticketing/proto"
)

// event is what a server makes of one frame.
type event struct {
	proto.Request
	reason proto.Reason
}

// receiver is a connection: it gets bytes as they come.
type receiver struct {
	buf    []byte
	events []event
	broken bool
}

// feed takes in more bytes and reads all frames that are whole.
func (c *receiver) feed(b []byte) {
	c.buf = append(c.buf, b...)
	for !c.broken {
		e := event{Request: usedRequest()}
		n := 0
		if n, e.reason = proto.ParseRequest(c.buf, &e.Request); n == 0 && e.reason == "" {
			return
		}
		if c.broken = e.reason == proto.BadFrame; c.broken {
			e.Request = proto.Request{}
		}
		e.Key = clone(e.Key)
		c.events = append(c.events, e)
		c.buf = c.buf[n:]
	}
}

func clone(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b...)
}

func parseAll(stream []byte) []event {
	var c receiver
	c.feed(stream)
	return c.events
}

// wantEvents stops the test at the first event that is another than in want.
func wantEvents(t *testing.T, what string, got, want []event) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i].reason != want[i].reason || !equalRequests(got[i].Request, want[i].Request) {
			t.Fatalf("%s: event %d: got %+v, want %+v", what, i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d events, want %d", what, len(got), len(want))
	}
}

func TestEveryFrameCutAtEveryByteIsReadTheSame(t *testing.T) {
	for name, g := range goldenRequests() {
		stream := append(append(clone(g.wire), '\n'), proto.AppendRelease(nil, tens, k)...)
		whole := parseAll(stream)
		if len(whole) != 3 {
			t.Fatalf("%s: %+v", name, whole)
		}
		for cut := range stream {
			var c receiver
			c.feed(stream[:cut])
			if early := len(c.events); cut < len(g.wire) && early != 0 {
				t.Errorf("%s: %d of %d bytes made %d events", name, cut, len(g.wire), early)
			}
			c.feed(stream[cut:])
			wantEvents(t, name+", cut at "+itoa(cut), c.events, whole)
		}
	}
}

func TestEveryReplyCutAtEveryByteIsReadTheSame(t *testing.T) {
	for name, g := range goldenReplies() {
		for cut := range g.wire {
			var r proto.Reply
			if n, ok := proto.ParseReply(g.wire[:cut], &r); n != 0 || !ok {
				t.Errorf("%s: %d of %d bytes: n = %d, ok %v", name, cut, len(g.wire), n, ok)
			}
		}
		checkReply(t, append([]byte{}, g.wire...), g.want)
	}
}

func TestHandshakeLinesCutAtEveryByteAreNotWhole(t *testing.T) {
	for name, line := range goldenHandshake() {
		for cut := range line {
			var c proto.Challenge
			n, ok := proto.ParseChallenge(line[:cut], &c)
			if name == "c digest" {
				_, n, ok = proto.ParseAnswer(line[:cut])
			}
			if n != 0 || !ok {
				t.Errorf("%s: %d of %d bytes: n = %d, ok %v", name, cut, len(line), n, ok)
			}
		}
	}
}

// newRand is seeded with PROTO_SEED or anew; a test that fails prints the seed.
func newRand(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv("PROTO_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("PROTO_SEED: %v", err)
		}
	}
	t.Logf("PROTO_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func TestRandomStreamsAreReadTheSameHoweverTheyAreCut(t *testing.T) {
	rng := newRand(t)
	for range 300 {
		stream, want := randomStream(rng, 1+rng.IntN(60))
		wantEvents(t, "whole", parseAll(stream), want)
		var bytewise, pieces receiver
		for i := range stream {
			bytewise.feed(stream[i : i+1])
		}
		for rest := stream; len(rest) > 0; {
			n := 1 + rng.IntN(min(len(rest), 1+rng.IntN(500)))
			pieces.feed(rest[:n])
			rest = rest[n:]
		}
		wantEvents(t, "byte by byte", bytewise.events, want)
		wantEvents(t, "in pieces", pieces.events, want)
	}
}

// randomStream is n frames, a fifth of them bad but to be skipped, and at the
// end perhaps one that breaks the stream.
func randomStream(rng *rand.Rand, n int) (stream []byte, want []event) {
	for range n {
		e := randomRequest(rng)
		switch e.Op {
		case 0:
			stream = proto.AppendKeepAlive(stream)
		case proto.OpAcquire:
			stream = proto.AppendAcquire(stream, e.Wait, e.Lease, e.Owner, e.Key)
		case proto.OpRelease:
			stream = proto.AppendRelease(stream, e.Token, e.Key)
		case proto.OpKeep:
			stream = proto.AppendKeep(stream, e.Token, e.Lease, e.Key)
		}
		if e.reason != "" {
			e.Request = proto.Request{Op: e.Op}
		}
		want = append(want, e)
	}
	if rng.IntN(4) == 0 {
		stream = append(stream, "Z and what comes behind it\n"...)
		want = append(want, event{reason: proto.BadFrame})
	}
	return stream, want
}

func randomRequest(rng *rand.Rand) event {
	var e event
	if e.Op = []proto.Op{0, proto.OpAcquire, proto.OpRelease, proto.OpKeep}[rng.IntN(4)]; e.Op == 0 {
		return e
	}
	goodKeys := []string{"k", "order-1", "\x00", "잠금", string(make([]byte, 128))}
	badKeys := []string{"", " ", "k\r", "\xff", string(make([]byte, 129)), string(make([]byte, 179))}
	e.Key = []byte(goodKeys[rng.IntN(len(goodKeys))])
	e.Lease = 1 + uint16(randomInt(rng))%65535
	switch e.Op {
	case proto.OpAcquire:
		e.Wait, e.Owner = uint16(randomInt(rng)), randomInt(rng)
	case proto.OpRelease:
		e.Token, e.Lease = randomInt(rng), 0
	case proto.OpKeep:
		e.Token = randomInt(rng)
	}
	switch rng.IntN(10) {
	case 0:
		e.Key, e.reason = []byte(badKeys[rng.IntN(len(badKeys))]), proto.BadKey
	case 1:
		if e.Op != proto.OpRelease {
			e.Lease, e.reason = 0, proto.BadLease
		}
	}
	return e
}

// randomInt likes bytes that look like a newline or an opcode.
func randomInt(rng *rand.Rand) (v uint64) {
	for range 8 {
		c := uint64(rng.IntN(256))
		if rng.IntN(2) == 0 {
			c = uint64("\nARK\x00\xff"[rng.IntN(6)])
		}
		v = v<<8 | c
	}
	return v
}
