package sim

import (
	"fmt"
	"hash/fnv"
	"io"
)

// trace is the story of a world: its hash always, its lines if somebody wants
// to read them. docs/TESTING.md has the legend.
type trace struct {
	hash uint64
	out  io.Writer // nil: not wanted
}

func (t *trace) wanted() bool { return t.out != nil }

// mix takes a number into the hash.
func (t *trace) mix(v uint64) {
	t.hash = (t.hash ^ v) * 0x100000001b3
	t.hash ^= t.hash >> 29
}

// mixBytes takes bytes into the hash.
func (t *trace) mixBytes(b []byte) {
	h := fnv.New64a()
	h.Write(b)
	t.mix(h.Sum64())
}

// line writes one line: when, where, what, and more of it.
func (t *trace) line(now Time, where, what, format string, args ...any) {
	if !t.wanted() {
		return
	}
	fmt.Fprintf(t.out, "%12.6f  %-3s %-7s %s\n", float64(now)/1e9, where, what, fmt.Sprintf(format, args...))
}
