package consensus

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Hello is what members say of themselves before anything else, on each
// connection, and again whenever it changes.
type Hello struct {
	Node     NodeID
	Store    StoreID
	Standing Standing
	Stores   [maxMembers]StoreID // durably recorded; all zero: none yet
	At       Slot                // of the last replacement in Stores
	Self     Seen                // what is durable of the sender itself
}

const helloBytes = 1 + 16 + 1 + maxMembers*16 + 8 + seenBytes

// AppendHello appends the body of a hello.
func AppendHello(b []byte, h *Hello) []byte {
	b = append(b, byte(h.Node))
	b = append(b, h.Store[:]...)
	b = append(b, byte(h.Standing))
	for i := range h.Stores {
		b = append(b, h.Stores[i][:]...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(h.At))
	return appendSeen(b, &h.Self)
}

// DecodeHello reads what AppendHello wrote.
func DecodeHello(b []byte) (Hello, error) {
	if len(b) != helloBytes {
		return Hello{}, fmt.Errorf("hello of %d bytes, it should have %d", len(b), helloBytes)
	}
	d := decoder{b: b}
	h := Hello{Node: NodeID(d.u8())}
	copy(h.Store[:], d.take(len(h.Store)))
	h.Standing = Standing(d.u8())
	h.Stores = d.stores()
	h.At = Slot(d.u64())
	h.Self = d.seen()
	if h.Node == 0 || h.Node > maxMembers || h.Store == (StoreID{}) || h.Self.Incarnation == 0 ||
		h.Standing < StandingUnformed || h.Standing > StandingLearner {
		return Hello{}, errors.New("hello of nobody")
	}
	return h, nil
}

// Hello returns what this node says of itself. It is false until that is
// durable: a member that forgot what it has said of itself would be another.
func (c *Core) Hello() (Hello, bool) {
	h := c.membership.hello
	h.Self.Promised = c.acceptor.promisedDurably
	h.Self.Last = c.gate.last
	return h, h.Node != 0
}

// Admits reports whether messages of the member that has said h may be given to
// Step. Ask before each one: it changes when a store is replaced, and when a
// later process of the same member has been met.
func (c *Core) Admits(h *Hello) bool {
	met := &c.membership.met[h.Node-1]
	return met.Store == h.Store && met.Self.Incarnation == h.Self.Incarnation &&
		met.Self.Process == h.Self.Process && c.onList(h)
}

// onList reports whether a store is the one in its member's place, as far as
// this node knows.
func (c *Core) onList(h *Hello) bool {
	listed := c.membership.roster.Stores[h.Node-1]
	return listed == h.Store || listed == StoreID{}
}

// Meet takes in another member's hello. An error says why that member must be
// kept out, for the operator to read; its connection is to be closed.
func (c *Core) Meet(h *Hello) error {
	if int(h.Node) > c.cfg.Members || h.Node == c.cfg.Node {
		return fmt.Errorf("it calls itself node %d, and this is node %d of %d", h.Node, c.cfg.Node, c.cfg.Members)
	}
	m := &c.membership
	c.learnRoster(h)
	if err := c.objection(h); err != nil {
		return err
	}
	if seen := &m.roster.Seen[h.Node-1]; m.roster.formed() && *seen != h.Self {
		*seen = h.Self
		c.writeRoster()
	}
	m.met[h.Node-1] = *h
	c.form()
	c.findFloor()
	return nil
}

// objection says what is wrong with a member that wants to be met.
func (c *Core) objection(h *Hello) error {
	r := &c.membership.roster
	if !c.onList(h) {
		return fmt.Errorf("store %x is not the one of node %d, which is %x: to put it in that one's place, propose so",
			h.Store, h.Node, r.Stores[h.Node-1])
	}
	if own := h.Stores[c.cfg.Node-1]; own != (StoreID{}) && own != c.cfg.Store {
		return fmt.Errorf("it knows store %x in this node's place; this one is %x", own, c.cfg.Store)
	}
	if h.Standing == StandingVoter && r.Standing == StandingUnformed && !r.formed() {
		return errors.New("its cluster was formed with this store, and this store knows nothing of it: it is an older copy of itself")
	}
	seen := r.Seen[h.Node-1]
	if c.role == RoleLeader {
		seen.Last = max(seen.Last, c.reign.followers[h.Node-1].durable)
	}
	again := h.Self.Incarnation == seen.Incarnation && h.Self.Process != seen.Process
	if again || h.Self.Incarnation < seen.Incarnation || h.Self.Promised.Less(seen.Promised) || h.Self.Last < seen.Last {
		return fmt.Errorf("it says %+v of itself, and %+v is known of it: it is an older copy of its store, or a second process on one",
			h.Self, seen)
	}
	return nil
}

// recordSeen makes durable what the followers' acknowledgements say of their
// stores. It is not worth a write of its own, so it goes with a snapshot.
func (c *Core) recordSeen() {
	if c.cfg.Store == (StoreID{}) || c.role != RoleLeader {
		return
	}
	seen := &c.membership.roster.Seen
	for i := range c.reign.followers {
		seen[i].Last = max(seen[i].Last, c.reign.followers[i].durable)
	}
	c.writeRoster()
}

// formed reports whether the list of stores has been recorded.
func (r Roster) formed() bool { return r.Stores != [maxMembers]StoreID{} }

// learnRoster takes over a later list of stores: replacements are chosen, and
// whoever has recorded one has applied it.
func (c *Core) learnRoster(h *Hello) {
	r := &c.membership.roster
	if h.At <= r.At || h.Stores[c.cfg.Node-1] != c.cfg.Store {
		return
	}
	for i := range h.Stores {
		c.enlist(NodeID(i+1), h.Stores[i])
	}
	r.At = h.At
	c.writeRoster()
}

// enlist puts a store on the list. What was known of the one before it is
// nothing that is known of it.
func (c *Core) enlist(n NodeID, store StoreID) {
	m := &c.membership
	if m.roster.Stores[n-1] == store {
		return
	}
	m.roster.Stores[n-1] = store
	m.roster.Seen[n-1] = Seen{}
	if m.met[n-1].Store != store {
		m.met[n-1] = Hello{}
	}
	if c.role == RoleLeader && n != c.cfg.Node {
		c.reign.followers[n-1] = follower{next: c.log.last() + 1}
	}
}

// form goes on with forming the cluster. First every member has to be met,
// unformed; then the list of their stores is recorded; and when all have recorded
// the same list they vote. One that votes already is as good as all: it had heard
// so of all.
func (c *Core) form() {
	m := &c.membership
	if m.roster.Standing != StandingUnformed {
		return
	}
	stores := m.roster.Stores
	stores[c.cfg.Node-1] = c.cfg.Store
	met, recorded, formed := 0, 0, false
	for i := range m.met {
		h := &m.met[i]
		if h.Node == 0 || h.Standing == StandingLearner {
			continue
		}
		met++
		if m.roster.formed() && h.Stores == m.roster.Stores {
			recorded++
			formed = formed || h.Standing == StandingVoter
		}
		stores[i] = h.Store
	}
	others := c.cfg.Members - 1
	switch {
	case !m.roster.formed() && met == others && c.agreeable(stores):
		m.roster.Stores = stores
	case recorded == others || formed:
		m.roster.Standing = StandingVoter
	default:
		return
	}
	c.writeRoster()
}

// agreeable reports whether nobody has recorded another list than this one.
func (c *Core) agreeable(stores [maxMembers]StoreID) bool {
	for i := range c.membership.met {
		if h := &c.membership.met[i]; h.Stores != ([maxMembers]StoreID{}) && h.Stores != stores {
			return false
		}
	}
	return true
}
