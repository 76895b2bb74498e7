package consensus

// MessageType says what a Message is.
type MessageType uint8

// MsgAccepted says that every slot up to Slot is chosen, or durably accepted
// at Ballot.
const MsgAccepted MessageType = 1

// Message is what members send each other.
type Message struct {
	Type   MessageType
	Ballot Ballot
	Slot   Slot
}
