package sim

import "ticketing/lock/lockmodel"

// alwaysOneHolder: a client that believes to hold a key, by its own clock and
// from the moment it sent the request, does hold it, in true time, until it
// gives it back: nobody else is granted the key before, and it is not freed.
type alwaysOneHolder struct {
	holds []*hold
	// tokens are the holders' by key, 0 for free, as of the newest slot that
	// any node has applied.
	tokens map[string]uint64
}

// held: a client has received a grant.
func (a *alwaysOneHolder) held(w *World, h *hold) {
	a.holds = append(a.holds, h)
	a.check(w, h)
}

// judge compares what clients believe with the table after a new slot.
func (a *alwaysOneHolder) judge(w *World, m *lockmodel.Model) {
	if a.tokens == nil {
		a.tokens = map[string]uint64{}
	}
	clear(a.tokens)
	for _, k := range m.List() {
		a.tokens[k.Name] = k.Token
	}
	live := a.holds[:0]
	for _, h := range a.holds {
		if h.ended || h.until <= w.now {
			continue
		}
		a.check(w, h)
		live = append(live, h)
	}
	clear(a.holds[len(live):])
	a.holds = live
}

func (a *alwaysOneHolder) check(w *World, h *hold) {
	if h.ended || h.until <= w.now {
		return
	}
	if token := a.tokens[h.key]; token != h.token {
		failf("c%d may believe for another %.3fs to hold %q with token %d, but its holder is %d",
			h.client, float64(h.until-w.now)/1e9, h.key, h.token, token)
	}
}

// disconnected: with a connection may end the keys that were granted on it.
func (a *alwaysOneHolder) disconnected(conn int) {
	for _, h := range a.holds {
		if h.conn == conn {
			h.ended = true
		}
	}
}
