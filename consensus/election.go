package consensus

// candidacy is one attempt to lead: first a pre-vote, then phase one.
type candidacy struct {
	ballot    Ballot
	preparing bool  // phase one has begun
	votes     votes // who would promise, then who has promised in full
	recovery  recovery
}

// follow makes this node a follower; leader 0 is nobody yet.
func (c *Core) follow(leader NodeID) {
	c.lendToSelf()
	c.role = RoleFollower
	c.leader = leader
	c.candidacy = candidacy{}
	c.reign = reign{}
}

// learnOf notes a ballot that some member has promised.
func (c *Core) learnOf(b Ballot) {
	c.seenRound = max(c.seenRound, b.Round)
	if c.role == RoleLeader {
		c.reign.outbid = true
	}
}

// standForElection asks whether an election would be welcome. A node whose own
// disk does not answer would be no better leader than none.
func (c *Core) standForElection() {
	c.resetElection()
	if c.stalled() || !c.votes() {
		return
	}
	c.preVote()
}

func (c *Core) preVote() {
	c.role = RoleCandidate
	c.leader = 0
	c.candidacy = candidacy{ballot: c.nextBallot()}
	c.candidacy.votes.add(c.cfg.Node)
	c.broadcast(Message{
		Type:     MsgPreVote,
		Ballot:   c.candidacy.ballot,
		Promised: c.promised,
		Commit:   c.commit,
	})
}

// nextBallot is above every ballot that this node has seen.
func (c *Core) nextBallot() Ballot {
	return Ballot{Round: c.seenRound + 1, Node: c.cfg.Node}
}

func (c *Core) onPreVote(from NodeID, m *Message) {
	behind := m.Commit+1 < c.log.first
	c.send(from, Message{
		Type:     MsgPreVoteAnswer,
		Granted:  !behind && !c.hearsLeader() && m.Ballot.Round > c.promised.Round,
		Ballot:   m.Ballot,
		Promised: c.promised,
	})
	if behind {
		c.offer(from, Ballot{})
	}
}

func (c *Core) onPreVoteAnswer(from NodeID, m *Message) {
	v := &c.candidacy
	if c.role != RoleCandidate || v.preparing || m.Ballot != v.ballot {
		return
	}
	if m.Granted {
		v.votes.add(from)
		if v.votes.count() >= c.quorum {
			c.campaign()
		}
		return
	}
	if m.Promised.Round >= v.ballot.Round {
		c.preVote()
	}
}

// campaign takes a ballot of its own and begins phase one. The own promise
// counts at once: nothing leaves under the ballot before it is durable, and
// whatever this node writes under it comes after it.
func (c *Core) campaign() {
	b := c.nextBallot()
	c.lendToSelf()
	c.promise(b)
	c.role = RoleCandidate
	c.leader = 0
	c.candidacy = candidacy{ballot: b, preparing: true, recovery: c.ownRecovery()}
	c.candidacy.votes.add(c.cfg.Node)
	c.reign = reign{}
	c.resetElection()
	for n := NodeID(1); int(n) <= c.cfg.Members; n++ {
		if n == c.cfg.Node {
			continue
		}
		c.sendAfter(c.gate.newest, n, Message{
			Type:   MsgPrepare,
			Ballot: b,
			Slot:   c.candidacy.recovery.from,
			Sent:   c.now,
		})
	}
}

// elected reports whether phase one is over. Promises of stores that the
// recovered log replaces do not count.
func (c *Core) elected() bool {
	v := &c.candidacy
	if c.role != RoleCandidate || !v.preparing || v.votes.count() < c.quorum {
		return false
	}
	barred := c.replaced(v.recovery.from, v.recovery.complete())
	return (v.votes&^barred).count() >= c.quorum && !barred.has(c.cfg.Node)
}

func (c *Core) onPromise(from NodeID, m *Message) {
	v := &c.candidacy
	if c.role != RoleCandidate || !v.preparing || m.Ballot != v.ballot {
		return
	}
	if v.recovery.add(from, m) {
		v.votes.add(from)
	}
}
