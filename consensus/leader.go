package consensus

import (
	"fmt"
	"slices"
)

// Leading reports whether this node leads, has recovered the log, and has
// been confirmed by a majority lately: then requests may be proposed, now or
// as soon as Ready.
func (c *Core) Leading() bool { return c.role == RoleLeader }

// Ready reports whether Propose may be called now. It is false while not
// Leading, and while enough is in flight: what waits becomes one entry.
func (c *Core) Ready() bool {
	return c.Leading() && c.log.last()-c.commit < maxInflightAlone
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
func (c *Core) LogTime(mono Mono) Stamp { return c.reign.at(mono) }

// MonoAt returns when this node's clock will show that an entry proposed then
// carries at least s. Only while Leading.
func (c *Core) MonoAt(s Stamp) Mono { return c.reign.when(s) }

// append makes a new value the next entry of the log.
func (c *Core) append(kind Kind, payload []byte) Slot {
	s := c.log.last() + 1
	c.accept(Entry{
		Slot:    s,
		Ballot:  c.promised,
		Origin:  c.promised,
		Stamp:   c.reign.at(c.now),
		Kind:    kind,
		Payload: payload,
	})
	return s
}

// accept stores an entry in memory and sends it to the disk.
func (c *Core) accept(e Entry) {
	c.log.put(e)
	c.gate.entry(e)
}

// voteForOwn sends the leader's own vote for all it has written, to itself:
// it counts once the writes are durable.
func (c *Core) voteForOwn() {
	if last := c.log.last(); last > c.acked {
		c.acked = last
		c.gate.hold(Send{
			To:      c.cfg.Node,
			Message: Message{Type: MsgAccepted, Ballot: c.promised, Slot: last},
		})
	}
}

// onAccepted counts a vote. Only those of the leader's own ballot count.
func (c *Core) onAccepted(from NodeID, m *Message) {
	if c.role != RoleLeader || m.Ballot != c.promised {
		return
	}
	i := from - 1
	c.matches[i] = max(c.matches[i], m.Slot)
	copy(c.sorted, c.matches)
	slices.Sort(c.sorted)
	c.commit = max(c.commit, c.sorted[len(c.sorted)-c.quorum])
}
