package proto

import "bytes"

// A frame is an opcode, a header of a length that the opcode fixes, a text and
// a newline. All integers are unsigned and big-endian; times are whole seconds.
//
//	          +---+---------+---------+----------------------+
//	acquire   | A | wait u16|lease u16|      owner u64       | key \n
//	          +---+---------+---------+------------+---------+
//	release   | R |           token u64            | key \n
//	          +---+--------------------------------+---------+
//	keep      | K |           token u64            |lease u16| key \n
//	          +---+--------------------------------+---------+
//
//	          +---+----------------------+----------------------+
//	acquired  | A |      token u64       |      owner u64       | key \n
//	          +---+----------------------+----------------------+
//	timed out | T |      owner u64       | key \n
//	busy      | B |      owner u64       | key \n
//	released  | R |      token u64       | key \n
//	not held  | N |      token u64       | key \n     answers R and K
//	kept      | K |      token u64       | key \n
//	          +---+----------------------+
//	moved     | M | address \n
//	leader    | L | address \n                        not asked for
//	error     | E | reason \n
//	          +---+
//
//	keep-alive  \n                                    both ways, ignored
//
// A header may hold 0x0A, which is the newline: so it is stepped over by its
// length, and only behind it the newline is looked for.
const (
	opcodeBytes  = 1
	newlineBytes = 1

	acquireHeaderBytes = 2 + 2 + 8
	releaseHeaderBytes = 8
	keepHeaderBytes    = 8 + 2

	acquiredHeaderBytes = 8 + 8
	echoHeaderBytes     = 8 // T B R N K give back one owner or token
)

const newline = '\n'

// text finds the end of the frame that b begins with and returns what stands
// between its header and its newline. n is the length of the frame, or 0 while
// it is not whole; broken says that no newline can come in time any more.
func text(b []byte, headerBytes int) (t []byte, n int, broken bool) {
	start := opcodeBytes + headerBytes
	if len(b) <= start {
		return nil, 0, false
	}
	end := min(len(b), LineMaxBytes+newlineBytes)
	i := bytes.IndexByte(b[start:end], newline)
	if i < 0 {
		return nil, 0, len(b) > LineMaxBytes
	}
	return b[start : start+i : start+i], start + i + newlineBytes, false
}

// finish ends the frame whose text begins at b[start].
//
// The one thing an encoder must never do is to put the stream out of step, so
// that, and only that, is checked. Whether a key is good is for the server.
func finish(b []byte, start, maxBytes int) []byte {
	t := b[start:]
	if len(t) > maxBytes || bytes.IndexByte(t, newline) >= 0 {
		panicText(t, maxBytes)
	}
	return append(b, newline)
}
