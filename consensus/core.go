package consensus

import "fmt"

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
type Core struct {
	cfg    Config
	quorum int
	now    Mono

	// What this node has promised and accepted. It may be ahead of what is
	// durable: the gate keeps back whatever must not leave before.
	promised Ballot
	log      window
	gate     gate

	role    Role
	leader  NodeID
	commit  Slot
	applied Slot
	state   replay // at applied

	// While leading.
	reign   reign
	matches []Slot // by NodeID-1: every slot up to here is chosen or durably accepted at promised
	acked   Slot   // up to here the leader's own vote is on its way
	sorted  []Slot // scratch for the quorum

	snapshot snapshots
	chosen   []Chosen
	sends    []Send
}

// New makes a Core of what the store held. A Core with a snapshot begins at
// its slot: the caller restores the state machine from the stored chunks
// itself, and the entries above it that are known to be chosen are handed out
// again by the first Take.
func New(cfg Config, rec Recovered, now Mono) *Core {
	c := &Core{
		cfg:      cfg,
		quorum:   cfg.Members/2 + 1,
		now:      now,
		promised: rec.Promised,
		matches:  make([]Slot, cfg.Members),
		sorted:   make([]Slot, cfg.Members),
	}
	if rec.Snapshot != nil {
		c.snapshot.inForce = *rec.Snapshot
		c.snapshot.gen = rec.Snapshot.Gen
		c.state = replay{mark: rec.Snapshot.Mark, now: rec.Snapshot.Now}
	}
	c.applied = c.snapshot.inForce.Slot
	c.log.first = c.applied + 1
	for i := range rec.Entries {
		if e := &rec.Entries[i]; e.Slot != c.log.last()+1 {
			panic(fmt.Sprintf("BUG: recovered slot %d after slot %d", e.Slot, c.log.last()))
		}
		c.log.push(rec.Entries[i])
	}
	c.commit = max(rec.Commit, c.applied)
	c.gate.hinted = rec.Commit
	if c.commit > c.log.last() {
		panic(fmt.Sprintf("BUG: recovered commit %d is above the last slot %d", c.commit, c.log.last()))
	}
	if cfg.Members == 1 {
		c.campaign()
	}
	return c
}

// Step takes in a message of another member.
func (c *Core) Step(from NodeID, m *Message) {
	if m.Type == MsgAccepted {
		c.onAccepted(from, m)
	}
}

// Persisted says that the write seq and all before it are durable.
func (c *Core) Persisted(seq uint64) {
	for _, h := range c.gate.persisted(seq) {
		if h.send.To == c.cfg.Node {
			c.Step(c.cfg.Node, &h.send.Message)
			continue
		}
		c.sends = append(c.sends, h.send)
	}
	c.snapshot.persisted(seq)
}

// Tick gives the core the time: the clock of the node, read after the last
// event of the round. It is the only source of time.
func (c *Core) Tick(now Mono) {
	if now < c.now {
		panic(fmt.Sprintf("BUG: the clock went back: %d after %d", now, c.now))
	}
	c.now = now
}

// Take fills out with the work there is.
func (c *Core) Take(out *Output) {
	if c.role == RoleLeader {
		c.voteForOwn()
	}
	c.handOut()
	out.Chosen = c.chosen
	out.WantSnapshot = c.wantSnapshot()
	out.Writes = c.gate.take(c.commit)
	out.Sends = c.sends
	out.Restores, out.Reads, out.Wake = nil, nil, 0
}

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
func (c *Core) State() State {
	return State{
		Role:    c.role,
		Ballot:  c.promised,
		Leader:  c.leader,
		Commit:  c.commit,
		Applied: c.applied,
		Last:    c.log.last(),
		Mark:    c.state.mark,
		Now:     c.state.now,
	}
}
