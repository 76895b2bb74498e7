package consensus

import (
	"errors"
	"fmt"
)

// A new store in an old one's place is dangerous: what the old one has promised
// and accepted is still on its way, or counted. So the change goes through the
// log, the old store stops counting for a leader the moment that the entry is in
// its log, and the new one begins to count only under a ballot above all that the
// old one can have promised. docs/CONSENSUS.md has the argument.

const replacementBytes = 1 + len(StoreID{})

func encodeReplacement(n NodeID, store StoreID) []byte {
	return append([]byte{byte(n)}, store[:]...)
}

// isReplacement reports whether b is what encodeReplacement makes.
func isReplacement(b []byte) bool {
	return len(b) == replacementBytes && b[0] != 0 && b[0] <= maxMembers
}

// replacement reads the payload of a KindReplace.
func (e *Entry) replacement() (NodeID, StoreID) {
	if !isReplacement(e.Payload) {
		panic(fmt.Sprintf("BUG: replacement %x in slot %d", e.Payload, e.Slot))
	}
	return NodeID(e.Payload[0]), StoreID(e.Payload[1:])
}

// Replace proposes that store takes the place of member n's, and returns the
// slot of the entry. An error says why that can't be done, or not now.
func (c *Core) Replace(n NodeID, store StoreID) (Slot, error) {
	m := &c.membership
	switch {
	case !c.Ready():
		return 0, errors.New("this node does not lead, or has too much in flight")
	case n == 0 || int(n) > c.cfg.Members || store == StoreID{} || !m.roster.formed():
		return 0, fmt.Errorf("there is no node %d in this cluster", n)
	case n == c.cfg.Node:
		return 0, errors.New("this node leads: hand leadership over first")
	case m.barred != 0:
		return 0, errors.New("another store is being replaced")
	}
	for i := range m.roster.Stores {
		if m.roster.Stores[i] == store {
			return 0, fmt.Errorf("store %x is that of node %d", store, i+1)
		}
	}
	if v := c.livingVoters(); (v &^ (1 << n)).count() < c.quorum {
		return 0, errors.New("too few other members are up and voting: without them nothing could be chosen")
	}
	m.barred.add(n)
	return c.append(KindReplace, encodeReplacement(n, store)), nil
}

// livingVoters is who could choose something now.
func (c *Core) livingVoters() votes {
	var v votes
	for i := range c.reign.followers {
		n := NodeID(i + 1)
		if f := &c.reign.followers[i]; n == c.cfg.Node || c.alive(f) && c.counts(n) {
			v.add(n)
		}
	}
	return v
}

// counts reports whether a member's votes count for this leader.
func (c *Core) counts(n NodeID) bool {
	return !c.reign.followers[n-1].learner && !c.membership.barred.has(n)
}

// replaced is who is replaced by entries above the applied ones, which may be
// recovered only in part: above from they are in best.
func (c *Core) replaced(from Slot, best []Entry) votes {
	var barred votes
	if c.cfg.Store == (StoreID{}) {
		return 0
	}
	r := c.state
	see := func(e *Entry) {
		if r.apply(e) && e.Kind == KindReplace {
			n, _ := e.replacement()
			barred.add(n)
		}
	}
	for s := c.applied + 1; s < from; s++ {
		see(c.log.at(s))
	}
	for i := range best {
		see(&best[i])
	}
	return barred
}

// applyReplacement puts the store on the list, unless a later list is known.
func (c *Core) applyReplacement(e *Entry) {
	m := &c.membership
	n, store := e.replacement()
	if e.Slot > m.roster.At {
		c.enlist(n, store)
		m.roster.At = e.Slot
		c.writeRoster()
	}
	if c.role == RoleLeader {
		m.barred = c.replaced(c.log.last()+1, nil)
	}
}

// findFloor asks what the others have promised once they all know that this
// store has taken the old one's place: nobody listens to the old one any more,
// and it has promised nothing above that.
func (c *Core) findFloor() {
	r := &c.membership.roster
	if r.Standing != StandingLearner || r.Floor != (Ballot{}) || !r.formed() {
		return
	}
	var floor Ballot
	for i := range c.cfg.Members {
		h := &c.membership.met[i]
		if NodeID(i+1) == c.cfg.Node {
			continue
		}
		if h.Node == 0 {
			return // or it does not know yet: objection has kept it out
		}
		if floor.Less(h.Self.Promised) {
			floor = h.Self.Promised
		}
	}
	r.Floor = floor
	c.writeRoster()
}

// grow makes a voter of a learner that has applied a LeaderStart above its
// floor: it has everything that was chosen before.
func (c *Core) grow() {
	r := &c.membership.roster
	if !c.isLearner() || r.Floor == (Ballot{}) || !r.Floor.Less(c.state.mark) {
		return
	}
	if c.promised.Less(c.state.mark) {
		c.promise(c.state.mark)
	}
	r.Standing = StandingVoter
	r.Floor = Ballot{}
	c.writeRoster()
}

// liftLearner makes a leader begin a new reign for the sake of a learner that has
// caught up: it waits for a LeaderStart above its floor.
func (c *Core) liftLearner(f *follower, floor Ballot) {
	if f.learner && floor != (Ballot{}) && !floor.Less(c.promised) && f.has+maxInflight >= c.log.last() {
		c.reign.outbid = true
	}
}
