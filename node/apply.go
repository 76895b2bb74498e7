package node

import (
	"fmt"

	"ticketing/consensus"
	"ticketing/lock"
	"ticketing/planted"
	"ticketing/proto"
)

// apply gives one chosen entry to the table.
func (n *Node) apply(e *consensus.Chosen) {
	if e.Effective {
		n.applyEffective(e)
	}
	n.counts.Entries++
	if e.Slot%digestInterval == 0 {
		n.digests.add(e.Slot, n.table.Digest())
	}
}

func (n *Node) applyEffective(e *consensus.Chosen) {
	now := lock.Time(e.Now)
	switch e.Kind {
	case consensus.KindLeaderStart:
		s, err := lock.DecodeSettings(e.Payload)
		if err != nil {
			panic(fmt.Sprintf("BUG: settings in slot %d: %v", e.Slot, err))
		}
		n.table.Start(now, s)
	case consensus.KindCommands:
		n.routing = n.reigning() && e.Origin == n.reign && !n.drained ||
			planted.Is(planted.AnswerOfOldReign)
		n.table.Apply(now, e.Payload, (*router)(n))
	default:
		panic(fmt.Sprintf("BUG: kind %d in slot %d", e.Kind, e.Slot))
	}
}

// restoreChunk takes in a snapshot that another member sent.
func (n *Node) restoreChunk(r *consensus.Restore) {
	if r.Index == 0 {
		n.snapshot.end() // what it is of is about to be replaced
		n.restorer = lock.NewRestorer()
	}
	if err := n.restorer.Add(r.Data); err != nil {
		panic(fmt.Sprintf("BUG: chunk %d of the snapshot at slot %d: %v", r.Index, r.Meta.Slot, err))
	}
	if r.Index+1 < r.Meta.Chunks {
		return
	}
	table, err := n.restorer.Table()
	if err != nil {
		panic(fmt.Sprintf("BUG: snapshot at slot %d: %v", r.Meta.Slot, err))
	}
	n.table, n.restorer = table, nil
}

// router is the Node as the table's sink.
type router Node

// Outcome sends one answer on its way. A grant for a connection that is gone
// goes back at once: nobody has seen it.
func (r *router) Outcome(o *lock.Outcome) {
	n := (*Node)(r)
	if !n.routing {
		return
	}
	c := n.conns.get(Conn(o.Conn))
	if c == nil {
		if o.Verdict == lock.Granted {
			n.batch.appendRelease(0, o.Token, o.Key)
			n.counts.GivenBack++
		}
		return
	}
	c.inflight--
	c.out = n.appendReply(c.out, o)
	n.conns.touch(c)
}

func (n *Node) appendReply(b []byte, o *lock.Outcome) []byte {
	switch o.Verdict {
	case lock.Granted:
		n.counts.Grants++
		return proto.AppendAcquired(b, o.Token, o.Owner, o.Key)
	case lock.TimedOut:
		n.counts.TimeOuts++
		return proto.AppendTimedOut(b, o.Owner, o.Key)
	case lock.Busy:
		n.counts.Busy++
		return proto.AppendBusy(b, o.Owner, o.Key)
	case lock.Released:
		n.counts.Releases++
		return proto.AppendReleased(b, o.Token, o.Key)
	case lock.Kept:
		n.counts.Keeps++
		return proto.AppendKept(b, o.Token, o.Key)
	case lock.NotHeld:
		n.counts.NotHeld++
		return proto.AppendNotHeld(b, o.Token, o.Key)
	}
	panic(fmt.Sprintf("BUG: verdict %d for key %q", o.Verdict, o.Key))
}
