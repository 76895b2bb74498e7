package sim

import (
	"fmt"
	"runtime/debug"

	"ticketing/consensus"
	"ticketing/history"
	"ticketing/node"
	"ticketing/proto"
)

// violation is a safety promise that was broken.
type violation string

func failf(format string, args ...any) { panic(violation(fmt.Sprintf(format, args...))) }

// checks are all that watches over a world. Each checker has a file of its own,
// named by when what it checks must hold: always, at the end, or after healing.
type checks struct {
	w     *World
	stats Stats

	log      alwaysAgreement
	promises alwaysPromises
	digests  alwaysEqualDigests
	replay   alwaysReplay
	clock    alwaysLogTime
	holders  alwaysOneHolder
	tokens   alwaysRisingTokens
}

// Stats tell whether a world was worth living in.
type Stats struct {
	Grants, TimeOuts, Busy, Unknown int
	Refusals                        int // of frames that were bad
	HalfClosed                      int // grants that came after the client had closed its side
	Vanished                        int // clients that left without a word
	CutOff                          int // clients that did not read
	Crashes, Leaders                int
	TwoLeaders                      int // times that a process began to lead while another thought that it led
	Snapshots, Installed            int // put in force; of these, fetched from another member
	Slots                           int
	Faults                          [faultKinds]int
}

// started: a process begins with what its disk holds.
func (c *checks) started(h *host, rec *consensus.Recovered) {
	c.promises.recovered(h, rec)
	for i := range rec.Entries { // some came through the crash without an ack
		c.log.accepted(c.w, h, &rec.Entries[i])
	}
}

// crashed: a process has ended.
func (c *checks) crashed(h *host) { c.stats.Crashes++ }

// durable: a write has reached a disk.
func (c *checks) durable(h *host, w *consensus.Write) {
	c.promises.durable(h, w)
	for i := range w.Entries {
		c.log.accepted(c.w, h, &w.Entries[i])
	}
	if w.Snapshot != nil {
		c.stats.Snapshots++
	}
}

// flushed: a round of a process has ended.
func (c *checks) flushed(h *host, out *node.Output) {
	st := h.node.Status().Consensus
	c.leads(h, &st)
	c.w.trace.mix(uint64(c.w.now)<<8 | uint64(h.id))
	for i := range out.Writes {
		for j := range out.Writes[i].Entries {
			c.clock.stamped(c.w.now, &out.Writes[i].Entries[j])
		}
	}
	c.replay.begin()
	for i := range out.Applied {
		e := &out.Applied[i]
		if c.w.trace.wanted() {
			c.w.trace.line(c.w.now, h.name, "apply", "%s", describeEntry(e))
		}
		c.log.applied(c.w, h, e)
		c.clock.applied(c.w, e)
		c.replay.applied(c.w, h, &st, e)
		c.stats.Slots = max(c.stats.Slots, int(e.Slot))
	}
	for i := range out.Replies {
		r := &out.Replies[i]
		c.w.trace.mixBytes(r.Bytes)
		c.replay.replied(h, r)
	}
	c.replay.end(h)
	d := h.node.Digest()
	c.digests.at(h, d)
	c.w.trace.mix(d.Hash)
}

// leads notices that a process has begun or ceased to lead.
func (c *checks) leads(h *host, st *consensus.State) {
	leads := st.Role == consensus.RoleLeader
	if leads == h.leads {
		return
	}
	if leads {
		c.stats.Leaders++
		if c.w.leader() != nil {
			c.stats.TwoLeaders++
		}
	}
	h.leads = leads
	c.w.trace.line(c.w.now, h.name, "role", "%s b=%v", roleNames[st.Role], ballot(st.Ballot))
}

var roleNames = [...]string{
	consensus.RoleFollower:  "follower",
	consensus.RoleCandidate: "candidate",
	consensus.RoleLeader:    "leader",
	consensus.RoleLearner:   "learner",
}

// dropped: a node has given up on a connection because it costs too much. No
// client of these worlds does.
func (c *checks) dropped(s *session) {
	failf("%s dropped the connection of c%d", s.host.name, s.client.id)
}

// turnedAway: a client has been sent elsewhere, or told that there is no answer.
func (c *checks) turnedAway(s *session, r *proto.Reply) {
	switch text := string(r.Text); {
	case r.Op == 'E' && text != string(proto.NoLeader) && text != string(proto.NotActive):
		failf("c%d is told %q by %s, and has given no cause", s.client.id, text, s.host.name)
	case r.Op == 'M' && (len(c.w.hosts) == 1 || text == address(s.host.id)):
		failf("c%d is sent from %s to %q", s.client.id, s.host.name, text)
	}
}

// answered: a client has an outcome.
func (c *checks) answered(o *op) {
	switch o.Outcome {
	case history.Granted:
		c.stats.Grants++
		c.tokens.granted(&o.Op)
	case history.TimedOut:
		c.stats.TimeOuts++
	case history.Busy:
		c.stats.Busy++
	}
}

// disconnected: a connection has ended, as far as one of its sides knows.
func (c *checks) disconnected(s *session) {
	if c.w.params.mayReleaseOnGone() {
		c.w.history = append(c.w.history, &op{Op: history.Op{
			Client: s.client.id, Conn: s.id, Kind: history.Gone, Call: int64(c.w.now), Return: int64(c.w.now),
		}})
		c.holders.disconnected(s.id)
	}
}

// late: an answer has not come for far longer than it may take.
func (c *checks) late(o *op) {
	if int64(o.Call) > c.calmFrom() {
		failf("c%d waits in vain: %v", o.Client, &o.Op)
	}
}

// held: a client has got a grant and may believe in it.
func (c *checks) held(h *hold) { c.holders.held(c.w, h) }

// settling is how long after healing things may still be astir.
const settling = 5 * second

func (c *checks) calmFrom() int64 { return int64(c.w.params.Duration + settling) }

// finally checks what can only be judged at the end.
func (c *checks) finally() (unjudged string) { return finallyExplained(c.w) }

// stack shows where our own code panicked.
func (c *checks) stack(v violation) {
	c.w.trace.line(c.w.now, "--", "panic", "%s\n%s", v, debug.Stack())
}
