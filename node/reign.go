package node

import (
	"ticketing/consensus"
	"ticketing/proto"
)

// reigning reports whether this node leads under a ballot of its own, though
// it may not have been confirmed lately.
func (n *Node) reigning() bool { return n.reign != consensus.Ballot{} }

// follow notices that the lead has changed since the last round.
func (n *Node) follow(st consensus.State) {
	reign := consensus.Ballot{}
	if st.Role == consensus.RoleLeader {
		reign = st.Ballot
	}
	if reign != n.reign {
		n.endReign()
		n.reign = reign
	}
	if st.Leader != n.leader && st.Leader != 0 {
		n.announce(st.Leader)
	}
	n.leader = st.Leader
}

// endReign answers everything open with no_leader: it may still take effect, so
// it has not failed, and what becomes of it is told to nobody.
func (n *Node) endReign() {
	n.batch.clear()
	n.expiring = 0
	n.refuseOpen(proto.NoLeader)
}

// refuseOpen sends reason to each connection that waits for an answer. One
// frame stands for all its requests: an error names none of them, and the
// clients drop the connection on it.
func (n *Node) refuseOpen(reason proto.Reason) {
	for i := range n.conns.places {
		if c := &n.conns.places[i]; c.inflight > 0 {
			c.inflight = 0
			n.refuse(c, reason)
		}
	}
}

// announce tells all clients who leads now.
func (n *Node) announce(leader consensus.NodeID) {
	addr, ok := n.address(leader)
	if !ok {
		return
	}
	for i := range n.conns.places {
		if c := &n.conns.places[i]; c.id != 0 {
			c.out = proto.AppendLeader(c.out, addr)
			n.conns.touch(c)
		}
	}
}

// redirect answers a request that this node may not decide.
func (n *Node) redirect(c *conn) {
	n.counts.Redirects++
	if addr, ok := n.address(n.leader); ok && n.leader != n.cfg.Consensus.Node {
		c.out = proto.AppendMoved(c.out, addr)
		n.conns.touch(c)
		return
	}
	n.refuse(c, proto.NoLeader)
}

// address returns the address that clients know the member by.
func (n *Node) address(id consensus.NodeID) (string, bool) {
	if id == 0 || int(id) > len(n.cfg.Addresses) {
		return "", false
	}
	return n.cfg.Addresses[id-1], true
}
