package lock

import "encoding/binary"

// A snapshot is one header, the held keys, the waiters; integers big-endian:
//
//	S version:4 now:8 settings:25 last-token:8 arrivals:8 holds:8 waiters:8 digest:8
//	H token:8 owner:8 granted:8 deadline:8 tied-to:8 length:1 key
//	W arrival:8 conn:8 owner:8 deadline:8 lease:2 length:1 key
//
// A record is never cut by the end of a chunk.
const (
	recordHeader = 'S'
	recordHold   = 'H'
	recordWaiter = 'W'
)

const (
	headerLen      = 1 + 4 + 8 + settingsLen + 5*8
	holdLengthAt   = 1 + 5*8
	waiterLengthAt = 1 + 4*8 + 2
	recordMax      = holdLengthAt + 1 + KeyMax // no record is longer
)

const (
	_ = uint(recordMax - headerLen)
	_ = uint(recordMax - waiterLengthAt - 1 - KeyMax)
)

func (t *Table) appendHeader(b []byte) []byte {
	b = append(b, recordHeader)
	b = binary.BigEndian.AppendUint32(b, Version)
	b = binary.BigEndian.AppendUint64(b, uint64(t.now))
	b = AppendSettings(b, t.settings)
	b = binary.BigEndian.AppendUint64(b, t.lastToken)
	b = binary.BigEndian.AppendUint64(b, t.arrivals)
	b = binary.BigEndian.AppendUint64(b, uint64(t.Keys()))
	b = binary.BigEndian.AppendUint64(b, uint64(t.Waiters()))
	return binary.BigEndian.AppendUint64(b, t.Digest())
}

func (t *Table) appendHold(b []byte, ref uint32) []byte {
	h, term := t.holds.at(ref), t.term(ref)
	b = append(b, recordHold)
	b = binary.BigEndian.AppendUint64(b, term.tie)
	b = binary.BigEndian.AppendUint64(b, h.owner)
	b = binary.BigEndian.AppendUint64(b, uint64(h.granted))
	b = binary.BigEndian.AppendUint64(b, term.rank)
	b = binary.BigEndian.AppendUint64(b, uint64(t.tiedTo(ref)))
	return appendKey(b, t.keys.get(h.key))
}

func (t *Table) appendWaiter(b []byte, ref uint32) []byte {
	w := t.waiters.at(ref)
	b = append(b, recordWaiter)
	b = binary.BigEndian.AppendUint64(b, w.arrival)
	b = binary.BigEndian.AppendUint64(b, uint64(t.conns.at(w.conn).conn))
	b = binary.BigEndian.AppendUint64(b, w.owner)
	b = binary.BigEndian.AppendUint64(b, uint64(w.deadline))
	b = binary.BigEndian.AppendUint16(b, w.lease)
	return appendKey(b, t.keyOf(w.hold))
}
