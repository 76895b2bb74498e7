package consensus

import (
	"fmt"

	"ticketing/planted"
)

// gate is the durability gate, the one mechanism behind every rule of the
// form "durable before it leaves". Each durable change goes into a numbered
// Write. Each message that promises something names the number that it needs,
// and stays inside until Persisted has reached it. Since the store makes a
// prefix durable, a later message can never overtake the writes of an earlier
// one.
type gate struct {
	newest  uint64 // Seq of the newest write
	durable uint64
	last    Slot     // last slot of the log, durably
	hinted  Slot     // commit hint of the newest write that carried one
	bytes   uint64   // of the entries in the newest write
	open    []Write  // not handed out yet
	given   []Write  // handed out by the last take
	issued  []issued // handed out and not durable
	held    []held   // waiting; a need is never met before an earlier one
	free    []held   // released by the last persisted
}

// issued says when writes were handed out.
type issued struct {
	seq  uint64 // the last of them
	last Slot   // last slot of the log with them
	at   Mono
}

// held is a message that waits for a write. A message of a member to itself
// is its own vote, which counts no earlier than anyone else's.
type held struct {
	need uint64
	send Send
}

// begin opens a new write.
func (g *gate) begin() *Write {
	g.newest++
	g.bytes = 0
	g.open = append(g.open, Write{Seq: g.newest})
	return &g.open[len(g.open)-1]
}

// tail returns the write that the next change of the log goes into.
func (g *gate) tail() *Write {
	if n := len(g.open); n > 0 && g.open[n-1].Chunk == nil && g.open[n-1].Snapshot == nil {
		return &g.open[n-1]
	}
	return g.begin()
}

func (g *gate) promise(b Ballot) {
	w := g.tail()
	if !planted.Is(planted.ForgottenPromise) {
		w.Promised = b
	}
}

func (g *gate) entry(e Entry) {
	w := g.tail()
	if n := len(w.Entries); n > 0 && (w.Entries[n-1].Slot+1 != e.Slot || g.bytes+cost(&e) > maxWriteBytes) {
		w = g.begin()
	}
	g.bytes += cost(&e)
	w.Entries = append(w.Entries, e)
}

func (g *gate) chunk(k Chunk) { g.begin().Chunk = &k }

func (g *gate) snapshot(m SnapshotMeta) { g.begin().Snapshot = &m }

// hold keeps a message until the write need is durable.
func (g *gate) hold(need uint64, s Send) {
	if planted.Is(planted.AckBeforeSync) {
		need = g.durable
	}
	g.held = append(g.held, held{need: need, send: s})
}

// take hands over the writes that were opened since the last take. The commit
// index rides along: it is a hint, and never worth a write of its own.
func (g *gate) take(commit, last Slot, now Mono) []Write {
	clear(g.given)
	g.given, g.open = g.open, g.given[:0]
	if n := len(g.given); n > 0 {
		g.issued = append(g.issued, issued{seq: g.newest, last: last, at: now})
		if commit > g.hinted {
			g.given[n-1].Commit = commit
			g.hinted = commit
		}
	}
	return g.given
}

// stalled reports whether the oldest unfinished write is older than limit.
func (g *gate) stalled(now, limit Mono) bool {
	return len(g.issued) > 0 && now-g.issued[0].at > limit
}

// persisted notes that seq is durable and returns the messages that had
// waited for it. The slice is good until the next call.
func (g *gate) persisted(seq uint64) []held {
	if seq < g.durable || seq > g.newest-uint64(len(g.open)) {
		panic(fmt.Sprintf("BUG: write %d reported durable, %d were before and %d have been handed out",
			seq, g.durable, g.newest-uint64(len(g.open))))
	}
	g.durable = seq
	done := 0
	for done < len(g.issued) && g.issued[done].seq <= seq {
		g.last = g.issued[done].last
		done++
	}
	g.issued = g.issued[:copy(g.issued, g.issued[done:])]
	n := 0
	for n < len(g.held) && g.held[n].need <= seq {
		n++
	}
	g.free = append(g.free[:0], g.held[:n]...)
	rest := copy(g.held, g.held[n:])
	clear(g.held[rest:])
	g.held = g.held[:rest]
	return g.free
}
