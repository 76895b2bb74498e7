package consensus

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A message on the wire is its type in one byte and then the fields that its
// type has, in the order of this list. All integers are big-endian.
//
//	granted   1  0 or 1
//	learner   1  0 or 1
//	ballot    9  round 8, node 1
//	promised  9  like ballot
//	slot      8
//	last      8
//	commit    8
//	stamp     8
//	sent      8
//	index     4
//	meta     45  gen 8, slot 8, mark 9, now 8, chunks 4, bytes 8
//	entries      count 4, and if that is not 0 the first slot 8, then for each
//	             ballot 9, origin 9, stamp 8, kind 1, length 4, payload
//	data         length 4, bytes
type fields uint16

const (
	hasGranted fields = 1 << iota
	hasLearner
	hasBallot
	hasPromised
	hasSlot
	hasLast
	hasCommit
	hasStamp
	hasSent
	hasIndex
	hasMeta
	hasEntries
	hasData
)

// layouts says which fields each type of message has.
var layouts = [...]fields{
	MsgPreVote:       hasBallot | hasPromised | hasCommit,
	MsgPreVoteAnswer: hasGranted | hasBallot | hasPromised,
	MsgPrepare:       hasBallot | hasSlot | hasSent,
	MsgPromise:       hasBallot | hasSlot | hasLast | hasSent | hasEntries,
	MsgAccept:        hasBallot | hasSlot | hasCommit | hasSent | hasEntries,
	MsgAccepted:      hasLearner | hasBallot | hasSlot,
	MsgHeartbeat:     hasBallot | hasSlot | hasCommit | hasStamp | hasSent,
	MsgAlive:         hasLearner | hasBallot | hasPromised | hasSlot | hasSent,
	MsgNack:          hasBallot | hasPromised | hasSlot | hasSent,
	MsgOffer:         hasBallot | hasMeta,
	MsgAsk:           hasMeta | hasIndex,
	MsgChunk:         hasMeta | hasIndex | hasData,
	MsgHandOver:      hasBallot,
}

const (
	ballotBytes = 9
	entryBytes  = 2*ballotBytes + 8 + 1 + 4 // without payload
)

// AppendMessage appends the body of a peer frame.
func AppendMessage(b []byte, m *Message) []byte {
	has := layouts[m.Type]
	b = append(b, byte(m.Type))
	if has&hasGranted != 0 {
		b = appendBool(b, m.Granted)
	}
	if has&hasLearner != 0 {
		b = appendBool(b, m.Learner)
	}
	if has&hasBallot != 0 {
		b = appendBallot(b, m.Ballot)
	}
	if has&hasPromised != 0 {
		b = appendBallot(b, m.Promised)
	}
	for _, f := range []struct {
		bit   fields
		value uint64
	}{
		{hasSlot, uint64(m.Slot)}, {hasLast, uint64(m.Last)}, {hasCommit, uint64(m.Commit)},
		{hasStamp, uint64(m.Stamp)}, {hasSent, uint64(m.Sent)},
	} {
		if has&f.bit != 0 {
			b = binary.BigEndian.AppendUint64(b, f.value)
		}
	}
	if has&hasIndex != 0 {
		b = binary.BigEndian.AppendUint32(b, m.Index)
	}
	if has&hasMeta != 0 {
		b = appendMeta(b, &m.Meta)
	}
	if has&hasEntries != 0 {
		b = appendEntries(b, m.Entries)
	}
	if has&hasData != 0 {
		b = binary.BigEndian.AppendUint32(b, uint32(len(m.Data)))
		b = append(b, m.Data...)
	}
	return b
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendBallot(b []byte, v Ballot) []byte {
	return append(binary.BigEndian.AppendUint64(b, v.Round), byte(v.Node))
}

func appendMeta(b []byte, m *SnapshotMeta) []byte {
	b = binary.BigEndian.AppendUint64(b, m.Gen)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Slot))
	b = appendBallot(b, m.Mark)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Now))
	b = binary.BigEndian.AppendUint32(b, m.Chunks)
	return binary.BigEndian.AppendUint64(b, m.Bytes)
}

func appendEntries(b []byte, entries []Entry) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	if len(entries) == 0 {
		return b
	}
	b = binary.BigEndian.AppendUint64(b, uint64(entries[0].Slot))
	for i := range entries {
		e := &entries[i]
		b = appendBallot(b, e.Ballot)
		b = appendBallot(b, e.Origin)
		b = binary.BigEndian.AppendUint64(b, uint64(e.Stamp))
		b = append(b, byte(e.Kind))
		b = binary.BigEndian.AppendUint32(b, uint32(len(e.Payload)))
		b = append(b, e.Payload...)
	}
	return b
}

// DecodeMessage reads the body of a peer frame that came from a member. The
// message shares b, which must not be changed after. An error means that the
// sender can't be trusted any more.
func DecodeMessage(from NodeID, b []byte) (Message, error) {
	if len(b) == 0 || b[0] == 0 || int(b[0]) >= len(layouts) {
		return Message{}, fmt.Errorf("message of an unknown type from member %d: %.16x", from, b)
	}
	m := Message{Type: MessageType(b[0])}
	d := decoder{b: b[1:]}
	d.message(&m)
	if len(d.b) != 0 {
		d.fail("bytes are left over")
	}
	if d.err == nil {
		d.err = m.check(from)
	}
	if d.err != nil {
		return Message{}, fmt.Errorf("message of type %d from member %d: %w", m.Type, from, d.err)
	}
	return m, nil
}

// check says what is wrong with a message whoever it is for.
func (m *Message) check(from NodeID) error {
	switch m.Type {
	case MsgPreVote, MsgPrepare, MsgAccept, MsgHeartbeat, MsgHandOver:
		if m.Ballot.Node != from {
			return errors.New("the ballot is another member's")
		}
	}
	switch m.Type {
	case MsgPrepare, MsgPromise:
		if m.Slot == 0 {
			return errors.New("slot 0 asked for")
		}
	case MsgAsk, MsgChunk:
		if m.Index >= m.Meta.Chunks {
			return errors.New("no such chunk in the snapshot")
		}
	}
	return m.checkEntries()
}

func (m *Message) checkEntries() error {
	n := Slot(len(m.Entries))
	if m.Type == MsgPromise && m.Last < m.Slot-1 {
		return errors.New("a promise that ends before it begins")
	}
	if n == 0 {
		return nil
	}
	first := m.Entries[0].Slot
	last := first + n - 1
	switch {
	case first == 0 || last < first:
		return errors.New("slots out of range")
	case m.Type == MsgPromise && (first < m.Slot || last > m.Last):
		return errors.New("entries outside the promise")
	case m.Type == MsgAccept && first != m.Slot+1:
		return errors.New("entries do not begin where they should")
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Kind < KindCommands || e.Kind > KindReplace {
			return errors.New("unknown kind of entry")
		}
		if e.Kind == KindReplace && !isReplacement(e.Payload) {
			return errors.New("a replacement that names nobody")
		}
		if m.Type == MsgAccept && e.Ballot != m.Ballot {
			return errors.New("an entry of another ballot")
		}
	}
	return nil
}
