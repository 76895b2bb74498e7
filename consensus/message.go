package consensus

// MessageType says what a Message is. doc.go has the table of who sends what
// to whom, and what must be durable before.
type MessageType uint8

const (
	// MsgPreVote asks whether a Prepare of Ballot would be welcome. Promised
	// and Commit are the sender's. It changes nothing anywhere.
	MsgPreVote MessageType = iota + 1
	// MsgPreVoteAnswer echoes Ballot; Promised is the sender's promise.
	MsgPreVoteAnswer
	// MsgPrepare asks for a promise of Ballot and for everything accepted
	// from Slot on. Sent is the sender's clock.
	MsgPrepare
	// MsgPromise promises Ballot. Slot and Sent are echoed; Last is the last
	// slot of the log at the instant of the promise (Slot-1: nothing from
	// Slot on), and Entries are one chunk of Slot..Last.
	MsgPromise
	// MsgAccept brings Entries of Ballot, the first of them Slot+1: its
	// sender has sent everything up to Slot before. Without entries it only
	// brings Commit.
	MsgAccept
	// MsgAccepted says that every slot up to Slot is chosen, or durably
	// accepted at Ballot. Learner: it is a learner's word, and no vote.
	MsgAccepted
	// MsgHeartbeat says that the leader of Ballot lives. Everything up to
	// Slot has been sent; Stamp is log time at sending, Sent the sender's
	// clock.
	MsgHeartbeat
	// MsgAlive answers a heartbeat: Ballot and Sent are echoed, Slot and
	// Learner are as in MsgAccepted, and Promised is a learner's floor.
	MsgAlive
	// MsgNack refuses what was asked under Ballot, because of Promised; or,
	// with Slot not 0, tells the leader of Ballot to go on sending from
	// there. Sent is echoed.
	MsgNack
	// MsgOffer says that the log its receiver needs is gone, and that the
	// snapshot of Meta covers it. Ballot is that of the refused Prepare, if
	// there was one.
	MsgOffer
	// MsgAsk asks for chunk Index of the snapshot of Meta.
	MsgAsk
	// MsgChunk is chunk Index of the snapshot of Meta.
	MsgChunk
	// MsgHandOver tells a follower that has everything to take over from
	// the leader of Ballot at once.
	MsgHandOver
)

// Message is what members send each other. Which fields carry what depends on
// the type; the others are zero. Receivers share Entries and Data with it, so
// they must not be changed.
type Message struct {
	Type     MessageType
	Granted  bool
	Learner  bool
	Ballot   Ballot
	Promised Ballot
	Slot     Slot
	Last     Slot
	Commit   Slot
	Stamp    Stamp
	Sent     Mono
	Index    uint32
	Meta     SnapshotMeta
	Entries  []Entry
	Data     []byte
}
