package consensus

import (
	"fmt"

	"ticketing/planted"
)

// acceptor is what a member keeps of its position in the log of the ballot
// that it has promised.
//
// The position k(b) is the largest k such that every slot above the commit
// index up to k is stored at ballot b. It is not "the last slot": a slot that
// holds an older ballot's value has accepted nothing at b.
type acceptor struct {
	promisedIn      uint64       // the write that makes the promise durable
	promisedDurably Ballot       // the highest promise that is durable
	promising       []promisedIn // those that are not

	at      Ballot // the ballot that stored and acked speak of
	stored  Slot   // k(at)
	acked   Slot   // up to here an acknowledgement is on its way
	durably Slot   // up to here one has left, after its write
}

// promisedIn is a promise and the write that makes it durable.
type promisedIn struct {
	seq    uint64
	ballot Ballot
}

func (a *acceptor) promisesPersisted(seq uint64) {
	n := 0
	for n < len(a.promising) && a.promising[n].seq <= seq {
		a.promisedDurably = a.promising[n].ballot
		n++
	}
	a.promising = a.promising[:copy(a.promising, a.promising[n:])]
}

// durable notes that an acknowledgement leaves.
func (a *acceptor) durable(m *Message) {
	if m.Ballot == a.at {
		a.durably = max(a.durably, m.Slot)
	}
}

// position returns k of the promised ballot.
func (c *Core) position() Slot {
	if planted.Is(planted.AckOverHole) {
		return c.log.last()
	}
	a := &c.acceptor
	if a.at != c.promised {
		a.at, a.stored, a.acked, a.durably = c.promised, 0, 0, 0
	}
	a.stored = max(a.stored, c.commit)
	for a.stored < c.log.last() && c.log.at(a.stored+1).Ballot == c.promised {
		a.stored++
	}
	return a.stored
}

// promise moves the promise up to b.
func (c *Core) promise(b Ballot) {
	if !c.promised.Less(b) {
		panic(fmt.Sprintf("BUG: promise of %v after %v", b, c.promised))
	}
	c.promised = b
	c.seenRound = max(c.seenRound, b.Round)
	c.gate.promise(b)
	c.acceptor.promisedIn = c.gate.newest
	c.acceptor.promising = append(c.acceptor.promising, promisedIn{c.gate.newest, b})
}

// refuse answers a message of a ballot below the promise.
func (c *Core) refuse(to NodeID, m *Message) {
	c.send(to, Message{Type: MsgNack, Ballot: m.Ballot, Promised: c.promised, Sent: m.Sent})
}

func (c *Core) onPrepare(from NodeID, m *Message) {
	if m.Ballot.Less(c.promised) {
		c.refuse(from, m)
		return
	}
	if m.Slot < c.log.first {
		c.offer(from, m.Ballot)
		return
	}
	if c.promised.Less(m.Ballot) {
		c.promise(m.Ballot)
		c.follow(0)
		c.timers.restart = true
	}
	c.sendPromise(from, m)
}

// sendPromise sends the log from the slot that was asked for, as it is now.
// What is accepted later is accepted at this ballot or above, so a Prepare
// that comes twice gets the same answer.
func (c *Core) sendPromise(to NodeID, m *Message) {
	last := max(c.log.last(), m.Slot-1)
	for next := m.Slot; ; {
		entries := c.log.slice(next, last, c.cfg.Limits.MessageBytes)
		c.sendAfter(c.gate.newest, to, Message{
			Type:    MsgPromise,
			Ballot:  m.Ballot,
			Slot:    m.Slot,
			Last:    last,
			Sent:    m.Sent,
			Entries: entries,
		})
		next += Slot(len(entries))
		if next > last {
			return
		}
	}
}

// heed takes in who leads. It reports false, and refuses, if that is over.
func (c *Core) heed(from NodeID, m *Message) bool {
	if m.Ballot.Less(c.promised) {
		c.refuse(from, m)
		return false
	}
	if c.promised.Less(m.Ballot) {
		c.promise(m.Ballot)
	}
	if c.role != RoleFollower || c.leader != from {
		c.follow(from)
	}
	c.timers.heard = true
	return true
}

func (c *Core) onAccept(from NodeID, m *Message) {
	if !c.heed(from, m) {
		return
	}
	for i := range m.Entries {
		if m.Entries[i].Slot > c.log.last()+1 {
			break
		}
		c.acceptFrom(&m.Entries[i])
	}
	c.learnCommit(m.Commit)
	c.askForHole(from, m)
}

// acceptFrom accepts one entry of the ballot that is promised. Nothing is ever
// cut off behind it: an Accept that comes late says nothing of later slots.
func (c *Core) acceptFrom(e *Entry) {
	if e.Slot < c.log.first {
		return
	}
	if e.Slot <= c.log.last() {
		old := c.log.at(e.Slot)
		if old.Ballot == e.Ballot || e.Slot <= c.commit {
			if old.Origin != e.Origin || old.Stamp != e.Stamp {
				panic(fmt.Sprintf("BUG: slot %d holds the value of %v at %d, and %v sends that of %v at %d",
					e.Slot, old.Origin, old.Stamp, e.Ballot, e.Origin, e.Stamp))
			}
			return
		}
	}
	c.accept(*e)
}

// accept stores an entry in memory and sends it to the disk.
func (c *Core) accept(e Entry) {
	if e.Slot <= c.log.last() {
		c.pending -= cost(c.log.at(e.Slot))
	}
	c.pending += cost(&e)
	c.log.put(e)
	c.gate.entry(e)
}

// learnCommit moves the commit index, but only over entries that are held at
// the leader's own ballot: what an older ballot has left in a slot need not
// be what was chosen there.
func (c *Core) learnCommit(commit Slot) {
	c.commit = max(c.commit, min(commit, c.position()))
}

// askForHole tells the leader where to go on if something before this message
// is missing.
func (c *Core) askForHole(from NodeID, m *Message) {
	if k := c.position(); k < m.Slot {
		c.send(from, Message{Type: MsgNack, Ballot: m.Ballot, Slot: k + 1, Sent: m.Sent})
	}
}

// acknowledge sends the leader one acknowledgement for all that was accepted
// since the last, to leave once it is durable. A leader's own is a message to
// itself.
func (c *Core) acknowledge() {
	if c.leader == 0 {
		return
	}
	if k := c.position(); k > c.acceptor.acked {
		c.acceptor.acked = k
		c.sendAfter(c.gate.newest, c.leader, Message{
			Type:    MsgAccepted,
			Learner: c.isLearner(),
			Ballot:  c.promised,
			Slot:    k,
		})
	}
}

func (c *Core) onHeartbeat(from NodeID, m *Message) {
	if !c.heed(from, m) {
		return
	}
	c.timers.lend(m)
	c.learnCommit(m.Commit)
	c.sendAfter(c.acceptor.promisedIn, from, Message{
		Type:     MsgAlive,
		Learner:  c.isLearner(),
		Ballot:   m.Ballot,
		Promised: c.membership.roster.Floor,
		Slot:     max(c.commit, c.acceptor.durably),
		Sent:     m.Sent,
	})
	c.askForHole(from, m)
}
