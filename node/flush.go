package node

import (
	"ticketing/consensus"
	"ticketing/proto"
)

// Flush ends a round: what was taken in since the last becomes at most one log
// entry, what was chosen is applied, and out gets the work there is. now is the
// clock, read after the round's last event: an entry is stamped no earlier than
// the arrival of any request in it.
func (n *Node) Flush(now consensus.Mono, out *Output) {
	out.reset()
	n.now = now
	n.core.Tick(now)
	n.follow(n.core.State())
	n.propose()
	n.snapshot.pump(n.core)
	n.take(out)
	n.follow(n.core.State())
	n.finishDrain(out)
	n.collectReplies(out)
	out.Wake = n.wake()
}

// propose makes the next entry of what waits, if there is cause and room for
// one.
func (n *Node) propose() {
	if !n.core.Ready() {
		return
	}
	n.collectExpires()
	if n.batch.empty() && len(n.expires) == 0 && !n.timeIsDue() {
		return
	}
	// Expires go last: a release or keep that arrived before them goes first.
	payload := append(n.batch.take(), n.expires...)
	slot := n.core.Propose(payload)
	n.lastEntry = n.now
	if len(n.expires) > 0 {
		n.expiring = slot
		n.expires = n.expires[:0]
	}
}

// take carries the core's work over to out and applies what was chosen.
func (n *Node) take(out *Output) {
	t := &n.taken
	n.core.Take(t)
	out.Writes = append(out.Writes, t.Writes...)
	out.Sends = append(out.Sends, t.Sends...)
	out.Reads = append(out.Reads, t.Reads...)
	for i := range t.Restores {
		n.restoreChunk(&t.Restores[i])
	}
	for i := range t.Chosen {
		n.apply(&t.Chosen[i])
	}
	out.Applied = append(out.Applied, t.Chosen...)
	if t.WantSnapshot {
		n.snapshot.begin(n.table)
	}
}

// finishDrain tells those who wait that they wait in vain, once nothing that
// could still be answered is in flight.
func (n *Node) finishDrain(out *Output) {
	if !n.draining || !n.batch.empty() || n.reigning() && n.inFlight() {
		return
	}
	n.refuseOpen(proto.NoLeader)
	n.drained = true
	out.Idle = true
}

// collectReplies hands over the replies of this round, each connection's as one
// buffer.
func (n *Node) collectReplies(out *Output) {
	for _, i := range n.conns.dirty {
		c := &n.conns.places[i]
		if !c.dirty {
			continue // gone since, and its place perhaps taken anew
		}
		c.dirty = false
		out.Replies = append(out.Replies, Reply{Conn: c.id, Bytes: c.out, Drop: c.drop})
		c.out = keep(c.out)
	}
	n.conns.dirty = n.conns.dirty[:0]
}
