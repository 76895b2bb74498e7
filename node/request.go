package node

import (
	"fmt"

	"ticketing/lock"
	"ticketing/proto"
)

// Request takes in one request; r.Key is copied.
func (n *Node) Request(id Conn, r *proto.Request) {
	c := n.conns.must(id)
	switch {
	case n.draining:
		n.refuse(c, proto.NotActive)
	case !n.reigning() || !n.core.Leading():
		n.redirect(c)
	case n.admit(c, r):
		c.inflight++
		n.enlist(lock.Conn(id), r)
	}
}

// admit applies the caps that concern the connection alone. What it does not
// admit it has answered.
func (n *Node) admit(c *conn, r *proto.Request) bool {
	full := n.batch.bytes >= pendingBytesMax
	if r.Op == proto.OpAcquire && (full || c.inflight >= n.cfg.MaxInflight) {
		c.out = proto.AppendBusy(c.out, r.Owner, r.Key)
		n.conns.touch(c)
		n.counts.Busy++
		return false
	}
	if full || c.inflight >= dropFactor*n.cfg.MaxInflight {
		c.drop = true
		n.conns.touch(c)
		return false
	}
	return !c.drop
}

// enlist makes r a command of the next entry.
func (n *Node) enlist(c lock.Conn, r *proto.Request) {
	switch r.Op {
	case proto.OpAcquire:
		n.batch.appendAcquire(c, r.Owner, r.Wait, r.Lease, r.Key)
	case proto.OpRelease:
		n.batch.appendRelease(c, r.Token, r.Key)
	case proto.OpKeep:
		n.batch.appendKeep(c, r.Token, r.Lease, r.Key)
	default:
		panic(fmt.Sprintf("BUG: request with opcode %q", byte(r.Op)))
	}
}

// Refuse answers a frame that could not be accepted as a request.
func (n *Node) Refuse(id Conn, reason proto.Reason) { n.refuse(n.conns.must(id), reason) }

func (n *Node) refuse(c *conn, reason proto.Reason) {
	c.out = proto.AppendError(c.out, reason)
	n.conns.touch(c)
}
