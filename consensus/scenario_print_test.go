package consensus

import (
	"fmt"
	"strings"
)

// did is what a scenario prints of a round of member m.
func (m *member) note(format string, args ...any) {
	m.did = append(m.did, fmt.Sprintf("%d ", m.id)+fmt.Sprintf(format, args...))
}

func (m *member) noteOutput() {
	for i := range m.out.Writes {
		m.note("%s", printWrite(&m.out.Writes[i]))
	}
	for i := range m.out.Sends {
		s := &m.out.Sends[i]
		m.note("-> %d %s", s.To, printMessage(&s.Message))
	}
	for _, r := range m.out.Restores {
		m.note("restores chunk %d of %d of the snapshot at slot %d", r.Index+1, r.Meta.Chunks, r.Meta.Slot)
	}
	for _, ch := range m.out.Chosen {
		effect := ""
		if !ch.Effective {
			effect = " without effect"
		}
		m.note("hands out %d %s at %s%s", ch.Slot, printValue(ch.Origin, ch.Payload), printTime(uint64(ch.Now)), effect)
	}
	for _, r := range m.out.Reads {
		m.note("reads chunk %d of generation %d", r.Index+1, r.Gen)
	}
	if m.out.WantSnapshot {
		m.note("wants a snapshot")
	}
}

func printBallot(b Ballot) string { return fmt.Sprintf("%d.%d", b.Round, b.Node) }

func printTime(ns uint64) string { return fmt.Sprintf("%dms", ns/1_000_000) }

func printValue(origin Ballot, payload []byte) string {
	return fmt.Sprintf("%q of %s", payload, printBallot(origin))
}

func printEntries(entries []Entry) string {
	var parts []string
	for i := range entries {
		e := &entries[i]
		parts = append(parts, fmt.Sprintf("%d %s at %s", e.Slot, printValue(e.Origin, e.Payload), printBallot(e.Ballot)))
	}
	return strings.Join(parts, ", ")
}

func printWrite(w *Write) string {
	var parts []string
	if w.Promised != (Ballot{}) {
		parts = append(parts, "promise "+printBallot(w.Promised))
	}
	if len(w.Entries) > 0 {
		parts = append(parts, printEntries(w.Entries))
	}
	if w.Commit != 0 {
		parts = append(parts, fmt.Sprintf("commit %d", w.Commit))
	}
	if w.Roster != nil {
		parts = append(parts, "roster")
	}
	if w.Chunk != nil {
		parts = append(parts, fmt.Sprintf("chunk %d of generation %d", w.Chunk.Index+1, w.Chunk.Gen))
	}
	if w.Snapshot != nil {
		parts = append(parts, fmt.Sprintf("generation %d in force at slot %d", w.Snapshot.Gen, w.Snapshot.Slot))
	}
	return fmt.Sprintf("writes #%d: %s", w.Seq, strings.Join(parts, "; "))
}

var messageNames = map[MessageType]string{
	MsgPreVote: "PreVote", MsgPreVoteAnswer: "PreVoteAnswer", MsgPrepare: "Prepare", MsgPromise: "Promise",
	MsgAccept: "Accept", MsgAccepted: "Accepted", MsgHeartbeat: "Heartbeat", MsgAlive: "Alive", MsgNack: "Nack",
	MsgOffer: "Offer", MsgAsk: "Ask", MsgChunk: "Chunk", MsgHandOver: "HandOver",
}

func printMessage(m *Message) string {
	name := fmt.Sprintf("%s %s", messageNames[m.Type], printBallot(m.Ballot))
	switch m.Type {
	case MsgPreVote:
		return fmt.Sprintf("%s promised %s commit %d", name, printBallot(m.Promised), m.Commit)
	case MsgPreVoteAnswer:
		return fmt.Sprintf("%s granted %v promised %s", name, m.Granted, printBallot(m.Promised))
	case MsgPrepare:
		return fmt.Sprintf("%s from %d", name, m.Slot)
	case MsgPromise:
		return strings.TrimSuffix(fmt.Sprintf("%s %d..%d: %s", name, m.Slot, m.Last, printEntries(m.Entries)), ": ")
	case MsgAccept:
		return strings.TrimSuffix(fmt.Sprintf("%s after %d commit %d: %s", name, m.Slot, m.Commit, printEntries(m.Entries)), ": ")
	case MsgHeartbeat:
		return fmt.Sprintf("%s after %d commit %d at %s", name, m.Slot, m.Commit, printTime(uint64(m.Stamp)))
	case MsgAccepted, MsgAlive:
		return fmt.Sprintf("%s up to %d", name, m.Slot)
	case MsgNack:
		if m.Slot != 0 {
			return fmt.Sprintf("%s go on from %d", name, m.Slot)
		}
		return fmt.Sprintf("%s promised %s", name, printBallot(m.Promised))
	case MsgOffer:
		return fmt.Sprintf("%s snapshot at slot %d", name, m.Meta.Slot)
	case MsgAsk, MsgChunk:
		return fmt.Sprintf("%s %d of %d of the snapshot at slot %d", messageNames[m.Type], m.Index+1, m.Meta.Chunks, m.Meta.Slot)
	}
	return name
}
