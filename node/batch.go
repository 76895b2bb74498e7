package node

import "ticketing/lock"

// batch collects the commands of the next entries: one that is being filled,
// and before it those that are full.
type batch struct {
	full    [][]byte
	filling []byte
	bytes   int // in full and filling
	// sizeHint is about how large the last entries were: room made at once.
	sizeHint int
}

func (b *batch) empty() bool { return b.bytes == 0 }

// room returns the buffer to append one command to. The caller gives the
// result to grown.
func (b *batch) room() []byte {
	if len(b.filling) >= entryBytes {
		b.full = append(b.full, b.filling)
		b.filling = nil
	}
	if b.filling == nil {
		b.filling = make([]byte, 0, b.sizeHint+commandBytesMax)
	}
	return b.filling
}

func (b *batch) grown(buf []byte) {
	b.bytes += len(buf) - len(b.filling)
	b.filling = buf
}

func (b *batch) appendAcquire(c lock.Conn, owner uint64, wait, lease uint16, key []byte) {
	b.grown(lock.AppendAcquire(b.room(), c, owner, wait, lease, key))
}

func (b *batch) appendRelease(c lock.Conn, token uint64, key []byte) {
	b.grown(lock.AppendRelease(b.room(), c, token, key))
}

func (b *batch) appendKeep(c lock.Conn, token uint64, lease uint16, key []byte) {
	b.grown(lock.AppendKeep(b.room(), c, token, lease, key))
}

func (b *batch) appendGone(c lock.Conn) {
	b.grown(lock.AppendGone(b.room(), c))
}

// take returns the oldest entry's commands, which are the caller's from now on.
func (b *batch) take() []byte {
	var first []byte
	if len(b.full) > 0 {
		first = b.full[0]
		b.full[0] = nil
		b.full = b.full[1:]
	} else {
		first = b.filling
		b.filling = nil
	}
	b.bytes -= len(first)
	// Follow a growing load at once and a falling one slowly.
	b.sizeHint = max(len(first), b.sizeHint-b.sizeHint/8)
	return first
}

// clear forgets everything: the reign is over.
func (b *batch) clear() { *b = batch{sizeHint: b.sizeHint} }
