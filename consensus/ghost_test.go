package consensus

import "fmt"

// ghost watches a world from outside and panics as soon as it is not as it
// should be. What is chosen it judges by what is on the disks.
type ghost struct {
	quorum int
	// byHandOut: a value is taken to be chosen when it is first handed out.
	// Where stores are replaced, the disks do not tell whose vote counted.
	byHandOut bool
	commands  int
	vowed     []Ballot           // by NodeID-1: the highest ballot that has left in a vote
	slots     []slotGhost        // by Slot
	leaders   map[Ballot]*member // who has led under each ballot
	reigns    map[Ballot]*Core
	digests   map[Slot]uint64
	answered  map[Slot]bool // its leader has handed it out, under its own ballot
}

// slotGhost is what is known of one slot.
type slotGhost struct {
	accepted []acceptedAt
	sentAt   map[Ballot]valueID
	chosen   *Entry
	made     map[Ballot]Entry   // by origin
	stamped  map[Ballot]float64 // by origin: the true time of its stamp
}

type acceptedAt struct {
	ballot Ballot
	value  Entry
	by     votes
}

// valueID tells values of one slot apart.
type valueID struct {
	origin  Ballot
	stamp   Stamp
	kind    Kind
	payload string
}

func idOf(e *Entry) valueID { return valueID{e.Origin, e.Stamp, e.Kind, string(e.Payload)} }

func (g *ghost) init(members int) {
	g.quorum = members/2 + 1
	g.vowed = make([]Ballot, members)
	g.leaders = map[Ballot]*member{}
	g.reigns = map[Ballot]*Core{}
	g.digests = map[Slot]uint64{}
	g.answered = map[Slot]bool{}
}

func (g *ghost) slot(s Slot) *slotGhost {
	for len(g.slots) <= int(s) {
		g.slots = append(g.slots, slotGhost{sentAt: map[Ballot]valueID{}, made: map[Ballot]Entry{}, stamped: map[Ballot]float64{}})
	}
	return &g.slots[s]
}

func (g *ghost) command() []byte {
	g.commands++
	return fmt.Appendf(nil, "command %d", g.commands)
}

// started checks what a process begins with against what earlier ones vowed.
func (g *ghost) started(m *member, rec *Recovered) {
	if rec.Promised.Less(g.vowed[m.id-1]) {
		panic(fmt.Sprintf("member %d recovers promise %v after a vote at %v", m.id, rec.Promised, g.vowed[m.id-1]))
	}
}

// written notes when the values that a leader makes are stamped.
func (g *ghost) written(m *member, writes []Write) {
	for _, w := range writes {
		for i := range w.Entries {
			e := &w.Entries[i]
			s := g.slot(e.Slot)
			if _, known := s.stamped[e.Origin]; known {
				continue
			}
			if e.Ballot != e.Origin || e.Origin.Node != m.id {
				panic(fmt.Sprintf("slot %d: member %d has a value of %v that its leader never made", e.Slot, m.id, e.Origin))
			}
			s.made[e.Origin] = *e
			s.stamped[e.Origin] = m.w.now
		}
	}
}

// durable notes what is accepted, once it is on the disk.
func (g *ghost) durable(m *member, w *Write) {
	for i := range w.Entries {
		g.vote(m.id, &w.Entries[i])
	}
}

func (g *ghost) vote(by NodeID, e *Entry) {
	s := g.slot(e.Slot)
	for i := range s.accepted {
		a := &s.accepted[i]
		if a.ballot != e.Ballot {
			continue
		}
		if idOf(&a.value) != idOf(e) {
			panic(fmt.Sprintf("slot %d has two values at %v: %+v and %+v", e.Slot, e.Ballot, a.value, *e))
		}
		a.by.add(by)
		if a.by.count() >= g.quorum && !g.byHandOut {
			g.choose(s, e)
		}
		return
	}
	if c := s.chosen; c != nil && c.Ballot.Less(e.Ballot) && idOf(c) != idOf(e) {
		panic(fmt.Sprintf("slot %d: chosen %+v, and member %d accepts %+v", e.Slot, *c, by, *e))
	}
	a := acceptedAt{ballot: e.Ballot, value: *e}
	a.by.add(by)
	s.accepted = append(s.accepted, a)
	if g.quorum == 1 {
		g.choose(s, e)
	}
}

func (g *ghost) choose(s *slotGhost, e *Entry) {
	if s.chosen == nil {
		value := *e
		s.chosen = &value
	}
	if idOf(s.chosen) != idOf(e) {
		panic(fmt.Sprintf("slot %d: chosen %+v and %+v", e.Slot, *s.chosen, *e))
	}
}

// effective returns the chosen entries that count, in the order of slots, as
// far as every slot before them is chosen. The mark is the highest LeaderStart
// so far: that is the whole rule, said in another way than the core does.
func (g *ghost) effective() (entries []*Entry, chosen int) {
	var mark Ballot
	for s := 1; s < len(g.slots) && g.slots[s].chosen != nil; s++ {
		e := g.slots[s].chosen
		if e.Kind == KindLeaderStart && mark.Less(e.Origin) {
			mark = e.Origin
			entries = append(entries, e)
		} else if e.Kind != KindLeaderStart && e.Origin == mark {
			entries = append(entries, e)
		}
		chosen = s
	}
	return entries, chosen
}

// checkLogTime checks that log time never runs faster than true time by more
// than the drift, from any entry that may have been answered to any that counts
// after it.
func (g *ghost) checkLogTime() {
	entries, _ := g.effective()
	at := func(e *Entry) float64 { return g.slots[e.Slot].stamped[e.Origin] }
	for i, before := range entries {
		if !g.answered[before.Slot] {
			continue
		}
		for _, e := range entries[i+1:] {
			limit := float64(before.Stamp) + 1 + max(0, at(e)-at(before))*(1+drift)
			if float64(e.Stamp) > limit {
				panic(fmt.Sprintf("log time runs ahead: slot %d is stamped %d at %.0f, and slot %d was %d at %.0f",
					e.Slot, e.Stamp, at(e), before.Slot, before.Stamp, at(before)))
			}
		}
	}
}

// leaves checks a message as it leaves its sender.
func (g *ghost) leaves(m *member, s *Send) {
	msg := &s.Message
	disk := &m.disk.state
	switch msg.Type {
	case MsgPrepare, MsgPromise:
		g.vow(m, msg.Ballot)
	case MsgAccepted, MsgAlive:
		g.vow(m, msg.Ballot)
		for k := disk.first(); k <= msg.Slot; k++ {
			if k <= disk.last() && !disk.entries[k-disk.first()].Ballot.Less(msg.Ballot) {
				continue
			}
			if g.slot(k).chosen == nil {
				panic(fmt.Sprintf("member %d acknowledges slot %d at %v, which is neither chosen nor on its disk", m.id, k, msg.Ballot))
			}
		}
	case MsgAccept:
		for i := range msg.Entries {
			g.proposed(msg.Ballot, &msg.Entries[i])
		}
	}
}

// vow checks that what a vote promises is durable.
func (g *ghost) vow(m *member, b Ballot) {
	if m.disk.state.promised.Less(b) {
		panic(fmt.Sprintf("member %d votes at %v with promise %v on its disk", m.id, b, m.disk.state.promised))
	}
	if g.vowed[m.id-1].Less(b) {
		g.vowed[m.id-1] = b
	}
}

// proposed checks that a ballot has one value for a slot, and the chosen one if
// there is one.
func (g *ghost) proposed(b Ballot, e *Entry) {
	s := g.slot(e.Slot)
	id, known := s.sentAt[b]
	if known && id != idOf(e) || e.Ballot != b {
		panic(fmt.Sprintf("slot %d is proposed at %v as %+v, and was as %+v", e.Slot, b, *e, id))
	}
	if !known && !g.byHandOut && !g.backed(s, b, idOf(e)) {
		panic(fmt.Sprintf("slot %d is proposed at %v as %+v with no majority behind it", e.Slot, b, *e))
	}
	s.sentAt[b] = idOf(e)
	if c := s.chosen; c != nil && !b.Less(c.Ballot) && idOf(c) != idOf(e) {
		panic(fmt.Sprintf("slot %d: chosen %+v, and %v proposes %+v", e.Slot, *c, b, *e))
	}
}

// backed is P2c: there is a majority of which either none has accepted anything
// below b, or the accepted value of the highest ballot below b is this one.
func (g *ghost) backed(s *slotGhost, b Ballot, value valueID) bool {
	for set := range votes(1 << (len(g.vowed) + 1)) {
		if set.has(0) || set.count() != g.quorum {
			continue
		}
		var highest *acceptedAt
		for i := range s.accepted {
			a := &s.accepted[i]
			if a.by&set != 0 && a.ballot.Less(b) && (highest == nil || highest.ballot.Less(a.ballot)) {
				highest = a
			}
		}
		if highest == nil || idOf(&highest.value) == value {
			return true
		}
	}
	return false
}

// led checks that a ballot has one leader, in one process.
func (g *ghost) led(m *member) {
	if m.core.role != RoleLeader {
		return
	}
	b := m.core.promised
	if have := g.reigns[b]; have != nil && have != m.core || b.Node != m.id {
		panic(fmt.Sprintf("member %d leads under %v, as member %d did", m.id, b, g.leaders[b].id))
	}
	g.leaders[b], g.reigns[b] = m, m.core
}

// handedOut checks an entry that reaches a state machine.
func (g *ghost) handedOut(m *member, ch *Chosen) {
	c := g.slot(ch.Slot).chosen
	if c == nil && g.byHandOut {
		value := g.slot(ch.Slot).made[ch.Origin]
		value.Ballot = m.core.promised // chosen there, or below
		g.choose(g.slot(ch.Slot), &value)
		c = g.slot(ch.Slot).chosen
	}
	if c == nil || c.Origin != ch.Origin || c.Kind != KindReplace &&
		(c.Kind != ch.Kind || string(c.Payload) != string(ch.Payload)) {
		panic(fmt.Sprintf("member %d hands out %+v, chosen is %+v", m.id, *ch, c))
	}
	if m.core.role == RoleLeader && m.core.promised == ch.Origin {
		g.answered[ch.Slot] = true
	}
	var mark Ballot
	for s := Slot(1); s < ch.Slot; s++ {
		if e := g.slots[s].chosen; e.Kind == KindLeaderStart && mark.Less(e.Origin) {
			mark = e.Origin
		}
	}
	want := ch.Origin == mark
	if ch.Kind == KindLeaderStart {
		want = mark.Less(ch.Origin)
	}
	if ch.Effective != want {
		panic(fmt.Sprintf("slot %d of %v is effective: %v, and the mark is %v", ch.Slot, ch.Origin, ch.Effective, mark))
	}
}

// digest checks that equal logs give equal state.
func (g *ghost) digest(m *member) {
	if m.sm.slot == 0 {
		return
	}
	if have, known := g.digests[m.sm.slot]; known && have != m.sm.hash {
		panic(fmt.Sprintf("member %d has another state at slot %d than others", m.id, m.sm.slot))
	}
	g.digests[m.sm.slot] = m.sm.hash
}
