package sim

import "ticketing/consensus"

// link is one direction between two members.
type link struct {
	cuts    int  // nothing gets through while there are any
	clogged Time // nothing gets through before then
	lag     Time // what is sent takes so much longer
	lagEnds Time
	last    Time // when the last message arrives, where they keep their order
	breaks  int  // how often the connection broke
}

// network carries messages between members.
type network struct {
	w     *World
	links [maxMembers + 1][maxMembers + 1]link
}

const maxMembers = 5

// send puts a message on its way: late, twice, or not at all.
func (n *network) send(from *host, s *consensus.Send) {
	r, p := n.w.netRand, &n.w.params.Network
	l := &n.links[from.id][s.To]
	if n.w.faulty && r.chance(p.Loss) {
		if p.Ordered {
			l.breaks++
		}
		return
	}
	n.carry(from, s)
	if n.w.faulty && r.chance(p.Duplicate) {
		n.carry(from, s)
	}
}

func (n *network) carry(from *host, s *consensus.Send) {
	l := &n.links[from.id][s.To]
	at := max(n.w.now+n.delay(l), l.clogged)
	if n.w.params.Network.Ordered {
		at = max(at, l.last)
		l.last = at
	}
	m, breaks := s.Message, l.breaks
	to := n.w.hosts[s.To-1]
	n.w.at(at, func() {
		if l.cuts > 0 || l.breaks != breaks {
			return
		}
		to.deliver(to.life, func() {
			if n.w.trace.wanted() {
				n.w.trace.line(n.w.now, to.name, "recv", "%s %s", from.name, describe(&m))
			}
			to.node.Message(from.id, &m)
		})
	})
}

// delay draws how long a message takes that is sent now.
func (n *network) delay(l *link) Time {
	r, p := n.w.netRand, &n.w.params.Network
	d := p.Delay/2 + r.around(p.Delay/2)
	if n.w.faulty && r.chance(p.Reorder) {
		d += r.around(10 * p.Delay)
	}
	if n.w.faulty && r.chance(p.Slow) {
		d += r.around(3 * n.w.params.ElectionTimeout)
	}
	if n.w.now < l.lagEnds {
		d += l.lag
	}
	return d
}

// each calls f for every link between two hosts.
func (n *network) each(f func(from, to *host, l *link)) {
	for _, a := range n.w.hosts {
		for _, b := range n.w.hosts {
			if a != b {
				f(a, b, &n.links[a.id][b.id])
			}
		}
	}
}

// cut lets nothing through the links that apart chooses, until the returned
// function is called.
func (n *network) cut(apart func(from, to *host) bool) (mend func()) {
	var list []*link
	n.each(func(from, to *host, l *link) {
		if apart(from, to) {
			l.cuts++
			list = append(list, l)
		}
	})
	return func() {
		for _, l := range list {
			l.cuts = max(l.cuts-1, 0) // all may have been healed meanwhile
		}
		list = nil
	}
}

// heal removes all that is wrong with the links.
func (n *network) heal() {
	n.each(func(_, _ *host, l *link) { *l = link{last: l.last, breaks: l.breaks} })
}
