package proto_test

import (
	"bytes"
	"strings"
	"testing"

	"ticketing/proto"
)

// replyHeaders are the lengths that the page gives, by opcode.
var replyHeaders = map[byte]int{
	'A': 16, 'T': 8, 'B': 8, 'R': 8, 'N': 8, 'K': 8, 'M': 0, 'L': 0, 'E': 0,
}

func rawReply(op byte, text string) []byte {
	b := append([]byte{op}, bytes.Repeat([]byte{'\n'}, replyHeaders[op])...)
	return append(append(b, text...), '\n')
}

func TestUnknownReplyOpcodeEndsTheConnectionAtOnce(t *testing.T) {
	for c := range 256 {
		r := usedReply()
		_, known := replyHeaders[byte(c)]
		n, ok := proto.ParseReply([]byte{byte(c)}, &r)
		if c == '\n' {
			if n != 1 || !ok || !equalReplies(r, proto.Reply{}) {
				t.Errorf("keep-alive: n = %d, ok %v, op %q", n, ok, r.Op)
			}
		} else if n != 0 || ok != known {
			t.Errorf("%q: n = %d, ok %v", byte(c), n, ok)
		}
	}
}

func TestReplyWithAnImpossibleTextIsSkipped(t *testing.T) {
	for op, header := range replyHeaders {
		longest := 128
		if header == 0 {
			longest = 190
		}
		for _, text := range []string{"", "a b", "a\r", "\xff", strings.Repeat("k", longest+1)} {
			stream := append(rawReply(op, text), rawReply('N', "next")...)
			var r proto.Reply
			n, ok := proto.ParseReply(stream, &r)
			if ok || n != 1+header+len(text)+1 {
				t.Errorf("%q %q: n = %d, ok %v", op, text, n, ok)
				continue
			}
			checkReply(t, stream[n:], proto.Reply{Op: 'N', Token: tens, Text: []byte("next")})
		}
		checkReplyText(t, op, strings.Repeat("k", longest))
	}
}

func checkReplyText(t *testing.T, op byte, text string) {
	t.Helper()
	var r proto.Reply
	frame := rawReply(op, text)
	if n, ok := proto.ParseReply(frame, &r); n != len(frame) || !ok || string(r.Text) != text {
		t.Errorf("%q %q: n = %d, ok %v, text %q", op, text, n, ok, r.Text)
	}
}

func TestReplyWithoutANewlineEndsTheConnectionAsSoonAsItIsCertain(t *testing.T) {
	var r proto.Reply
	for op := range replyHeaders {
		endless := append(rawReply(op, strings.Repeat("k", 300)), '\n')
		for cut := 1; cut < 300; cut++ {
			if n, ok := proto.ParseReply(endless[:cut], &r); n != 0 || ok != (cut <= 192) {
				t.Errorf("%q, %d bytes: n = %d, ok %v", op, cut, n, ok)
			}
		}
	}
}

func TestLongestRepliesAreWithinTheLimit(t *testing.T) {
	key, addr := bytes.Repeat([]byte{'k'}, 128), strings.Repeat("a", 190)
	for _, frame := range [][]byte{
		proto.AppendAcquired(nil, tens, tens, key),
		proto.AppendTimedOut(nil, tens, key),
		proto.AppendBusy(nil, tens, key),
		proto.AppendReleased(nil, tens, key),
		proto.AppendNotHeld(nil, tens, key),
		proto.AppendKept(nil, tens, key),
		proto.AppendMoved(nil, addr),
		proto.AppendLeader(nil, addr),
		proto.AppendError(nil, proto.Reason(addr)),
	} {
		var r proto.Reply
		n, ok := proto.ParseReply(frame, &r)
		if n != len(frame) || !ok || n > 192 {
			t.Errorf("%q: n = %d of %d, ok %v", frame[0], n, len(frame), ok)
		}
	}
}

func TestReplyEncodersRefuseWhatWouldBreakTheStream(t *testing.T) {
	for _, key := range [][]byte{[]byte("a\nb"), bytes.Repeat([]byte{'k'}, 129)} {
		mustPanic(t, func() { proto.AppendAcquired(nil, 1, 1, key) })
		mustPanic(t, func() { proto.AppendTimedOut(nil, 1, key) })
		mustPanic(t, func() { proto.AppendBusy(nil, 1, key) })
		mustPanic(t, func() { proto.AppendReleased(nil, 1, key) })
		mustPanic(t, func() { proto.AppendNotHeld(nil, 1, key) })
		mustPanic(t, func() { proto.AppendKept(nil, 1, key) })
	}
	for _, text := range []string{"a\nb", strings.Repeat("k", 191)} {
		mustPanic(t, func() { proto.AppendMoved(nil, text) })
		mustPanic(t, func() { proto.AppendLeader(nil, text) })
		mustPanic(t, func() { proto.AppendError(nil, proto.Reason(text)) })
	}
}

func TestAddresses(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:5225":                   true,
		"[::1]:5225":                       true,
		"locks.example.org:5225":           true,
		strings.Repeat("a", 185) + ":5225": true,
		strings.Repeat("a", 186) + ":5225": false,
		"":                                 false,
		"a b:5225":                         false,
		"host:5225\n":                      false,
		"host:5225\r":                      false,
		"\xff:5225":                        false,
	} {
		if got := proto.ValidAddress(addr); got != want {
			t.Errorf("ValidAddress(%q) = %v", addr, got)
		}
	}
}
