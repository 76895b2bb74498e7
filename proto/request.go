package proto

import "encoding/binary"

// Op is the opcode of a request.
type Op byte

const (
	OpAcquire Op = 'A'
	OpRelease Op = 'R'
	OpKeep    Op = 'K'
)

// Request is one parsed request. Key aliases the buffer it was parsed from.
type Request struct {
	Op    Op     // 0 for a keep-alive
	Wait  uint16 // seconds; acquire
	Lease uint16 // seconds, never 0; acquire, keep
	Owner uint64 // acquire
	Token uint64 // release, keep
	Key   []byte // valid (see ValidKey)
}

// ParseRequest reads the first frame of b into r. n is how many bytes to
// consume; 0 with no reason: the frame is not whole yet, call again with more.
// A keep-alive gives n = 1 and r.Op = 0.
//
// reason BadFrame: the stream can't be trusted any more (n is 0). It is given
// as soon as it is certain: at an opcode that is not known, and when more than
// LineMaxBytes are there without a newline behind the header.
//
// reason BadKey or BadLease: the frame is to be skipped by n; r.Op is set and
// all else in r is zero. A frame that is bad in both ways is BadKey.
//
// While n is 0, r holds nothing of use.
func ParseRequest(b []byte, r *Request) (n int, reason Reason) {
	if len(b) == 0 {
		return 0, ""
	}
	op := Op(b[0])
	headerBytes := 0
	switch op {
	case OpAcquire:
		headerBytes = acquireHeaderBytes
	case OpRelease:
		headerBytes = releaseHeaderBytes
	case OpKeep:
		headerBytes = keepHeaderBytes
	case newline:
		*r = Request{}
		return newlineBytes, ""
	default:
		return 0, BadFrame
	}
	key, n, broken := text(b, headerBytes)
	if broken {
		return 0, BadFrame
	}
	if n == 0 {
		return 0, ""
	}
	return n, r.set(op, b[opcodeBytes:opcodeBytes+headerBytes], key)
}

// set fills r from a whole frame and judges what was asked.
func (r *Request) set(op Op, header, key []byte) Reason {
	*r = Request{Op: op}
	if !ValidKey(key) {
		return BadKey
	}
	switch op {
	case OpAcquire:
		r.Wait = binary.BigEndian.Uint16(header)
		r.Lease = binary.BigEndian.Uint16(header[2:])
		r.Owner = binary.BigEndian.Uint64(header[4:])
	case OpRelease:
		r.Token = binary.BigEndian.Uint64(header)
	case OpKeep:
		r.Token = binary.BigEndian.Uint64(header)
		r.Lease = binary.BigEndian.Uint16(header[8:])
	}
	if r.Lease == 0 && op != OpRelease {
		*r = Request{Op: op}
		return BadLease
	}
	r.Key = key
	return ""
}

// The requests, as a client writes them: each Append adds one frame to b and
// returns the longer slice. They write what they are given; that the key is
// valid and the lease not 0 is for the caller to see to (the server's answer to
// it, an E frame, can't be matched to its request). They panic on a key with a
// newline or with more than LineMaxBytes bytes in the frame, which would put
// the stream out of step.

// AppendAcquire asks for key with a lease of so many seconds from the grant,
// and is ready to wait in its queue for so many seconds.
func AppendAcquire(b []byte, wait, lease uint16, owner uint64, key []byte) []byte {
	b = append(b, byte(OpAcquire))
	b = binary.BigEndian.AppendUint16(b, wait)
	b = binary.BigEndian.AppendUint16(b, lease)
	b = binary.BigEndian.AppendUint64(b, owner)
	return finishRequest(b, acquireHeaderBytes, key)
}

// AppendRelease gives back key, which was granted with token.
func AppendRelease(b []byte, token uint64, key []byte) []byte {
	b = append(b, byte(OpRelease))
	b = binary.BigEndian.AppendUint64(b, token)
	return finishRequest(b, releaseHeaderBytes, key)
}

// AppendKeep asks that the deadline of key, which was granted with token, be
// no earlier than lease seconds from now.
func AppendKeep(b []byte, token uint64, lease uint16, key []byte) []byte {
	b = append(b, byte(OpKeep))
	b = binary.BigEndian.AppendUint64(b, token)
	b = binary.BigEndian.AppendUint16(b, lease)
	return finishRequest(b, keepHeaderBytes, key)
}

func finishRequest(b []byte, headerBytes int, key []byte) []byte {
	return finish(append(b, key...), len(b), LineMaxBytes-opcodeBytes-headerBytes)
}
