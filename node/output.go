package node

import "ticketing/consensus"

// Reply is bytes for one connection: whole frames, in the order in which they
// were decided.
type Reply struct {
	Conn  Conn
	Bytes []byte
	// Drop says that the connection costs more than it may: the shell closes
	// it, hands over nothing more, and calls Gone.
	Drop bool
}

// Output is the work of one round. Its slices are filled anew by each Flush, and
// the bytes of Replies are good until the next Request, Refuse or Flush (a Gone
// in between, for a connection that breaks while it is written to, is allowed).
// What the Writes and Sends point to stays unchanged for ever.
type Output struct {
	Writes  []consensus.Write
	Sends   []consensus.Send
	Reads   []consensus.ChunkRead
	Replies []Reply
	// Applied are the entries whose effect is now in the table, in the order
	// of their slots.
	Applied []consensus.Chosen
	// Wake is when Flush must be called though nothing happened; 0 is never.
	Wake consensus.Mono
	// Idle: a draining node has nothing in flight and nothing unanswered.
	Idle bool
}

func (o *Output) reset() {
	o.Writes = o.Writes[:0]
	o.Sends = o.Sends[:0]
	o.Reads = o.Reads[:0]
	o.Replies = o.Replies[:0]
	o.Applied = o.Applied[:0]
	o.Wake = 0
	o.Idle = false
}
