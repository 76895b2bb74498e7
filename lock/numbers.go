package lock

import (
	"fmt"
	"math/bits"
)

const chunkWords = chunkLen / 64

// numbers hands out the numbers of records, always from the lowest chunk that
// has one: so what is in use gathers in the low chunks, and after a burst the
// high ones empty and can be given back.
//
// It knows which numbers are in use, not what they stand for: slab and keys
// keep the chunks themselves and ask it when to make one and when to drop one.
type numbers struct {
	chunks []chunkUse
	open   []uint64 // a bit for each chunk that has a free number
	low    int      // open[:low] is all zero
	empty  int      // chunks that exist and are not used
	used   int      // numbers in use
}

// chunkUse is which numbers of one chunk are in use.
type chunkUse struct {
	free   [chunkWords]uint64 // a bit for each free number
	used   uint16
	exists bool // the keeper has memory for it
}

// take returns a free number. made is true when the keeper has to make the
// chunk that it is in first.
func (n *numbers) take() (number uint32, made bool) {
	c := n.openChunk()
	use := &n.chunks[c]
	switch {
	case !use.exists:
		use.exists, made = true, true
	case use.used == 0:
		n.empty--
	}
	word := 0
	for use.free[word] == 0 {
		word++
	}
	bit := bits.TrailingZeros64(use.free[word])
	use.free[word] &^= 1 << bit
	use.used++
	n.used++
	if use.used == chunkLen {
		n.open[c/64] &^= 1 << (c % 64)
	}
	return uint32(c)<<chunkBits | uint32(word*64+bit), made
}

// openChunk returns the lowest chunk with a free number.
func (n *numbers) openChunk() int {
	for n.low < len(n.open) && n.open[n.low] == 0 {
		n.low++
	}
	if n.low < len(n.open) {
		return n.low*64 + bits.TrailingZeros64(n.open[n.low])
	}
	c := len(n.chunks)
	var use chunkUse
	for i := range use.free {
		use.free[i] = ^uint64(0)
	}
	n.chunks = append(n.chunks, use)
	if c/64 == len(n.open) {
		n.open = append(n.open, 0)
	}
	n.open[c/64] |= 1 << (c % 64)
	n.low = c / 64
	return c
}

// give takes number back. When that leaves too many empty chunks, drop is the
// one that the keeper has to drop.
func (n *numbers) give(number uint32) (drop int, dropped bool) {
	c := int(number >> chunkBits)
	use := &n.chunks[c]
	word, bit := number&chunkMask/64, number%64
	if use.free[word]&(1<<bit) != 0 {
		panic(fmt.Sprintf("BUG: lock: record %d is given back twice", number))
	}
	use.free[word] |= 1 << bit
	use.used--
	n.used--
	n.open[c/64] |= 1 << (c % 64)
	n.low = min(n.low, c/64)
	if use.used > 0 {
		return 0, false
	}
	n.empty++
	if n.empty <= sparesMax {
		return 0, false
	}
	return n.dropHighest(), true
}

// dropHighest forgets the highest empty chunk: the lowest is used first.
func (n *numbers) dropHighest() int {
	c := len(n.chunks) - 1
	for !n.chunks[c].exists || n.chunks[c].used > 0 {
		c--
	}
	n.chunks[c].exists = false
	n.empty--
	return c
}
