package consensus

// Slot is a place in the replicated log. The first is 1; 0 means none.
type Slot uint64

// NodeID names a member, 1 to 5. 0 means none.
type NodeID uint8

// Ballot orders the attempts to lead: by round, then by node. The zero ballot
// is below every other and belongs to nobody.
type Ballot struct {
	Round uint64
	Node  NodeID
}

// Less reports whether b is below o.
func (b Ballot) Less(o Ballot) bool {
	if b.Round != o.Round {
		return b.Round < o.Round
	}
	return b.Node < o.Node
}

// StoreID names one store among all that ever were. The zero StoreID is none.
type StoreID [16]byte

// Mono is a reading of one node's monotonic clock in nanoseconds. It counts
// the time that the machine is suspended. Readings of two nodes, or of two
// processes, have nothing to do with each other.
type Mono uint64

// Stamp is log time in nanoseconds: it starts at 0 with an empty log, is
// advanced by the monotonic clock of whoever leads, and never runs faster
// than real time. See docs/CONSENSUS.md.
type Stamp uint64

// Kind says what a value is.
type Kind uint8

const (
	// KindCommands is a batch of commands for the state machine.
	KindCommands Kind = 1
	// KindLeaderStart opens the reign of its origin ballot. Its payload is
	// the leader's settings.
	KindLeaderStart Kind = 2
	// KindReplace puts another store in a member's place. It is this
	// package's own: the state machine gets it as a batch without commands.
	KindReplace Kind = 3
)

// Entry is what a slot holds: a value, and the ballot under which this node
// accepted it.
type Entry struct {
	Slot   Slot
	Ballot Ballot // accepted under
	Origin Ballot // ballot of the leader that made the value; never changes
	Stamp  Stamp
	Kind   Kind
	// Payload is opaque to this package. It must not be changed once an
	// Entry holds it: messages, writes and the window share the bytes.
	Payload []byte
}

// SnapshotMeta says what a snapshot is of. Everything in it but Gen is the
// same on each node that snapshots at the same slot.
type SnapshotMeta struct {
	Gen    uint64 // names the snapshot's chunks on this node's disk; rises
	Slot   Slot   // last slot whose effect is in it
	Mark   Ballot // ballot of the last effective LeaderStart at Slot
	Now    Stamp  // log time at Slot
	Chunks uint32 // number of chunks, at least 1
	Bytes  uint64 // sum of the chunks' lengths
}

// Chunk is one piece of a snapshot that is being stored.
type Chunk struct {
	Gen   uint64
	Index uint32 // 0-based
	Data  []byte
}

// Write is one durable change. The writes of one node form one order: the
// store makes them durable in the order of Seq, several at once if it likes,
// and what is durable is always a prefix. Fields at their zero value change
// nothing.
type Write struct {
	Seq      uint64 // 1 for the first write of a process, then without gaps
	Promised Ballot // the promise that this node has made; never goes back
	Commit   Slot   // hint: every slot up to here is known to be chosen
	// Roster replaces what the store holds as its roster. It is opaque to
	// the store. Only where Config.Store is set.
	Roster []byte
	// Entries replace what their slots held. Slots rise by one within it,
	// and start at most one above the last slot of the log.
	Entries []Entry
	// Chunk adds to a snapshot that is not in force yet.
	Chunk *Chunk
	// Snapshot puts the snapshot with this Gen in force, whose chunks have
	// all been written before, drops every log entry up to its slot, and
	// drops the chunks of all other generations.
	Snapshot *SnapshotMeta
}

// Recovered is what the store held when the process started.
type Recovered struct {
	Promised Ballot
	Commit   Slot
	// Roster is that of the newest Write that had one; nil: none had.
	Roster []byte
	// Snapshot is nil where there never was one.
	Snapshot *SnapshotMeta
	// Entries is the log above the snapshot: contiguous, beginning one above
	// Snapshot.Slot (or at 1).
	Entries []Entry
}

// Chosen is an entry that a majority has accepted, handed to the state
// machine once, in the order of slots.
type Chosen struct {
	Slot   Slot
	Origin Ballot
	// Now is log time after this entry. It never falls.
	Now     Stamp
	Kind    Kind
	Payload []byte
	// Effective is false for what an old leader left behind: the state
	// machine must skip it, in every respect but the count of slots.
	Effective bool
}

// Restore is one chunk of a snapshot that takes the place of the state
// machine, in order of Index. The old state stays in force until the last.
type Restore struct {
	Meta  SnapshotMeta
	Index uint32
	Data  []byte
}

// Role is what a node is at this moment.
type Role uint8

const (
	RoleFollower Role = iota
	RoleCandidate
	RoleLeader
	RoleLearner
)

// Send is a message for another member.
type Send struct {
	To      NodeID
	Message Message
}

// ChunkRead asks the shell for a stored chunk; the answer comes back through
// Core.ChunkRead.
type ChunkRead struct {
	Gen   uint64
	Index uint32
}

// Output is the work that Core.Take hands back. Its slices belong to the
// Core and are good until the next Take.
type Output struct {
	// Writes must be made durable in order; then Persisted(Seq of the last).
	Writes []Write
	// Sends may leave at once: the Core has kept back what needed a write.
	Sends []Send
	// Restores come before Chosen.
	Restores []Restore
	Chosen   []Chosen
	// Reads come only where there are other members.
	Reads []ChunkRead
	// Hello says that Core.Hello has changed: send it on every connection to
	// another member. Only where Config.Store is set.
	Hello bool
	// WantSnapshot asks the state machine to begin a snapshot of itself as
	// it is after the last of Chosen, and to hand it over by SnapshotChunk.
	WantSnapshot bool
	// Wake is when Tick must be called though nothing happened; 0 is never.
	Wake Mono
}
