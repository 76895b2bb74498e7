package proto_test

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"ticketing/proto"
)

// The protocol once more, as docs/PROTOCOL.md states it: as regular
// expressions over bytes. It is the oracle for everything that makes up input.
//
// A bad key counts as a frame here as it does there; what is in a frame is
// judged afterwards.

// grammar is one direction.
type grammar struct {
	frame  *regexp.Regexp // what a whole frame looks like
	prefix *regexp.Regexp // what may still become one
}

// layouts gives the length of the header of each opcode.
type layouts map[string]int

var (
	requestGrammar = newGrammar(layouts{"A": 12, "R": 8, "K": 10})
	replyGrammar   = newGrammar(layouts{"A": 16, "[TBRNK]": 8, "[MLE]": 0})
)

// lastNewline is the largest distance of a newline from its opcode.
const lastNewline = 192

func newGrammar(l layouts) grammar {
	frames, prefixes := []string{`\n`}, []string{``}
	for op, header := range l {
		h, t := itoa(header), itoa(lastNewline-1-header)
		frames = append(frames, op+`(?:.{`+h+`})[^\n]{0,`+t+`}\n`)
		prefixes = append(prefixes, op+`.{0,`+h+`}`, op+`.{`+h+`}[^\n]{0,`+t+`}`)
	}
	return grammar{
		frame:  regexp.MustCompile(`(?s)^(?:` + strings.Join(frames, `|`) + `)`),
		prefix: regexp.MustCompile(`(?s)^(?:` + strings.Join(prefixes, `|`) + `)$`),
	}
}

// first returns the length of the frame that b begins with. 0: not whole yet,
// or, if broken, never.
func (g grammar) first(b []byte) (n int, broken bool) {
	// One character for each byte, so that a dot is a byte.
	runes := make([]rune, min(len(b), 2*lastNewline))
	for i := range runes {
		runes[i] = rune(b[i])
	}
	text := string(runes)
	if m := g.frame.FindString(text); m != "" {
		return utf8.RuneCountInString(m), false
	}
	return 0, !g.prefix.MatchString(text)
}

var key = regexp.MustCompile(`^[^ \r\n]+$`)

func goodText(s string, maxBytes int) bool {
	return len(s) <= maxBytes && utf8.ValidString(s) && key.MatchString(s)
}

// modelRequest is what ParseRequest ought to give.
func modelRequest(b []byte) (n int, reason proto.Reason, r proto.Request) {
	n, broken := requestGrammar.first(b)
	if broken {
		return 0, proto.BadFrame, r
	}
	if n <= 1 {
		return n, "", r
	}
	h := field(b[1:n])
	switch r.Op = proto.Op(b[0]); r.Op {
	case proto.OpAcquire:
		r.Wait, r.Lease, r.Owner = uint16(h.take(2)), uint16(h.take(2)), h.take(8)
	case proto.OpRelease:
		r.Token, r.Lease = h.take(8), 1
	case proto.OpKeep:
		r.Token, r.Lease = h.take(8), uint16(h.take(2))
	}
	r.Key = h[:len(h)-1]
	if !goodText(string(r.Key), 128) {
		return n, proto.BadKey, proto.Request{Op: r.Op}
	}
	if r.Lease == 0 {
		return n, proto.BadLease, proto.Request{Op: r.Op}
	}
	if r.Op == proto.OpRelease {
		r.Lease = 0
	}
	return n, "", r
}

// modelReply is what ParseReply ought to give.
func modelReply(b []byte) (n int, ok bool, r proto.Reply) {
	n, broken := replyGrammar.first(b)
	if n <= 1 {
		return n, !broken, r
	}
	h, maxBytes := field(b[1:n]), 128
	switch r.Op = b[0]; r.Op {
	case 'A':
		r.Token, r.Owner = h.take(8), h.take(8)
	case 'T', 'B':
		r.Owner = h.take(8)
	case 'R', 'N', 'K':
		r.Token = h.take(8)
	default:
		maxBytes = 190
	}
	r.Text = h[:len(h)-1]
	return n, goodText(string(r.Text), maxBytes), r
}

// field is what is left of a frame.
type field []byte

// take removes an integer of so many bytes.
func (f *field) take(bytes int) (v uint64) {
	for _, c := range (*f)[:bytes] {
		v = v*256 + uint64(c)
	}
	*f = (*f)[bytes:]
	return v
}
