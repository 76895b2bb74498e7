package proto

import "encoding/binary"

// The opcodes of replies.
const (
	ReplyAcquired byte = 'A'
	ReplyTimedOut byte = 'T'
	ReplyBusy     byte = 'B'
	ReplyReleased byte = 'R'
	ReplyNotHeld  byte = 'N'
	ReplyKept     byte = 'K'
	ReplyMoved    byte = 'M'
	ReplyLeader   byte = 'L'
	ReplyError    byte = 'E'
)

// Reply is one parsed reply. Text aliases the buffer it was parsed from.
type Reply struct {
	Op    byte   // 0 for a keep-alive
	Token uint64 // A R N K
	Owner uint64 // A T B
	Text  []byte // the key; the address of M and L; the reason of E
}

// ParseReply reads the first frame of b into r; n is how many bytes to consume.
//
//	n > 0, ok    a frame; a keep-alive has r.Op = 0
//	n = 0, ok    the frame is not whole yet: call again with more
//	n > 0, !ok   a frame whose text can't be what its opcode says: skip it
//	n = 0, !ok   unknown opcode or no newline in time: close the connection
//
// r holds something of use only in the first case.
func ParseReply(b []byte, r *Reply) (n int, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	op, headerBytes, maxBytes := b[0], 0, KeyMaxBytes
	switch op {
	case ReplyAcquired:
		headerBytes = acquiredHeaderBytes
	case ReplyTimedOut, ReplyBusy, ReplyReleased, ReplyNotHeld, ReplyKept:
		headerBytes = echoHeaderBytes
	case ReplyMoved, ReplyLeader, ReplyError:
		maxBytes = TextMaxBytes
	case newline:
		*r = Reply{}
		return newlineBytes, true
	default:
		return 0, false
	}
	t, n, broken := text(b, headerBytes)
	if n == 0 {
		return 0, !broken
	}
	r.set(op, b[opcodeBytes:opcodeBytes+headerBytes], t)
	return n, validText(t, maxBytes)
}

func (r *Reply) set(op byte, header, t []byte) {
	*r = Reply{Op: op, Text: t}
	switch op {
	case ReplyAcquired:
		r.Token = binary.BigEndian.Uint64(header)
		r.Owner = binary.BigEndian.Uint64(header[8:])
	case ReplyTimedOut, ReplyBusy:
		r.Owner = binary.BigEndian.Uint64(header)
	case ReplyReleased, ReplyNotHeld, ReplyKept:
		r.Token = binary.BigEndian.Uint64(header)
	}
}

// The replies, as the server writes them: each Append adds one frame, of at
// most ReplyMaxBytes, to b and returns the longer slice. They panic on a text
// that is too long or holds a newline, which no request and no checked
// configuration leads to.

// AppendAcquired: owner holds key, by token.
func AppendAcquired(b []byte, token, owner uint64, key []byte) []byte {
	b = append(b, ReplyAcquired)
	b = binary.BigEndian.AppendUint64(b, token)
	b = binary.BigEndian.AppendUint64(b, owner)
	return finish(append(b, key...), len(b), KeyMaxBytes)
}

// AppendTimedOut: the wait is over, or was 0 and key is held.
func AppendTimedOut(b []byte, owner uint64, key []byte) []byte {
	return appendEcho(b, ReplyTimedOut, owner, key)
}

// AppendBusy: a cap is reached.
func AppendBusy(b []byte, owner uint64, key []byte) []byte {
	return appendEcho(b, ReplyBusy, owner, key)
}

// AppendReleased: token held key and does so no more.
func AppendReleased(b []byte, token uint64, key []byte) []byte {
	return appendEcho(b, ReplyReleased, token, key)
}

// AppendNotHeld: token does not hold key; answers a release or a keep.
func AppendNotHeld(b []byte, token uint64, key []byte) []byte {
	return appendEcho(b, ReplyNotHeld, token, key)
}

// AppendKept: token holds key, for at least as long as was asked.
func AppendKept(b []byte, token uint64, key []byte) []byte {
	return appendEcho(b, ReplyKept, token, key)
}

// AppendMoved: not the leader; addr is where clients find it (see ValidAddress).
func AppendMoved(b []byte, addr string) []byte {
	return appendText(b, ReplyMoved, addr)
}

// AppendLeader: the leader changed; addr is where clients find it.
func AppendLeader(b []byte, addr string) []byte {
	return appendText(b, ReplyLeader, addr)
}

// AppendError: a request, or the connection, is refused.
func AppendError(b []byte, r Reason) []byte {
	return appendText(b, ReplyError, string(r))
}

// AppendKeepAlive adds the frame that says nothing but that the sender lives.
func AppendKeepAlive(b []byte) []byte { return append(b, newline) }

func appendEcho(b []byte, op byte, id uint64, key []byte) []byte {
	b = binary.BigEndian.AppendUint64(append(b, op), id)
	return finish(append(b, key...), len(b), KeyMaxBytes)
}

func appendText(b []byte, op byte, t string) []byte {
	b = append(b, op)
	return finish(append(b, t...), len(b), TextMaxBytes)
}
