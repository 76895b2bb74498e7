package consensus

// Config is fixed for the life of a Core.
type Config struct {
	Node    NodeID
	Members int // 1, 3 or 5; their ids are 1..Members
	// Start is the payload of this node's LeaderStart entries.
	Start []byte
	// Heartbeat and ElectionTimeout in nanoseconds; unused with one member.
	Heartbeat       Mono
	ElectionTimeout Mono
	// SnapshotBytes of entries applied since the last snapshot (or four
	// times the last snapshot's size, if that is more) ask for a new one.
	// 0: never (nothing here outlives the process).
	SnapshotBytes uint64
	// Seed feeds the only random numbers: the jitter of elections.
	Seed uint64
}

// Core is one member's part in the log. One goroutine at a time may call it.
type Core struct{}

// New makes a Core of what the store held. The Output of the first Take holds
// a WantSnapshot-free replay: a Core with a snapshot begins at its slot (the
// caller restores the state machine from the stored chunks itself).
func New(cfg Config, rec Recovered, now Mono) *Core { panic("stub") }

// Step takes in a message of another member.
func (c *Core) Step(from NodeID, m *Message) { panic("stub") }

// Persisted says that the write seq and all before it are durable.
func (c *Core) Persisted(seq uint64) { panic("stub") }

// Tick gives the core the time: the clock of the node, read after the last
// event of the round. It is the only source of time.
func (c *Core) Tick(now Mono) { panic("stub") }

// Leading reports whether this node leads, has recovered the log, and has
// been confirmed by a majority lately: then requests may be proposed, now or
// as soon as Ready.
func (c *Core) Leading() bool { panic("stub") }

// Ready reports whether Propose may be called now. It is false while not
// Leading, and while enough is in flight: what waits becomes one entry.
func (c *Core) Ready() bool { panic("stub") }

// Propose makes payload the next entry, stamped with the time of the last
// Tick, and returns its slot. The core keeps payload; the caller must not
// touch it again. It may be empty: then the entry only moves log time.
// Calling it while not Ready is a bug.
func (c *Core) Propose(payload []byte) Slot { panic("stub") }

// Take fills out with the work there is.
func (c *Core) Take(out *Output) { panic("stub") }

// SnapshotChunk hands over the next chunk of the snapshot that WantSnapshot
// asked for; last ends it. The core keeps data.
func (c *Core) SnapshotChunk(data []byte, last bool) { panic("stub") }

// ChunkRead answers a ChunkRead of Output. The core keeps data.
func (c *Core) ChunkRead(r ChunkRead, data []byte) { panic("stub") }

// State is what the core shows of itself.
type State struct {
	Role    Role
	Ballot  Ballot // promised
	Leader  NodeID // 0: none known
	Commit  Slot
	Applied Slot // last slot handed out in Chosen or covered by a snapshot
	Last    Slot
	Mark    Ballot
	Now     Stamp // log time at Applied
}

// State returns what the core shows of itself at this moment.
func (c *Core) State() State { panic("stub") }

// LogTime returns the stamp that an entry proposed at mono would carry. Only
// while Leading.
func (c *Core) LogTime(mono Mono) Stamp { panic("stub") }

// MonoAt returns when this node's clock will show that an entry proposed then
// carries at least s. Only while Leading.
func (c *Core) MonoAt(s Stamp) Mono { panic("stub") }
