package consensus

// follower is what a leader knows of one member under its own ballot. It sends
// ordinary Accepts from next on, old slots and new ones alike.
type follower struct {
	match   Slot     // every slot up to here is chosen, or durably accepted at the leader's ballot
	has     Slot     // what it has said last of where it is; a crash can set it back
	next    Slot     // the next to send
	durable Slot     // up to here its log has been on its disk
	learner bool     // its word is no vote
	commit  Slot     // the commit index that it was told last
	ackedAt Mono     // when the last heartbeat left that it has answered, plus 1; 0: none
	rewound Mono     // Nacks of what left before are answers to an older stream
	flights []flight // sent and not acknowledged
	bytes   uint64   // cost of flights
}

// flight is one Accept on its way.
type flight struct {
	last  Slot
	bytes uint64
}

// heard notes that something which left at sent has been answered.
func (f *follower) heard(sent Mono) { f.ackedAt = max(f.ackedAt, sent+1) }

func (f *follower) accepted(upTo Slot) {
	f.match = max(f.match, upTo)
	f.has = upTo
	f.next = max(f.next, upTo+1)
	n := 0
	for n < len(f.flights) && f.flights[n].last <= upTo {
		f.bytes -= f.flights[n].bytes
		n++
	}
	f.flights = f.flights[:copy(f.flights, f.flights[n:])]
}

// rewind starts the stream over at slot next. That may be below match: what a
// member knew to be chosen it may have to be sent again after a crash.
func (f *follower) rewind(next Slot, now Mono) {
	f.next = next
	f.has = next - 1
	f.rewound = now
	f.flights = f.flights[:0]
	f.bytes = 0
}

func (f *follower) full() bool {
	return len(f.flights) >= maxStreamMessages || f.bytes >= maxStreamBytes
}

// alive reports whether the member has answered lately.
func (c *Core) alive(f *follower) bool {
	return f.ackedAt != 0 && c.now-(f.ackedAt-1) < c.cfg.ElectionTimeout
}

// stream sends each follower what it has not been sent.
func (c *Core) stream() {
	if c.role != RoleLeader {
		return
	}
	var shared []Entry // followers mostly need the same
	for i := range c.reign.followers {
		to := NodeID(i + 1)
		f := &c.reign.followers[i]
		if to == c.cfg.Node || !c.alive(f) || f.next < c.log.first {
			continue
		}
		for f.next <= c.log.last() && !f.full() {
			if len(shared) == 0 || shared[0].Slot != f.next {
				shared = c.ownSlice(f.next)
			}
			c.sendAccept(to, f, shared)
		}
		if f.commit < c.commit && len(f.flights) == 0 {
			c.sendAccept(to, f, nil)
		}
	}
}

// ownSlice copies entries from slot from on, as entries of the own ballot. Old
// slots may be sent as such: their values are chosen, or were recovered.
func (c *Core) ownSlice(from Slot) []Entry {
	entries := c.log.slice(from, c.log.last(), c.cfg.Limits.MessageBytes)
	for i := range entries {
		entries[i].Ballot = c.promised
	}
	return entries
}

func (c *Core) sendAccept(to NodeID, f *follower, entries []Entry) {
	c.send(to, Message{
		Type:    MsgAccept,
		Ballot:  c.promised,
		Slot:    f.next - 1,
		Commit:  c.commit,
		Sent:    c.now,
		Entries: entries,
	})
	f.commit = c.commit
	if len(entries) == 0 {
		return
	}
	var bytes uint64
	for i := range entries {
		bytes += cost(&entries[i])
	}
	f.next += Slot(len(entries))
	f.bytes += bytes
	f.flights = append(f.flights, flight{last: f.next - 1, bytes: bytes})
}

// onNack is the follower's word that something has not reached it, or that it
// has promised a higher ballot (which Step has noted).
func (c *Core) onNack(from NodeID, m *Message) {
	if c.role != RoleLeader || m.Ballot != c.promised || m.Slot == 0 {
		return
	}
	f := &c.reign.followers[from-1]
	if m.Sent < f.rewound || m.Slot >= f.next {
		return
	}
	f.rewind(m.Slot, c.now)
	if f.next < c.log.first {
		c.offer(from, Ballot{})
	}
}
