package sim

import "ticketing/consensus"

// network carries messages between members.
type network struct {
	w *World
	// cut[from][to]: nothing gets through that way.
	cut [6][6]bool
	// clogged[from][to]: nothing gets through before then.
	clogged [6][6]Time
}

// send puts a message on its way: late, twice, or not at all.
func (n *network) send(from *host, s consensus.Send) {
	r, p := n.w.netRand, &n.w.params
	if n.w.faulty && r.chance(p.Loss) {
		return
	}
	n.carry(from, s)
	if n.w.faulty && r.chance(p.Duplicate) {
		n.carry(from, s)
	}
}

func (n *network) carry(from *host, s consensus.Send) {
	r, p := n.w.netRand, &n.w.params
	d := p.Delay/2 + r.around(p.Delay/2)
	if n.w.faulty && r.chance(p.Reorder) {
		d += r.around(10 * p.Delay)
	}
	if n.w.faulty && r.chance(p.SlowDelay) {
		d += r.around(3 * p.ElectionTimeout)
	}
	at := max(n.w.now+d, n.clogged[from.id][s.To])
	m := s.Message
	to := n.w.hosts[s.To-1]
	n.w.at(at, func() {
		if n.cut[from.id][to.id] {
			return
		}
		life := to.life
		to.deliver(life, func() {
			n.w.trace.line(n.w.now, to.name, "recv   n%d %v", from.id, &m)
			to.node.Message(from.id, &m)
		})
	})
}

// heal removes all cuts and clogs.
func (n *network) heal() {
	n.cut = [6][6]bool{}
	n.clogged = [6][6]Time{}
}
