package consensus

import (
	"fmt"
	"math/rand/v2"
)

// Config is fixed for the life of a Core.
type Config struct {
	Node    NodeID
	Members int // 1, 3 or 5; their ids are 1..Members
	// Store is this node's store. If it is zero the members are who their
	// ids say, and the cluster is formed: for a log with one member, and
	// for members that live in one process.
	Store StoreID
	// Join: the store was made to take another's place. It counts only until
	// the store has a roster.
	Join bool
	// Start is the payload of this node's LeaderStart entries.
	Start []byte
	// Heartbeat and ElectionTimeout in nanoseconds; unused with one member.
	Heartbeat       Mono
	ElectionTimeout Mono
	// DriftPPM is how far the rate of any member's clock may be from true
	// time, in parts per million. 0: 1000.
	DriftPPM uint32
	// SnapshotBytes of entries applied since the last snapshot (or four
	// times the last snapshot's size, if that is more) ask for a new one.
	// 0: never (nothing here outlives the process).
	SnapshotBytes uint64
	// Limits has its defaults when zero.
	Limits Limits
	// Seed feeds the only random numbers, the jitter of elections, and tells
	// two processes on copies of one store apart: draw it anew for each.
	Seed uint64
}

// Core is one member's part in the log. One goroutine at a time may call it.
//
// A round is: any number of Step, Persisted and ChunkRead; one Tick; any
// number of Propose and SnapshotChunk; one Take. What depends on the time
// happens in Tick, so an event is never taken to be older than it is.
type Core struct {
	cfg    Config
	quorum int
	now    Mono
	rng    *rand.Rand

	// What this node has promised and accepted. It may be ahead of what is
	// durable: the gate keeps back whatever must not leave before.
	promised Ballot
	log      window
	gate     gate

	role      Role
	leader    NodeID
	seenRound uint64 // the highest round known to be in use anywhere

	commit  Slot
	applied Slot   // handed out in Chosen, or covered by a snapshot
	state   replay // at applied
	pending uint64 // cost of the entries above applied

	acceptor  acceptor
	timers    timers
	candidacy candidacy // while RoleCandidate
	reign     reign     // while RoleLeader
	snapshot  snapshots
	fetch     fetch
	serving   serving

	membership membership

	chosen   []Chosen
	sends    []Send // for the next Take
	sent     []Send // given out by the last
	restores []Restore
	restored []Restore // given out by the last Take
	reads    []ChunkRead
	asked    []ChunkRead // given out by the last Take
}

// New makes a Core of what the store held. A Core with a snapshot begins at
// its slot: the caller restores the state machine from the stored chunks
// itself, and the entries above it that are known to be chosen are handed out
// again by the first Take.
func New(cfg Config, rec Recovered, now Mono) *Core {
	if cfg.DriftPPM == 0 {
		cfg.DriftPPM = defaultDriftPPM
	}
	cfg.Limits = cfg.Limits.withDefaults()
	c := &Core{
		cfg:      cfg,
		quorum:   cfg.Members/2 + 1,
		now:      now,
		rng:      rand.New(rand.NewPCG(cfg.Seed, uint64(cfg.Node))),
		promised: rec.Promised,
	}
	c.acceptor.promisedDurably = rec.Promised
	c.recover(rec)
	c.recoverRoster(rec.Roster)
	if cfg.Members == 1 {
		c.campaign()
		c.Tick(now)
		return c
	}
	c.timers.heardAt = now
	c.resetElection()
	return c
}

func (c *Core) recover(rec Recovered) {
	if m := rec.Snapshot; m != nil {
		c.snapshot.inForce = *m
		c.snapshot.gen = m.Gen
		c.state = replay{mark: m.Mark, now: m.Now}
	}
	c.applied = c.snapshot.inForce.Slot
	c.seenRound = max(rec.Promised.Round, c.state.mark.Round)
	c.log.first = c.applied + 1
	for i := range rec.Entries {
		e := &rec.Entries[i]
		if e.Slot != c.log.last()+1 {
			panic(fmt.Sprintf("BUG: recovered slot %d after slot %d", e.Slot, c.log.last()))
		}
		c.log.put(*e)
		c.pending += cost(e)
		c.seenRound = max(c.seenRound, e.Ballot.Round)
	}
	c.commit = max(rec.Commit, c.applied)
	c.gate.hinted = rec.Commit
	c.gate.last = c.log.last()
	if c.commit > c.log.last() {
		panic(fmt.Sprintf("BUG: recovered commit %d is above the last slot %d", c.commit, c.log.last()))
	}
}

// Step takes in a message of another member.
func (c *Core) Step(from NodeID, m *Message) {
	if from == 0 || int(from) > c.cfg.Members || from == c.cfg.Node {
		panic(fmt.Sprintf("BUG: message of member %d to member %d of %d", from, c.cfg.Node, c.cfg.Members))
	}
	if !c.hears(m) {
		return
	}
	if c.promised.Less(m.Promised) {
		c.learnOf(m.Promised)
	}
	switch m.Type {
	case MsgPreVote:
		c.onPreVote(from, m)
	case MsgPreVoteAnswer:
		c.onPreVoteAnswer(from, m)
	case MsgPrepare:
		c.onPrepare(from, m)
	case MsgPromise:
		c.onPromise(from, m)
	case MsgAccept:
		c.onAccept(from, m)
	case MsgAccepted:
		c.onAccepted(from, m)
	case MsgHeartbeat:
		c.onHeartbeat(from, m)
	case MsgAlive:
		c.onAlive(from, m)
	case MsgNack:
		c.onNack(from, m)
	case MsgOffer:
		c.onOffer(from, m)
	case MsgAsk:
		c.onAsk(from, m)
	case MsgChunk:
		c.onChunk(from, m)
	case MsgHandOver:
		c.onHandOver(from, m)
	default:
		panic(fmt.Sprintf("BUG: message of unknown type %d", m.Type))
	}
}

// hears reports whether a message is for a store of this standing.
func (c *Core) hears(m *Message) bool {
	if c.votes() {
		return true
	}
	switch m.Type {
	case MsgAccept, MsgHeartbeat, MsgOffer, MsgAsk, MsgChunk:
		return c.isLearner() && c.membership.roster.formed()
	}
	return false
}

// Persisted says that the write seq and all before it are durable.
func (c *Core) Persisted(seq uint64) {
	for _, h := range c.gate.persisted(seq) {
		c.release(h.send)
	}
	c.acceptor.promisesPersisted(seq)
	c.rosterPersisted(seq)
	c.snapshot.persisted(seq)
	c.fetch.stored = dropUpTo(c.fetch.stored, seq)
}

// Take fills out with the work there is.
func (c *Core) Take(out *Output) {
	c.acknowledge()
	c.handOut()
	c.stream()
	c.trim()
	out.Chosen = c.chosen
	out.WantSnapshot = c.wantSnapshot()
	out.Writes = c.gate.take(c.commit, c.log.last(), c.now)
	out.Hello, c.membership.changed = c.membership.changed, false
	out.Wake = c.wake()
	if c.cfg.Members == 1 {
		out.Sends, out.Restores, out.Reads = nil, nil, nil
		return
	}
	out.Sends = turn(&c.sends, &c.sent)
	out.Restores = turn(&c.restores, &c.restored)
	out.Reads = turn(&c.reads, &c.asked)
}

// turn hands over what open has gathered and empties what was handed over
// before, to be used again.
func turn[T any](open, given *[]T) []T {
	clear(*given)
	*open, *given = (*given)[:0], *open
	return *given
}

// send lets a message leave with the next Take.
func (c *Core) send(to NodeID, m Message) {
	c.sends = append(c.sends, Send{To: to, Message: m})
}

// broadcast sends a message to every other member.
func (c *Core) broadcast(m Message) {
	for n := NodeID(1); int(n) <= c.cfg.Members; n++ {
		if n != c.cfg.Node {
			c.send(n, m)
		}
	}
}

// sendAfter lets a message leave once the write need is durable.
func (c *Core) sendAfter(need uint64, to NodeID, m Message) {
	s := Send{To: to, Message: m}
	if need <= c.gate.durable {
		c.release(s)
		return
	}
	c.gate.hold(need, s)
}

// release lets a message go that had waited for the disk.
func (c *Core) release(s Send) {
	if s.Message.Type == MsgAccepted {
		c.acceptor.durable(&s.Message)
	}
	if s.To == c.cfg.Node {
		c.onAccepted(s.To, &s.Message)
		return
	}
	c.sends = append(c.sends, s)
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
	role := c.role
	if !c.votes() {
		role = RoleLearner
	}
	return State{
		Role:    role,
		Ballot:  c.promised,
		Leader:  c.leader,
		Commit:  c.commit,
		Applied: c.applied,
		Last:    c.log.last(),
		Mark:    c.state.mark,
		Now:     c.state.now,
	}
}
