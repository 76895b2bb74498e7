package proto_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"ticketing/proto"
)

func itoa(n int) string { return strconv.Itoa(n) }

// requestHeaders are the lengths that the page gives, by opcode.
var requestHeaders = map[proto.Op]int{proto.OpAcquire: 12, proto.OpRelease: 8, proto.OpKeep: 10}

// rawRequest is a frame whose header is all ones, with any text.
func rawRequest(op proto.Op, text string) []byte {
	b := append([]byte{byte(op)}, bytes.Repeat([]byte{1}, requestHeaders[op])...)
	return append(append(b, text...), '\n')
}

func TestKeysAreJudgedAndTheStreamStaysInStep(t *testing.T) {
	const good, bad = proto.Reason(""), proto.BadKey
	cases := []struct {
		name, key string
		want      proto.Reason
	}{
		{"one byte", "k", good},
		{"128 bytes", strings.Repeat("k", 128), good},
		{"128 bytes of UTF-8", strings.Repeat("잠금", 21) + "ok", good},
		{"NUL, tab and DEL", "\x00\t\x7f", good},
		{"no-break space", "a\u00a0b", good},
		{"line separator", "a\u2028b", good},
		{"largest rune", "\U0010ffff", good},
		{"slash and colon", "a/b:c", good},
		{"empty", "", bad},
		{"129 bytes", strings.Repeat("k", 129), bad},
		{"129 bytes of UTF-8", strings.Repeat("잠", 43), bad},
		{"space alone", " ", bad},
		{"space first", " k", bad},
		{"space last", "k ", bad},
		{"carriage return last", "k\r", bad},
		{"carriage return inside", "a\rb", bad},
		{"byte that never is UTF-8", "k\xff", bad},
		{"UTF-8 cut short", "k\xec\x9e", bad},
		{"continuation alone", "\x80", bad},
		{"overlong slash", "\xc0\xaf", bad},
		{"surrogate", "\xed\xa0\x80", bad},
		{"above the largest rune", "\xf4\x90\x80\x80", bad},
		{"space and not UTF-8", "\xff ", bad},
	}
	for _, c := range cases {
		for op := range requestHeaders {
			t.Run(string(rune(op))+", "+c.name, func(t *testing.T) {
				frame := rawRequest(op, c.key)
				checkBetweenGoodOnes(t, frame, op, c.want)
				if got := proto.ValidKey([]byte(c.key)); got != (c.want == good) {
					t.Errorf("ValidKey = %v", got)
				}
			})
		}
	}
}

// checkBetweenGoodOnes wants frame to be judged with reason, and the frames
// before and behind it to be read as if it were not there.
func checkBetweenGoodOnes(t *testing.T, frame []byte, op proto.Op, reason proto.Reason) {
	t.Helper()
	before := proto.AppendRelease(nil, tens, order1)
	behind := proto.AppendKeep(nil, 42, 30, order1)
	stream := append(append(append([]byte{}, before...), frame...), behind...)

	got := parseAll(stream)
	if len(got) != 3 || got[0].Token != tens || got[2].Token != 42 {
		t.Fatalf("got %+v", got)
	}
	if q := got[1]; q.Op != op || q.reason != reason || (q.Key == nil) != (reason != "") {
		t.Errorf("got %+v, want reason %q", q, reason)
	}
}

func TestLeaseZeroIsBadAndTheStreamStaysInStep(t *testing.T) {
	acquire := proto.AppendAcquire(nil, 5, 0, 7, k)
	checkBetweenGoodOnes(t, acquire, proto.OpAcquire, proto.BadLease)
	keep := proto.AppendKeep(nil, 7, 0, k)
	checkBetweenGoodOnes(t, keep, proto.OpKeep, proto.BadLease)
}

func TestBadKeyWinsOverBadLease(t *testing.T) {
	for _, text := range []string{"", "a b", "\xff", strings.Repeat("k", 129)} {
		acquire := proto.AppendAcquire(nil, 5, 0, 7, []byte(text))
		checkBetweenGoodOnes(t, acquire, proto.OpAcquire, proto.BadKey)
		keep := proto.AppendKeep(nil, 7, 0, []byte(text))
		checkBetweenGoodOnes(t, keep, proto.OpKeep, proto.BadKey)
	}
}

func TestUnknownOpcodeIsABadFrameAtOnce(t *testing.T) {
	for c := range 256 {
		r := usedRequest()
		n, reason := proto.ParseRequest([]byte{byte(c)}, &r)
		switch c {
		case 'A', 'R', 'K':
			if n != 0 || reason != "" {
				t.Errorf("%q: n = %d, reason %q", byte(c), n, reason)
			}
		case '\n':
			if n != 1 || reason != "" || !equalRequests(r, proto.Request{}) {
				t.Errorf("keep-alive: n = %d, reason %q, op %q", n, reason, r.Op)
			}
		default:
			if n != 0 || reason != proto.BadFrame {
				t.Errorf("%q: n = %d, reason %q", byte(c), n, reason)
			}
		}
	}
}

func TestNewlineMayBe192BytesBehindTheOpcodeAndNoFurther(t *testing.T) {
	var r proto.Request
	for op, header := range requestHeaders {
		last := rawRequest(op, strings.Repeat("k", 192-1-header))
		if n, reason := proto.ParseRequest(last, &r); n != 193 || reason != proto.BadKey {
			t.Errorf("%q: newline at 192: n = %d, reason %q", op, n, reason)
		}
		checkBetweenGoodOnes(t, last, op, proto.BadKey)

		late := rawRequest(op, strings.Repeat("k", 192-header))
		if n, reason := proto.ParseRequest(late, &r); n != 0 || reason != proto.BadFrame {
			t.Errorf("%q: newline at 193: n = %d, reason %q", op, n, reason)
		}
	}
}

func TestNoNewlineIsABadFrameAsSoonAsItIsCertain(t *testing.T) {
	var r proto.Request
	for op := range requestHeaders {
		// The header is full of newlines: none of them counts.
		endless := append([]byte{byte(op)}, bytes.Repeat([]byte{'\n'}, requestHeaders[op])...)
		endless = append(endless, bytes.Repeat([]byte{'k'}, 300)...)
		for cut := 1; cut <= len(endless); cut++ {
			want := proto.Reason("")
			if cut > 192 {
				want = proto.BadFrame
			}
			if n, reason := proto.ParseRequest(endless[:cut], &r); n != 0 || reason != want {
				t.Errorf("%q, %d bytes: n = %d, reason %q", op, cut, n, reason)
			}
		}
	}
}

func TestRequestsBehindABadFrameAreNotRead(t *testing.T) {
	stream := proto.AppendRelease(nil, 1, k)
	stream = append(stream, "GET / HTTP/1.1\r\n\r\n"...)
	stream = proto.AppendRelease(stream, 2, k)
	got := parseAll(stream)
	if len(got) != 2 || got[0].Token != 1 || got[1].reason != proto.BadFrame {
		t.Errorf("got %+v", got)
	}
}

func TestKeyAliasesTheBufferButCannotGrowIntoIt(t *testing.T) {
	stream := proto.AppendRelease(proto.AppendRelease(nil, 1, k), 2, k)
	var r proto.Request
	n, _ := proto.ParseRequest(stream, &r)
	if &r.Key[0] != &stream[n-2] {
		t.Error("the key is a copy")
	}
	_ = append(r.Key, "XX"...)
	if got := parseAll(stream); len(got) != 2 || got[1].Token != 2 {
		t.Errorf("the next frame was written over: %+v", got)
	}
}

func TestRequestEncodersRefuseWhatWouldBreakTheStream(t *testing.T) {
	long := bytes.Repeat([]byte{'k'}, 192)
	for _, key := range [][]byte{[]byte("a\nb"), []byte("\n"), long} {
		mustPanic(t, func() { proto.AppendAcquire(nil, 1, 1, 1, key) })
		mustPanic(t, func() { proto.AppendRelease(nil, 1, key) })
		mustPanic(t, func() { proto.AppendKeep(nil, 1, 1, key) })
	}
	// The longest that the server can still answer with bad_key.
	for _, frame := range [][]byte{
		proto.AppendAcquire(nil, 1, 1, 1, long[:179]),
		proto.AppendRelease(nil, 1, long[:183]),
		proto.AppendKeep(nil, 1, 1, long[:181]),
	} {
		checkBetweenGoodOnes(t, frame, proto.Op(frame[0]), proto.BadKey)
	}
	mustPanic(t, func() { proto.AppendAcquire(nil, 1, 1, 1, long[:180]) })
	mustPanic(t, func() { proto.AppendRelease(nil, 1, long[:184]) })
	mustPanic(t, func() { proto.AppendKeep(nil, 1, 1, long[:182]) })
}

// mustPanic wants f to panic with a message that calls it a bug.
func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if msg, _ := recover().(string); !strings.HasPrefix(msg, "BUG: ") {
			t.Errorf("panic %q, want BUG", msg)
		}
	}()
	f()
}
