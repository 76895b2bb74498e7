package lock

import (
	"encoding/binary"
	"fmt"
)

// A batch is commands one after the other, integers big-endian:
//
//	A conn:8 owner:8 wait:2 lease:2 length:1 key    acquire
//	R conn:8 token:8 length:1 key                   release
//	K conn:8 token:8 lease:2 length:1 key           keep
//	G conn:8                                        gone
//	E token:8 length:1 key                          expire
const (
	opAcquire = 'A'
	opRelease = 'R'
	opKeep    = 'K'
	opGone    = 'G'
	opExpire  = 'E'
)

// Where the byte with the key's length stands.
const (
	acquireLengthAt = 1 + 8 + 8 + 2 + 2
	releaseLengthAt = 1 + 8 + 8
	keepLengthAt    = 1 + 8 + 8 + 2
	expireLengthAt  = 1 + 8
	goneLen         = 1 + 8
)

// Conn names a client connection of one reign (one effective LeaderStart).
// 0 is none: nothing is ever tied to it.
type Conn uint64

// AppendAcquire appends an acquire to the batch b; wait and lease are in
// seconds. Like all that take a key, it panics when key is not of 1 to KeyMax
// bytes.
func AppendAcquire(b []byte, c Conn, owner uint64, wait, lease uint16, key []byte) []byte {
	b = append(b, opAcquire)
	b = binary.BigEndian.AppendUint64(b, uint64(c))
	b = binary.BigEndian.AppendUint64(b, owner)
	b = binary.BigEndian.AppendUint16(b, wait)
	b = binary.BigEndian.AppendUint16(b, lease)
	return appendKey(b, key)
}

// AppendRelease appends a release to the batch b. c is who is told the
// outcome; it need not be the connection that was granted the key.
func AppendRelease(b []byte, c Conn, token uint64, key []byte) []byte {
	b = append(b, opRelease)
	b = binary.BigEndian.AppendUint64(b, uint64(c))
	b = binary.BigEndian.AppendUint64(b, token)
	return appendKey(b, key)
}

// AppendKeep appends a keep to the batch b: the deadline of key becomes the
// later of what it is and lease seconds from then.
func AppendKeep(b []byte, c Conn, token uint64, lease uint16, key []byte) []byte {
	b = append(b, opKeep)
	b = binary.BigEndian.AppendUint64(b, uint64(c))
	b = binary.BigEndian.AppendUint64(b, token)
	b = binary.BigEndian.AppendUint16(b, lease)
	return appendKey(b, key)
}

// AppendGone appends the end of a connection to the batch b: its waiters
// leave and, with ReleaseOnGone, its keys are released in the order of their
// grants.
func AppendGone(b []byte, c Conn) []byte {
	return binary.BigEndian.AppendUint64(append(b, opGone), uint64(c))
}

// AppendExpire appends an expire to the batch b. It does nothing unless token
// holds key and its deadline has come; then the front waiter whose wait is not
// over is granted, and without one the key is free.
func AppendExpire(b []byte, token uint64, key []byte) []byte {
	b = append(b, opExpire)
	b = binary.BigEndian.AppendUint64(b, token)
	return appendKey(b, key)
}

func appendKey(b, key []byte) []byte {
	if len(key) == 0 || len(key) > KeyMax {
		panic(fmt.Sprintf("BUG: lock: a key of %d bytes, %q", len(key), key))
	}
	b = append(b, byte(len(key)))
	return append(b, key...)
}

// command is one decoded command; which fields count depends on op.
type command struct {
	op          byte
	conn        Conn
	owner       uint64
	token       uint64
	wait, lease uint16 // seconds
	key         []byte // aliases the batch
}

// decode reads the first command of b and returns its length, 0 if there is
// no whole and valid one.
func (c *command) decode(b []byte) int {
	c.op = b[0]
	switch c.op {
	case opAcquire:
		if len(b) <= acquireLengthAt {
			return 0
		}
		c.conn = Conn(binary.BigEndian.Uint64(b[1:]))
		c.owner = binary.BigEndian.Uint64(b[9:])
		c.wait = binary.BigEndian.Uint16(b[17:])
		c.lease = binary.BigEndian.Uint16(b[19:])
		return c.decodeKey(b, acquireLengthAt)
	case opRelease:
		if len(b) <= releaseLengthAt {
			return 0
		}
		c.conn = Conn(binary.BigEndian.Uint64(b[1:]))
		c.token = binary.BigEndian.Uint64(b[9:])
		return c.decodeKey(b, releaseLengthAt)
	case opKeep:
		if len(b) <= keepLengthAt {
			return 0
		}
		c.conn = Conn(binary.BigEndian.Uint64(b[1:]))
		c.token = binary.BigEndian.Uint64(b[9:])
		c.lease = binary.BigEndian.Uint16(b[17:])
		return c.decodeKey(b, keepLengthAt)
	case opExpire:
		if len(b) <= expireLengthAt {
			return 0
		}
		c.token = binary.BigEndian.Uint64(b[1:])
		return c.decodeKey(b, expireLengthAt)
	case opGone:
		if len(b) < goneLen {
			return 0
		}
		c.conn = Conn(binary.BigEndian.Uint64(b[1:]))
		return goneLen
	}
	return 0
}

func (c *command) decodeKey(b []byte, at int) (n int) {
	c.key, n = keyAt(b, at)
	return n
}

// keyAt reads the key whose length stands at b[at], and returns where it ends,
// 0 if it is not whole and valid.
func keyAt(b []byte, at int) (key []byte, end int) {
	if len(b) <= at {
		return nil, 0
	}
	length := int(b[at])
	end = at + 1 + length
	if length == 0 || length > KeyMax || end > len(b) {
		return nil, 0
	}
	return b[at+1 : end], end
}
