package sim

import "fmt"

// eventuallyAtRest: some time after all faults have ended every request has its
// answer, every node has applied the same log to its end, and one of them leads.
func eventuallyAtRest(w *World) string {
	for _, c := range w.clients {
		for _, o := range c.open {
			if !c.blocksForever(o) {
				return fmt.Sprintf("c%d still waits for %c %q, sent at %.3fs", c.id, o.kind, keyName(o.key), float64(o.call)/1e9)
			}
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
		// The last entries may be on their way.
		if a.Consensus.Applied+3 < b.Consensus.Applied {
			return fmt.Sprintf("%s has applied %d, n1 %d", h.name, a.Consensus.Applied, b.Consensus.Applied)
		}
	}
	if serving != 1 {
		return fmt.Sprintf("%d nodes serve", serving)
	}
	return ""
}
