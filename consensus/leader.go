package consensus

import (
	"fmt"

	"ticketing/planted"
)

// reign is what a leader keeps while it leads, under the ballot that it has
// promised itself.
type reign struct {
	ballot    Ballot
	clock     clock
	followers []follower // by NodeID-1; the leader's own place has its own votes
	outbid    bool       // some member has promised a higher ballot
	outbidAt  Mono       // when that was noticed, plus 1; 0: it was not
	beatAt    Mono       // when the next heartbeat is due
	matches   []Slot     // scratch
	acks      []Mono     // scratch
	handOver  handOver
}

// lead begins this node's reign over what phase one has recovered: everything
// that is not known to be chosen is accepted again under the own ballot, and
// then comes the LeaderStart.
func (c *Core) lead() {
	recovered := c.candidacy.recovery.complete()
	voters := &c.candidacy.recovery.voters
	c.role = RoleLeader
	c.leader = c.cfg.Node
	c.fetch.stop()
	for i := range recovered {
		e := recovered[i]
		e.Ballot = c.promised
		c.accept(e)
	}
	c.reign = reign{
		ballot:    c.promised,
		clock:     c.startClock(),
		followers: make([]follower, c.cfg.Members),
		matches:   make([]Slot, c.cfg.Members),
		acks:      make([]Mono, c.cfg.Members),
		beatAt:    c.now,
	}
	for i := range c.reign.followers {
		f := &c.reign.followers[i]
		f.next = c.candidacy.recovery.from
		if c.candidacy.votes.has(NodeID(i + 1)) {
			f.heard(voters[i+1].sent)
		}
	}
	c.membership.barred = c.replaced(c.log.last()+1, nil)
	c.candidacy = candidacy{}
	c.append(KindLeaderStart, c.cfg.Start)
}

// startClock sets log time going: from what the recovered log amounts to, or
// from later if the leader that this log ends with has lent its clock.
func (c *Core) startClock() clock {
	r := c.state
	for s := c.applied + 1; s <= c.log.last(); s++ {
		r.apply(c.log.at(s))
	}
	base := r.now
	if l := c.timers.loan; (l.ballot == r.mark || planted.Is(planted.StaleClockLent)) && l.ballot != (Ballot{}) && c.now-l.at <= 2*c.cfg.ElectionTimeout {
		base = max(base, l.stamp+Stamp(slowest(c.now-l.at, c.cfg.DriftPPM)))
	}
	return clock{base: base, since: c.now}
}

// Leading reports whether this node leads, has recovered the log, and has
// been confirmed by a majority lately: then requests may be proposed, now or
// as soon as Ready.
func (c *Core) Leading() bool {
	if c.role != RoleLeader {
		return false
	}
	if c.cfg.Members == 1 {
		return true
	}
	at, ok := c.confirmed()
	return ok && at >= c.timers.resumed && c.now-at < c.cfg.ElectionTimeout
}

// Ready reports whether Propose may be called now. It is false while not
// Leading, and while enough is in flight: what waits becomes one entry.
func (c *Core) Ready() bool {
	limit := Slot(maxInflight)
	if c.cfg.Members == 1 {
		limit = maxInflightAlone
	}
	return c.role == RoleLeader && c.log.last()-c.commit < limit && c.pending < maxInflightBytes &&
		!c.reign.handOver.active && c.Leading()
}

// Propose makes payload the next entry, stamped with the time of the last
// Tick, and returns its slot. The core keeps payload; the caller must not
// touch it again. It may be empty: then the entry only moves log time.
// Calling it while not Ready, or with more than MaxPayload bytes, is a bug.
func (c *Core) Propose(payload []byte) Slot {
	if !c.Ready() || len(payload) > MaxPayload {
		panic(fmt.Sprintf("BUG: %d bytes proposed, ready: %v", len(payload), c.Ready()))
	}
	return c.append(KindCommands, payload)
}

// LogTime returns the stamp that an entry proposed at mono would carry. Only
// while Leading.
func (c *Core) LogTime(mono Mono) Stamp { return c.reign.clock.at(mono) }

// MonoAt returns when this node's clock will show that an entry proposed then
// carries at least s. Only while Leading.
func (c *Core) MonoAt(s Stamp) Mono { return c.reign.clock.when(s) }

// append makes a new value the next entry of the log.
func (c *Core) append(kind Kind, payload []byte) Slot {
	s := c.log.last() + 1
	c.accept(Entry{
		Slot:    s,
		Ballot:  c.promised,
		Origin:  c.promised,
		Stamp:   c.reign.clock.at(c.now),
		Kind:    kind,
		Payload: payload,
	})
	return s
}

// onAccepted counts a vote. Only those of the leader's own ballot count, and
// since everything above the commit index is of that ballot, so is whatever
// becomes chosen by them.
func (c *Core) onAccepted(from NodeID, m *Message) {
	if c.role != RoleLeader || m.Ballot != c.promised {
		return
	}
	if m.Slot > c.log.last() {
		panic(fmt.Sprintf("BUG: member %d has accepted slot %d at %v, the log ends at %d",
			from, m.Slot, m.Ballot, c.log.last()))
	}
	f := &c.reign.followers[from-1]
	f.learner = m.Learner
	f.accepted(m.Slot)
	if m.Type == MsgAccepted {
		f.durable = max(f.durable, m.Slot)
	}
	for i := range c.reign.followers {
		c.reign.matches[i] = 0
		if c.counts(NodeID(i + 1)) {
			c.reign.matches[i] = c.reign.followers[i].match
		}
	}
	c.commit = max(c.commit, nth(c.reign.matches, c.quorum))
}
