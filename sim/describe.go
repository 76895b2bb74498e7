package sim

import (
	"fmt"
	"strings"

	"ticketing/consensus"
)

// messageNames are the words of the trace, by type.
var messageNames = [...]string{
	consensus.MsgPreVote:       "pre-vote",
	consensus.MsgPreVoteAnswer: "pre-vote-answer",
	consensus.MsgPrepare:       "prepare",
	consensus.MsgPromise:       "promise",
	consensus.MsgAccept:        "accept",
	consensus.MsgAccepted:      "accepted",
	consensus.MsgHeartbeat:     "heartbeat",
	consensus.MsgAlive:         "alive",
	consensus.MsgNack:          "nack",
	consensus.MsgOffer:         "offer",
	consensus.MsgAsk:           "ask",
	consensus.MsgChunk:         "chunk",
	consensus.MsgHandOver:      "hand-over",
}

// ballot is a ballot as the trace has it: round.node.
type ballot consensus.Ballot

// String returns "-" for the zero ballot.
func (b ballot) String() string {
	if b == (ballot{}) {
		return "-"
	}
	return fmt.Sprintf("%d.%d", b.Round, b.Node)
}

// describe is a message in few words: what is zero is left out.
func describe(m *consensus.Message) string {
	var s strings.Builder
	s.WriteString(messageNames[m.Type])
	say := func(name string, v uint64) {
		if v != 0 {
			fmt.Fprintf(&s, " %s=%d", name, v)
		}
	}
	for _, b := range []struct {
		name string
		v    consensus.Ballot
	}{{"b", m.Ballot}, {"promised", m.Promised}} {
		if b.v != (consensus.Ballot{}) {
			fmt.Fprintf(&s, " %s=%v", b.name, ballot(b.v))
		}
	}
	say("slot", uint64(m.Slot))
	say("last", uint64(m.Last))
	say("commit", uint64(m.Commit))
	if n := len(m.Entries); n > 0 {
		fmt.Fprintf(&s, " entries=%d..%d", m.Entries[0].Slot, m.Entries[n-1].Slot)
	}
	if m.Meta != (consensus.SnapshotMeta{}) {
		fmt.Fprintf(&s, " snapshot=%d chunk=%d/%d", m.Meta.Slot, m.Index, m.Meta.Chunks)
	}
	if m.Granted {
		s.WriteString(" granted")
	}
	if m.Learner {
		s.WriteString(" learner")
	}
	return s.String()
}

// describeEntry is what a slot holds, in few words.
func describeEntry(e *consensus.Chosen) string {
	what := fmt.Sprintf("commands %d bytes", len(e.Payload))
	if e.Kind == consensus.KindLeaderStart {
		what = "leader-start"
	}
	if !e.Effective {
		what += " (without effect)"
	}
	return fmt.Sprintf("slot=%d b=%v now=%.6fs %s", e.Slot, ballot(e.Origin), float64(e.Now)/1e9, what)
}
