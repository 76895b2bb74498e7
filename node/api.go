// Package node is one replica, deterministic (stub of its surface).
package node

import (
	"ticketing/consensus"
	"ticketing/lock"
	"ticketing/proto"
)

// Conn names a client connection. Index is small and dense; a value is not
// used twice in a process.
type Conn uint64

// Index is where the shell may keep its own side of the connection in a slice.
func (c Conn) Index() int { return int(uint32(c)) }

// Config is fixed for the life of a node.
type Config struct {
	Consensus consensus.Config
	Settings  lock.Settings // becomes Consensus.Start
	// MaxInflight requests without an answer on one connection: over it an
	// acquire gets B at once.
	MaxInflight int
	// Addresses of the members as clients know them, by NodeID-1; nil in single mode.
	Addresses []string
}

// Node is one replica. One goroutine at a time.
type Node struct{}

// New makes a replica of what the store held. chunks are those of
// rec.Snapshot, in order.
func New(cfg Config, rec consensus.Recovered, chunks [][]byte, now consensus.Mono) (*Node, error) {
	panic("stub")
}

// Open admits a connection whose handshake is over.
func (n *Node) Open() Conn { panic("stub") }

// Request takes in one request; r.Key is copied.
func (n *Node) Request(c Conn, r *proto.Request) { panic("stub") }

// Refuse answers a frame that proto could not accept (bad_key, bad_lease, bad_frame).
func (n *Node) Refuse(c Conn, reason proto.Reason) { panic("stub") }

// Gone says that a connection ended. unsent are replies that the shell never
// handed to the socket layer, from a frame's first byte on: grants among
// them are given back.
func (n *Node) Gone(c Conn, unsent []byte) { panic("stub") }

// Message takes in a message of another member.
func (n *Node) Message(from consensus.NodeID, m *consensus.Message) { panic("stub") }

// Persisted says that the write seq and all before it are durable.
func (n *Node) Persisted(seq uint64) { panic("stub") }

// Drain begins the end: leadership is given away, new requests get not_active.
func (n *Node) Drain() { panic("stub") }

// Flush ends a round. now is the clock, read after the round's last event.
func (n *Node) Flush(now consensus.Mono, out *Output) { panic("stub") }

// Reply is bytes for one connection: whole frames. They are good until the
// next call of any method.
type Reply struct {
	Conn  Conn
	Bytes []byte
	// Drop: the connection has cost more than it may; hand over nothing, close it.
	Drop bool
}

// Output is the work of one round.
type Output struct {
	Writes  []consensus.Write
	Sends   []consensus.Send
	Reads   []consensus.ChunkRead
	Replies []Reply
	// Wake is when Flush must be called though nothing happened; 0 is never.
	Wake consensus.Mono
	// Idle: nothing is in flight and nothing waits (a drained node may stop).
	Idle bool
}
