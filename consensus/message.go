package consensus

// Message is what members send each other.
type Message struct{}
