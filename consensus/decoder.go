package consensus

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// decoder reads fields from the front of b. After the first error it reads
// zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = errors.New(what)
	}
	d.b = nil
}

// take returns the next n bytes.
func (d *decoder) take(n int) []byte {
	if n > len(d.b) {
		d.fail("it is cut short")
		return nil
	}
	taken := d.b[:n:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) u8() uint8 {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) bool() bool {
	v := d.u8()
	if v > 1 {
		d.fail("neither 0 nor 1")
	}
	return v == 1
}

func (d *decoder) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) ballot() Ballot { return Ballot{Round: d.u64(), Node: NodeID(d.u8())} }

// bytes reads a length and that many bytes; nil for none.
func (d *decoder) bytes(limit uint32) []byte {
	n := d.u32()
	if n > limit {
		d.fail(fmt.Sprintf("%d bytes in one piece, %d are the most", n, limit))
		return nil
	}
	if n == 0 {
		return nil
	}
	return d.take(int(n))
}

// message reads the fields that the message's type has.
func (d *decoder) message(m *Message) {
	has := layouts[m.Type]
	if has&hasGranted != 0 {
		m.Granted = d.bool()
	}
	if has&hasLearner != 0 {
		m.Learner = d.bool()
	}
	if has&hasBallot != 0 {
		m.Ballot = d.ballot()
	}
	if has&hasPromised != 0 {
		m.Promised = d.ballot()
	}
	if has&hasSlot != 0 {
		m.Slot = Slot(d.u64())
	}
	if has&hasLast != 0 {
		m.Last = Slot(d.u64())
	}
	if has&hasCommit != 0 {
		m.Commit = Slot(d.u64())
	}
	if has&hasStamp != 0 {
		m.Stamp = Stamp(d.u64())
	}
	if has&hasSent != 0 {
		m.Sent = Mono(d.u64())
	}
	if has&hasIndex != 0 {
		m.Index = d.u32()
	}
	if has&hasMeta != 0 {
		m.Meta = d.meta()
	}
	if has&hasEntries != 0 {
		m.Entries = d.entries()
	}
	if has&hasData != 0 {
		m.Data = d.bytes(MaxChunk)
	}
}

func (d *decoder) meta() SnapshotMeta {
	return SnapshotMeta{
		Gen:    d.u64(),
		Slot:   Slot(d.u64()),
		Mark:   d.ballot(),
		Now:    Stamp(d.u64()),
		Chunks: d.u32(),
		Bytes:  d.u64(),
	}
}

func (d *decoder) entries() []Entry {
	n := int(d.u32())
	if n == 0 {
		return nil
	}
	slot := Slot(d.u64())
	if n > len(d.b)/entryBytes {
		d.fail("it is cut short")
		return nil
	}
	entries := make([]Entry, n)
	for i := range entries {
		entries[i] = Entry{
			Slot:    slot + Slot(i),
			Ballot:  d.ballot(),
			Origin:  d.ballot(),
			Stamp:   Stamp(d.u64()),
			Kind:    Kind(d.u8()),
			Payload: d.bytes(MaxPayload),
		}
	}
	return entries
}
