package storage

import (
	"encoding/binary"
	"hash/crc32"

	"ticketing/consensus"
)

// Every key and value in the engine. Integers are big-endian and of fixed
// width, so keys sort as their numbers do.
//
//	key                          value, after its header
//	m/ident                      the identity file's text (marker.go)
//	m/state                      batch(8) promised(9) commit(8) last(8) gen(8)
//	m/snap                       gen(8) slot(8) mark(9) now(8) chunks(4) bytes(8)
//	l/ slot(8)                   ballot(9) origin(9) stamp(8) kind(1) payload
//	s/ gen(8) index(4)           the chunk
//
// A ballot is round(8) node(1). The header of each value:
//
//	+------------+---------+
//	| version(1) | crc(4)  |
//	+------------+---------+
//
// crc is CRC-32C over the store's id, the key, the version and the rest of the
// value: a record of another store, or one that ended up under another key,
// does not pass. It comes on top of the engine's own checksums, which end
// where a block has been read, and which anybody can compute: bytes that a
// client chose never pass for a record of ours (see scan.go).
//
// m/state is part of every batch. batch counts them from 1 and never starts
// again: a batch that is missing is a number that is missing. last is the log's
// last slot (or the snapshot's, where the log is empty), gen the generation
// of the snapshot in force (0 for none).
var (
	keyIdent = []byte("m/ident")
	keyState = []byte("m/state")
	keySnap  = []byte("m/snap")
)

const (
	valueVersion = 1

	prefixEntry = "l/"
	prefixChunk = "s/"
	// prefixChunkEnd is above all keys of chunks.
	prefixChunkEnd = "s0"

	entryKeyLen = len(prefixEntry) + 8
	chunkKeyLen = len(prefixChunk) + 8 + 4

	valueHeaderLen = 1 + 4
	ballotLen      = 8 + 1
	stateLen       = valueHeaderLen + 8 + ballotLen + 8 + 8 + 8
	snapLen        = valueHeaderLen + 8 + 8 + ballotLen + 8 + 4 + 8
	entryHeadLen   = valueHeaderLen + 2*ballotLen + 8 + 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func putEntryKey(key []byte, s consensus.Slot) {
	copy(key, prefixEntry)
	binary.BigEndian.PutUint64(key[len(prefixEntry):], uint64(s))
}

func entryKey(s consensus.Slot) []byte {
	key := make([]byte, entryKeyLen)
	putEntryKey(key, s)
	return key
}

func slotOfKey(key []byte) consensus.Slot {
	return consensus.Slot(binary.BigEndian.Uint64(key[len(prefixEntry):]))
}

func putChunkKey(key []byte, gen uint64, index uint32) {
	copy(key, prefixChunk)
	binary.BigEndian.PutUint64(key[len(prefixChunk):], gen)
	binary.BigEndian.PutUint32(key[len(prefixChunk)+8:], index)
}

func chunkKey(gen uint64, index uint32) []byte {
	key := make([]byte, chunkKeyLen)
	putChunkKey(key, gen, index)
	return key
}

func chunkOfKey(key []byte) (gen uint64, index uint32) {
	key = key[len(prefixChunk):]
	return binary.BigEndian.Uint64(key), binary.BigEndian.Uint32(key[8:])
}

// codec is CRC-32C of the store's id: what all checksums of a store begin with.
type codec uint32

func newCodec(id ID) codec { return codec(crc32.Checksum(id[:], castagnoli)) }

// seal writes the header of value, whose body is in place.
func (c codec) seal(key, value []byte) {
	value[0] = valueVersion
	binary.BigEndian.PutUint32(value[1:], c.checksum(key, value))
}

// sealed reports whether value is whole and belongs to key.
func (c codec) sealed(key, value []byte) bool {
	return len(value) >= valueHeaderLen && value[0] == valueVersion &&
		binary.BigEndian.Uint32(value[1:]) == c.checksum(key, value)
}

func (c codec) checksum(key, value []byte) uint32 {
	sum := crc32.Update(uint32(c), castagnoli, key)
	sum = crc32.Update(sum, castagnoli, value[:1])
	return crc32.Update(sum, castagnoli, value[valueHeaderLen:])
}

func appendBallot(dst []byte, b consensus.Ballot) []byte {
	dst = binary.BigEndian.AppendUint64(dst, b.Round)
	return append(dst, byte(b.Node))
}

// reader takes fields off the front of a value whose length has been checked.
type reader []byte

func (r *reader) u8() byte {
	v := (*r)[0]
	*r = (*r)[1:]
	return v
}

func (r *reader) u32() uint32 {
	v := binary.BigEndian.Uint32(*r)
	*r = (*r)[4:]
	return v
}

func (r *reader) u64() uint64 {
	v := binary.BigEndian.Uint64(*r)
	*r = (*r)[8:]
	return v
}

func (r *reader) ballot() consensus.Ballot {
	return consensus.Ballot{Round: r.u64(), Node: consensus.NodeID(r.u8())}
}

// state is the value of m/state.
type state struct {
	batch    uint64
	promised consensus.Ballot
	commit   consensus.Slot
	last     consensus.Slot
	gen      uint64
}

func (c codec) putState(value []byte, s state) {
	v := binary.BigEndian.AppendUint64(value[:valueHeaderLen], s.batch)
	v = appendBallot(v, s.promised)
	v = binary.BigEndian.AppendUint64(v, uint64(s.commit))
	v = binary.BigEndian.AppendUint64(v, uint64(s.last))
	binary.BigEndian.AppendUint64(v, s.gen)
	c.seal(keyState, value)
}

func (c codec) parseState(value []byte) (state, bool) {
	if len(value) != stateLen || !c.sealed(keyState, value) {
		return state{}, false
	}
	r := reader(value[valueHeaderLen:])
	return state{
		batch:    r.u64(),
		promised: r.ballot(),
		commit:   consensus.Slot(r.u64()),
		last:     consensus.Slot(r.u64()),
		gen:      r.u64(),
	}, true
}

func (c codec) putSnap(value []byte, m *consensus.SnapshotMeta) {
	v := binary.BigEndian.AppendUint64(value[:valueHeaderLen], m.Gen)
	v = binary.BigEndian.AppendUint64(v, uint64(m.Slot))
	v = appendBallot(v, m.Mark)
	v = binary.BigEndian.AppendUint64(v, uint64(m.Now))
	v = binary.BigEndian.AppendUint32(v, m.Chunks)
	binary.BigEndian.AppendUint64(v, m.Bytes)
	c.seal(keySnap, value)
}

func (c codec) parseSnap(value []byte) (consensus.SnapshotMeta, bool) {
	if len(value) != snapLen || !c.sealed(keySnap, value) {
		return consensus.SnapshotMeta{}, false
	}
	r := reader(value[valueHeaderLen:])
	return consensus.SnapshotMeta{
		Gen:    r.u64(),
		Slot:   consensus.Slot(r.u64()),
		Mark:   r.ballot(),
		Now:    consensus.Stamp(r.u64()),
		Chunks: r.u32(),
		Bytes:  r.u64(),
	}, true
}

// putEntry fills key and value, which have the lengths entryKeyLen and
// entryHeadLen plus that of the payload.
func (c codec) putEntry(key, value []byte, e *consensus.Entry) {
	putEntryKey(key, e.Slot)
	v := appendBallot(value[:valueHeaderLen], e.Ballot)
	v = appendBallot(v, e.Origin)
	v = binary.BigEndian.AppendUint64(v, uint64(e.Stamp))
	v = append(v, byte(e.Kind))
	copy(value[len(v):], e.Payload)
	c.seal(key, value)
}

// parseEntry copies the payload out of value.
func (c codec) parseEntry(key, value []byte) (consensus.Entry, bool) {
	if len(key) != entryKeyLen || len(value) < entryHeadLen || !c.sealed(key, value) {
		return consensus.Entry{}, false
	}
	r := reader(value[valueHeaderLen:])
	e := consensus.Entry{
		Slot:   slotOfKey(key),
		Ballot: r.ballot(),
		Origin: r.ballot(),
		Stamp:  consensus.Stamp(r.u64()),
		Kind:   consensus.Kind(r.u8()),
	}
	e.Payload = append([]byte(nil), r...)
	return e, true
}

// putChunk fills key and value, which have the lengths chunkKeyLen and
// valueHeaderLen plus that of the data.
func (c codec) putChunk(key, value []byte, chunk *consensus.Chunk) {
	putChunkKey(key, chunk.Gen, chunk.Index)
	copy(value[valueHeaderLen:], chunk.Data)
	c.seal(key, value)
}

// parseChunk copies the data out of value.
func (c codec) parseChunk(key, value []byte) ([]byte, bool) {
	if len(key) != chunkKeyLen || !c.sealed(key, value) {
		return nil, false
	}
	return append([]byte(nil), value[valueHeaderLen:]...), true
}
