package node

import (
	"fmt"

	"ticketing/consensus"
	"ticketing/lock"
)

// Config is fixed for the life of a Node.
type Config struct {
	// Consensus is handed on; its Start is filled in from Settings.
	Consensus consensus.Config
	// Settings decide answers; they go into the log with the first entry of
	// each reign.
	Settings lock.Settings
	// MaxInflight is how many requests of one connection may be unanswered:
	// above it an acquire gets B at once.
	MaxInflight int
	// Addresses are the members' as clients know them, by NodeID-1. Nil in
	// single mode.
	Addresses []string
}

// Node is one replica. One goroutine at a time may call it.
type Node struct {
	cfg   Config
	core  *consensus.Core
	table *lock.Table
	conns conns
	batch batch

	// reign is the ballot under which this node leads, zero while it does not.
	reign consensus.Ballot
	// leader is who was last announced to the clients.
	leader   consensus.NodeID
	draining bool
	// drained: everything that could be answered has been, and the rest has
	// been told no_leader.
	drained bool

	now       consensus.Mono // clock of this round
	lastEntry consensus.Mono // when an entry was last proposed
	lastSweep consensus.Mono
	// expiring is the slot of the last entry that carried Expires: no more are
	// proposed before it is applied, since they would name the same keys.
	expiring consensus.Slot

	// routing is set while an entry is applied whose answers have someone to
	// go to.
	routing bool

	snapshot snapshotter
	restorer *lock.Restorer
	digests  digests
	counts   Counts
	taken    consensus.Output
	expires  []byte
}

// New makes a replica of what the store held. chunks are those of
// rec.Snapshot, in order. The error says what is wrong with the snapshot.
func New(cfg Config, rec consensus.Recovered, chunks [][]byte, now consensus.Mono) (*Node, error) {
	table := lock.New()
	if rec.Snapshot != nil {
		restored, err := restore(chunks)
		if err != nil {
			return nil, fmt.Errorf("snapshot at slot %d: %w", rec.Snapshot.Slot, err)
		}
		table = restored
	}
	cfg.Consensus.Start = lock.AppendSettings(nil, cfg.Settings)
	return &Node{
		cfg:       cfg,
		core:      consensus.New(cfg.Consensus, rec, now),
		table:     table,
		now:       now,
		lastEntry: now,
		lastSweep: now,
	}, nil
}

func restore(chunks [][]byte) (*lock.Table, error) {
	r := lock.NewRestorer()
	for i, chunk := range chunks {
		if err := r.Add(chunk); err != nil {
			return nil, fmt.Errorf("chunk %d: %w", i, err)
		}
	}
	return r.Table()
}

// Message takes in a message of another member.
func (n *Node) Message(from consensus.NodeID, m *consensus.Message) { n.core.Step(from, m) }

// Persisted says that the write seq and all before it are durable.
func (n *Node) Persisted(seq uint64) { n.core.Persisted(seq) }

// ChunkRead answers a ChunkRead of an Output. The node keeps data.
func (n *Node) ChunkRead(r consensus.ChunkRead, data []byte) { n.core.ChunkRead(r, data) }

// Drain begins the end: requests that come from now on get not_active, what
// was taken in is still carried out and answered, and when nothing is in flight
// any more, waiters get no_leader and Output.Idle is set.
func (n *Node) Drain() { n.draining = true }

// Serving reports whether requests are answered here: this node leads, its own
// LeaderStart is applied, and it is not draining.
func (n *Node) Serving() bool {
	return !n.draining && n.core.Leading() && n.core.State().Mark == n.reign
}

// lazy reports whether an expired key is taken over by the next acquire: single
// mode.
func (n *Node) lazy() bool { return n.cfg.Settings.Lazy }
