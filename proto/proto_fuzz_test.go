package proto_test

import (
	"bytes"
	"testing"

	"ticketing/proto"
)

// Each target wants: no panic, whatever comes; the same as the grammar; the
// same however it is cut; the input left alone. What was found, and what is
// known to be delicate, is in testdata/fuzz, by name.

func FuzzParseRequest(f *testing.F) {
	for _, g := range goldenRequests() {
		f.Add(g.wire, uint16(len(g.wire)/2))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16) {
		before := bytes.Clone(stream)
		r := usedRequest()
		n, reason := proto.ParseRequest(stream, &r)
		wantN, wantReason, want := modelRequest(stream)
		if n != wantN || reason != wantReason {
			t.Fatalf("n = %d, reason %q, want %d, %q", n, reason, wantN, wantReason)
		}
		if n > 0 && !equalRequests(r, want) {
			t.Fatalf("got %+v, want %+v", r, want)
		}
		var c receiver
		i := min(int(cut), len(stream))
		c.feed(stream[:i])
		c.feed(stream[i:])
		wantEvents(t, "cut at "+itoa(i), c.events, parseAll(stream))
		if !bytes.Equal(stream, before) {
			t.Fatal("the input was written to")
		}
	})
}

func FuzzParseReply(f *testing.F) {
	for _, g := range goldenReplies() {
		f.Add(g.wire, uint16(len(g.wire)/2))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16) {
		before := bytes.Clone(stream)
		r := usedReply()
		n, ok := proto.ParseReply(stream, &r)
		wantN, wantOK, want := modelReply(stream)
		if n != wantN || ok != wantOK {
			t.Fatalf("n = %d, ok %v, want %d, %v", n, ok, wantN, wantOK)
		}
		if n > 0 && ok && !equalReplies(r, want) {
			t.Fatalf("got %+v, want %+v", r, want)
		}
		// A beginning is either not whole, or judged as all of it is.
		early, earlyOK := proto.ParseReply(stream[:min(int(cut), len(stream))], &r)
		if (early != 0 || !earlyOK) && (early != n || earlyOK != ok) {
			t.Fatalf("cut at %d: n = %d, ok %v, want %d, %v", cut, early, earlyOK, n, ok)
		}
		if !bytes.Equal(stream, before) {
			t.Fatal("the input was written to")
		}
	})
}

func FuzzChallenge(f *testing.F) {
	for _, line := range goldenHandshake() {
		f.Add(line, uint16(len(line)/2))
	}
	f.Fuzz(func(t *testing.T, line []byte, cut uint16) {
		start := line[:min(int(cut), len(line))]

		var c proto.Challenge
		n, ok := proto.ParseChallenge(line, &c)
		if n > 0 && ok && !bytes.Equal(firstLine(c), line[:n]) {
			t.Fatalf("n = %d: %+v", n, c)
		}
		early, earlyOK := proto.ParseChallenge(start, &c)
		if (early != 0 || !earlyOK) && (early != n || earlyOK != ok) {
			t.Fatalf("cut at %d: n = %d, ok %v, want %d, %v", cut, early, earlyOK, n, ok)
		}

		answer, n, ok := proto.ParseAnswer(line)
		if n > 0 && (n != 44 || !ok || !bytes.Equal(append(clone(answer), '\n'), line[:n])) {
			t.Fatalf("n = %d, ok %v: %q", n, ok, answer)
		}
		_, early, earlyOK = proto.ParseAnswer(start)
		if (early != 0 || !earlyOK) && (early != n || earlyOK != ok) {
			t.Fatalf("cut at %d: n = %d, ok %v, want %d, %v", cut, early, earlyOK, n, ok)
		}
	})
}

// firstLine writes what was read, by the rules of the page.
func firstLine(c proto.Challenge) []byte {
	if c.TurnedAway != nil && c.Nonce == nil && !bytes.Contains(c.TurnedAway, []byte{' '}) {
		return append(clone(c.TurnedAway), '\n')
	}
	return append(append([]byte("sha256 "), c.Nonce...), '\n')
}

// FuzzHandshake: a client with the secret gets in, one with another does not.
func FuzzHandshake(f *testing.F) {
	f.Add(secret, other, random)
	f.Add([]byte{}, secret, random)
	f.Fuzz(func(t *testing.T, mine, theirs, random []byte) {
		if len(random) < 16 || len(random) > 64 {
			t.Skip()
		}
		nonce := challenged(t, random)
		line := append(proto.Digest(mine, nonce), "\n\n"...)
		answer, n, ok := proto.ParseAnswer(line)
		if n != 44 || !ok || !proto.CheckDigest([][]byte{mine}, random, answer) {
			t.Fatalf("refused: n = %d, ok %v", n, ok)
		}
		if got := proto.CheckDigest([][]byte{theirs}, random, answer); got != bytes.Equal(mine, theirs) {
			t.Fatalf("let in with %q for %q: %v", mine, theirs, got)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	for _, op := range "ARKatbrnkmle" {
		f.Add(byte(op), uint16(0x0a0a), uint16(1), uint64(tens), uint64(1), order1)
	}
	f.Fuzz(func(t *testing.T, op byte, wait, lease uint16, token, owner uint64, text []byte) {
		if lease == 0 || !proto.ValidKey(text) {
			t.Skip()
		}
		switch op {
		case 'A':
			checkRequest(t, proto.AppendAcquire(nil, wait, lease, owner, text),
				proto.Request{Op: proto.OpAcquire, Wait: wait, Lease: lease, Owner: owner, Key: text}, "")
		case 'R':
			checkRequest(t, proto.AppendRelease(nil, token, text),
				proto.Request{Op: proto.OpRelease, Token: token, Key: text}, "")
		case 'K':
			checkRequest(t, proto.AppendKeep(nil, token, lease, text),
				proto.Request{Op: proto.OpKeep, Token: token, Lease: lease, Key: text}, "")
		default:
			roundTripReply(t, op, token, owner, text)
		}
	})
}

// roundTripReply writes and reads the reply that op, in small letters, names.
func roundTripReply(t *testing.T, op byte, token, owner uint64, text []byte) {
	t.Helper()
	switch op {
	case 'a':
		checkReply(t, proto.AppendAcquired(nil, token, owner, text),
			proto.Reply{Op: proto.ReplyAcquired, Token: token, Owner: owner, Text: text})
	case 't':
		checkReply(t, proto.AppendTimedOut(nil, owner, text), proto.Reply{Op: proto.ReplyTimedOut, Owner: owner, Text: text})
	case 'b':
		checkReply(t, proto.AppendBusy(nil, owner, text), proto.Reply{Op: proto.ReplyBusy, Owner: owner, Text: text})
	case 'r':
		checkReply(t, proto.AppendReleased(nil, token, text), proto.Reply{Op: proto.ReplyReleased, Token: token, Text: text})
	case 'n':
		checkReply(t, proto.AppendNotHeld(nil, token, text), proto.Reply{Op: proto.ReplyNotHeld, Token: token, Text: text})
	case 'k':
		checkReply(t, proto.AppendKept(nil, token, text), proto.Reply{Op: proto.ReplyKept, Token: token, Text: text})
	case 'm':
		checkReply(t, proto.AppendMoved(nil, string(text)), proto.Reply{Op: proto.ReplyMoved, Text: text})
	case 'l':
		checkReply(t, proto.AppendLeader(nil, string(text)), proto.Reply{Op: proto.ReplyLeader, Text: text})
	case 'e':
		checkReply(t, proto.AppendError(nil, proto.Reason(text)), proto.Reply{Op: proto.ReplyError, Text: text})
	}
}
