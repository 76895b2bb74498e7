package storage

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The engine's log files and its MANIFEST are sequences of blocks of 32 KiB,
// and a block is a sequence of chunks:
//
//	crc(4) length(2) type(1) payload                           MANIFEST
//	crc(4) length(2) type(1) log(4) payload                    first log of a new store
//	crc(4) length(2) type(1) log(4) synced(8) payload          log
//
// all little-endian; crc is over everything after length. A record is one
// chunk, or a first, any number of middle ones and a last. What does not fit
// into a block at its end is zero. A log file is used again under another
// number, so behind its last record there is anything at all.
//
// The engine itself reads up to the first chunk that it can't make sense of,
// and then looks for valid ones in later blocks, not in the rest of the same
// block: a damaged byte within the last 32 KiB passes for the end of the log,
// and silently costs every record after it. In the MANIFEST it does not look
// at all. A log number that is off by one passes for the end, unchecked. So
// scan reads the files first, to the end, whatever is in between.
const (
	scanBlock     = 32 << 10
	chunkFull     = 1 // and first, middle, last; each kind of file has its own four
	chunkFirst    = 2
	chunkMiddle   = 3
	chunkLast     = 4
	chunkKinds    = 4
	scanHeadBytes = 256 // of a record that its reader gets to see

	manifestTypes = 1
	plainLogTypes = 5
	syncLogTypes  = 9

	manifestHeader = 7
	plainLogHeader = manifestHeader + 4
	syncLogHeader  = plainLogHeader + 8
)

// scanned is what a file holds.
type scanned struct {
	records int
	// hole is where the first bytes stand that are no chunk and that a whole
	// record follows; -1 if there are none.
	hole int64
	// suspect is where the first bytes stand that are no chunk, or -1. In a log
	// that the engine has closed, that is its end mark.
	suspect int64
	closed  bool
}

// scanner reads one file.
type scanner struct {
	log    uint32 // number of the log file; 0 for the MANIFEST
	record func(head []byte)
	result scanned

	head   []byte // of the record that has begun
	inside bool   // a record has begun
}

// scan calls record with the first bytes of each whole record in path.
func scan(fsys vfs.FS, path string, log uint32, record func(head []byte)) (scanned, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return scanned{}, err
	}
	defer f.Close()
	s := scanner{log: log, record: record, result: scanned{hole: -1, suspect: -1}}
	block := make([]byte, scanBlock)
	for base := int64(0); ; base += scanBlock {
		n, err := io.ReadFull(f, block)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return scanned{}, err
		}
		s.block(block[:n], base)
		if n < scanBlock {
			return s.result, nil
		}
	}
}

// block reads the chunks of one block, which stands at base.
func (s *scanner) block(b []byte, base int64) {
	for at := 0; at < len(b); {
		kind, payload, end := s.chunk(b[at:])
		if end == 0 {
			if len(b)-at < syncLogHeader && allZero(b[at:]) {
				return
			}
			s.inside = false
			if s.result.suspect < 0 {
				s.result.suspect, s.result.closed = base+int64(at), s.endMark(b[at:])
			}
			at++
			continue
		}
		s.take(kind, payload)
		at += end
	}
}

// chunk returns the chunk at the beginning of b; end is 0 if there is none.
func (s *scanner) chunk(b []byte) (kind int, payload []byte, end int) {
	if len(b) < manifestHeader {
		return 0, nil, 0
	}
	kind, header := int(b[6]), manifestHeader
	switch {
	case s.log == 0:
		kind -= manifestTypes - 1
	case kind >= syncLogTypes:
		kind, header = kind-syncLogTypes+1, syncLogHeader
	default:
		kind, header = kind-plainLogTypes+1, plainLogHeader
	}
	end = header + int(binary.LittleEndian.Uint16(b[4:]))
	if kind < 1 || kind > chunkKinds || end > len(b) {
		return 0, nil, 0
	}
	if s.log != 0 && binary.LittleEndian.Uint32(b[manifestHeader:]) != s.log {
		return 0, nil, 0
	}
	if binary.LittleEndian.Uint32(b) != engineChecksum(b[6:end]) {
		return 0, nil, 0
	}
	return kind, b[header:end], end
}

// endMark reports whether b begins with what the engine closes a log with: a
// chunk without checksum and contents, of the next log.
func (s *scanner) endMark(b []byte) bool {
	return len(b) >= plainLogHeader && b[6] == plainLogTypes &&
		binary.LittleEndian.Uint32(b[manifestHeader:]) == s.log+1
}

// take adds a chunk to the record that it belongs to.
func (s *scanner) take(kind int, payload []byte) {
	switch kind {
	case chunkFull, chunkFirst:
		s.inside, s.head = true, s.head[:0]
	}
	if !s.inside {
		return
	}
	s.head = append(s.head, payload[:min(len(payload), scanHeadBytes-len(s.head))]...)
	if kind != chunkFull && kind != chunkLast {
		return
	}
	s.inside = false
	s.result.records++
	if s.result.hole < 0 {
		s.result.hole = s.result.suspect
	}
	s.record(s.head)
}

// engineChecksum is the engine's: CRC-32C, rotated and shifted.
func engineChecksum(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

func allZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// batchNumber returns the number of the batch of ours that a log record is;
// ok is false where it is none of this store's. A record is the engine's
// header, and then operations: kind(1), length and key, length and value. The
// first sets m/state, whose lengths take one byte each.
func (c codec) batchNumber(record []byte) (number uint64, ok bool) {
	const engineHeader, kindSet = 12, 1
	head := append([]byte{kindSet, byte(len(keyState))}, keyState...)
	head = append(head, stateLen)
	if len(record) < engineHeader+len(head)+stateLen || !bytes.HasPrefix(record[engineHeader:], head) {
		return 0, false
	}
	st, ok := c.parseState(record[engineHeader+len(head):][:stateLen])
	return st.batch, ok
}
