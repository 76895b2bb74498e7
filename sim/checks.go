package sim

import (
	"fmt"
	"runtime/debug"

	"ticketing/consensus"
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
	answers  alwaysOneAnswer
}

// started: a process begins with what its disk holds.
func (c *checks) started(h *host, rec *consensus.Recovered) {
	c.promises.recovered(h, rec)
	for i := range rec.Entries { // some came through the crash without an ack
		c.log.accepted(c.w, h, &rec.Entries[i])
	}
}

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
	c.w.trace.mix(uint64(c.w.now)<<8 | uint64(h.id))
	for i := range out.Writes {
		for j := range out.Writes[i].Entries {
			c.clock.stamped(c.w.now, &out.Writes[i].Entries[j])
		}
	}
	c.replay.begin()
	for i := range out.Applied {
		e := &out.Applied[i]
		c.log.applied(c.w, h, e)
		c.clock.applied(c.w, e)
		c.replay.applied(c.w, h, e)
		c.stats.Slots = max(c.stats.Slots, int(e.Slot))
	}
	for i := range out.Replies {
		r := &out.Replies[i]
		c.w.trace.mixBytes(r.Bytes)
		c.replay.replied(c.w, h, r)
	}
	c.replay.end(c.w, h)
	d := h.node.Digest()
	c.digests.at(h, d)
	c.w.trace.mix(d.Hash)
}

// gone: a host has noticed the end of a connection. dropped: it ended it
// because it cost too much.
func (c *checks) gone(h *host, s *session) {}
func (c *checks) dropped(s *session) {
	failf("%s dropped the connection of c%d", s.host.name, s.client.id)
}

// answered: a client has an outcome.
func (c *checks) answered(o *op) {
	switch o.verdict {
	case 'A':
		c.stats.Grants++
		c.tokens.granted(o)
	case 'T':
		c.stats.TimeOuts++
	case 'B':
		c.stats.Busy++
	}
	c.answers.answered(o)
}

// stray: a reply that answers nothing that is open. On a connection that the
// client has ended that is normal.
func (c *checks) stray(s *session, r *proto.Reply) {
	if s.up {
		failf("c%d got an answer that it did not wait for: %c token=%d owner=%d %q", s.client.id, r.Op, r.Token, r.Owner, r.Text)
	}
}

// late: an answer has not come for far longer than it may take.
func (c *checks) late(o *op) {
	if !c.w.faulty && o.call > c.w.params.Duration+5*second {
		failf("c%d waits in vain for %c %q, sent at %.3fs", o.client, o.kind, keyName(o.key), float64(o.call)/1e9)
	}
}

// held: a client has got a grant and may believe in it.
func (c *checks) held(h *hold) { c.holders.held(c.w, h) }

func (c *checks) healed() {}

// atRest says what has not come to rest after healing, "" if all has.
func (c *checks) atRest() string { return eventuallyAtRest(c.w) }

// finally checks what can only be judged at the end.
func (c *checks) finally() { finallyCount(c.w) }

// stack shows where our own code panicked.
func (c *checks) stack(v violation) {
	c.w.trace.line(c.w.now, "--", "%s\n%s", v, debug.Stack())
}
