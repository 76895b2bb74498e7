package sim

import "fmt"

// eventuallyAtRest: some time after all faults have ended every request has its
// answer, every node has applied the same log to its end, one of them leads, and
// no key is held or waited for any more: all leases have long been over. It says
// what is not so.
func eventuallyAtRest(w *World) string {
	for _, c := range w.clients {
		for _, o := range c.session.open {
			return fmt.Sprintf("c%d still waits: %v", c.id, &o.Op)
		}
		if len(c.session.refusals) > 0 && c.session.up {
			return fmt.Sprintf("c%d was not told %s", c.id, c.session.refusals[0])
		}
	}
	serving := 0
	for _, h := range w.hosts {
		if h.node == nil {
			return fmt.Sprintf("%s does not run", h.name)
		}
		if h.node.Serving() {
			serving++
		}
		a, b := h.node.Status(), w.hosts[0].node.Status()
		switch {
		// The last entries may be on their way.
		case a.Consensus.Applied+3 < b.Consensus.Applied:
			return fmt.Sprintf("%s has applied %d, n1 %d", h.name, a.Consensus.Applied, b.Consensus.Applied)
		case a.Keys > 0 || a.Waiters > 0:
			return fmt.Sprintf("%s has %d keys and %d waiters", h.name, a.Keys, a.Waiters)
		case a.Conns != h.connections():
			return fmt.Sprintf("%s counts %d connections, it has %d", h.name, a.Conns, h.connections())
		}
	}
	if serving != 1 {
		return fmt.Sprintf("%d nodes serve", serving)
	}
	return ""
}

func (h *host) connections() int {
	n := 0
	for _, s := range h.sessions {
		if s != nil {
			n++
		}
	}
	return n
}
