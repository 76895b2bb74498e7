package consensus

import (
	"encoding/binary"
	"fmt"
)

// Standing is what a store may do in its cluster.
type Standing uint8

const (
	// StandingUnformed does nothing but meet the others.
	StandingUnformed Standing = iota + 1
	// StandingVoter promises, accepts and leads.
	StandingVoter
	// StandingLearner follows and counts for nothing: a new store in an old
	// one's place that does not know yet what the old one may have promised.
	StandingLearner
)

// String returns "unformed", "voter" or "learner".
func (s Standing) String() string {
	switch s {
	case StandingUnformed:
		return "unformed"
	case StandingVoter:
		return "voter"
	case StandingLearner:
		return "learner"
	}
	return fmt.Sprintf("standing %d", uint8(s))
}

// Roster is what a member has durably recorded of its cluster.
type Roster struct {
	Standing    Standing
	Incarnation uint64 // of this process: one more at each start on this store
	// Stores by NodeID-1. All zero until every member has been met.
	Stores [maxMembers]StoreID
	// At is the slot of the last replacement that Stores has; 0: none.
	At Slot
	// Floor is the highest ballot that any other member had promised when
	// this store took its place. Only a learner has one; zero: not known yet.
	Floor Ballot
	// Seen by NodeID-1 is what each member has said of itself last.
	Seen [maxMembers]Seen
}

// Seen is what a member has said of itself, or shown: none of it goes back in
// the life of a store.
type Seen struct {
	Incarnation uint64
	Process     uint64 // drawn at random by each process
	Promised    Ballot
	Last        Slot // of its log
}

const (
	seenBytes   = 8 + 8 + ballotBytes + 8
	rosterBytes = 1 + 1 + 8 + maxMembers*16 + 8 + ballotBytes + maxMembers*seenBytes
)

const rosterVersion = 1

// AppendRoster appends the roster as a store keeps it.
func AppendRoster(b []byte, r *Roster) []byte {
	b = append(b, rosterVersion, byte(r.Standing))
	b = binary.BigEndian.AppendUint64(b, r.Incarnation)
	for i := range r.Stores {
		b = append(b, r.Stores[i][:]...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(r.At))
	b = appendBallot(b, r.Floor)
	for i := range r.Seen {
		b = appendSeen(b, &r.Seen[i])
	}
	return b
}

func appendSeen(b []byte, s *Seen) []byte {
	b = binary.BigEndian.AppendUint64(b, s.Incarnation)
	b = binary.BigEndian.AppendUint64(b, s.Process)
	b = appendBallot(b, s.Promised)
	return binary.BigEndian.AppendUint64(b, uint64(s.Last))
}

func (d *decoder) seen() Seen {
	return Seen{Incarnation: d.u64(), Process: d.u64(), Promised: d.ballot(), Last: Slot(d.u64())}
}

// DecodeRoster reads what AppendRoster wrote.
func DecodeRoster(b []byte) (Roster, error) {
	if len(b) != rosterBytes || b[0] != rosterVersion {
		return Roster{}, fmt.Errorf("roster of %d bytes, version %d: not one of this program", len(b), b[:min(1, len(b))])
	}
	d := decoder{b: b[1:]}
	r := Roster{Standing: Standing(d.u8()), Incarnation: d.u64(), Stores: d.stores(), At: Slot(d.u64()), Floor: d.ballot()}
	for i := range r.Seen {
		r.Seen[i] = d.seen()
	}
	if r.Standing < StandingUnformed || r.Standing > StandingLearner {
		return Roster{}, fmt.Errorf("roster with %v", r.Standing)
	}
	return r, nil
}

func (d *decoder) stores() (stores [maxMembers]StoreID) {
	for i := range stores {
		copy(stores[i][:], d.take(len(stores[i])))
	}
	return stores
}

// membership is this member's part in forming the cluster and in replacing
// stores. It is idle where Config.Store is zero.
type membership struct {
	roster  Roster
	writing uint64            // the write that makes roster durable
	hello   Hello             // as it is on disk; Node 0: not yet
	changed bool              // hello has changed since the last Take
	met     [maxMembers]Hello // what others have said in this process
	barred  votes             // while leading: members that an entry of the log, not applied yet, replaces
}

// recoverRoster begins a new incarnation on what the store holds.
func (c *Core) recoverRoster(stored []byte) {
	if c.cfg.Store == (StoreID{}) {
		return
	}
	r := Roster{Standing: StandingUnformed}
	if c.cfg.Join {
		r.Standing = StandingLearner
	}
	if stored != nil {
		var err error
		if r, err = DecodeRoster(stored); err != nil {
			panic(fmt.Sprintf("BUG: the store has handed over a roster that it should have refused: %v", err))
		}
	}
	r.Incarnation++
	c.membership.roster = r
	c.writeRoster()
}

func (c *Core) writeRoster() {
	m := &c.membership
	c.gate.tail().Roster = AppendRoster(nil, &m.roster)
	m.writing = c.gate.newest
}

// rosterPersisted notes what of the roster, and of what else this node says of
// itself, is durable now.
func (c *Core) rosterPersisted(seq uint64) {
	m := &c.membership
	if m.writing == 0 || m.writing > seq {
		return
	}
	m.writing = 0
	hello := Hello{
		Node:     c.cfg.Node,
		Store:    c.cfg.Store,
		Standing: m.roster.Standing,
		Stores:   m.roster.Stores,
		At:       m.roster.At,
		Self:     Seen{Incarnation: m.roster.Incarnation, Process: c.cfg.Seed},
	}
	m.changed = m.changed || hello != m.hello
	m.hello = hello
}

// Roster returns what is known of the cluster's stores. It is zero where
// Config.Store is.
func (c *Core) Roster() Roster { return c.membership.roster }

// votes reports whether this node may promise, accept and lead.
func (c *Core) votes() bool {
	m := &c.membership
	return c.cfg.Store == StoreID{} ||
		m.roster.Standing == StandingVoter && m.roster.Stores[c.cfg.Node-1] == c.cfg.Store
}

// isLearner reports whether this node follows without counting.
func (c *Core) isLearner() bool {
	return c.cfg.Store != StoreID{} && c.membership.roster.Standing == StandingLearner
}
