package sim

import (
	"bytes"
	"fmt"

	"ticketing/consensus"
	"ticketing/lock"
	"ticketing/lock/lockmodel"
	"ticketing/node"
	"ticketing/proto"
)

// alwaysReplay: every answer is what lockmodel, fed with the chosen log from
// its first slot on, says to that request; each goes to the connection that
// asked, in the order of the log, none is left out, and none is given before
// its entry is applied.
type alwaysReplay struct {
	model *lockmodel.Model
	// slots are the outcomes of each applied slot, by slot-1.
	slots [][]lockmodel.Outcome
	// due are the outcomes that the round being judged must answer.
	due []dueAnswer
}

type dueAnswer struct {
	lockmodel.Outcome
	given bool
}

func (a *alwaysReplay) begin() { a.due = a.due[:0] }

// applied: h has applied e in this round.
func (a *alwaysReplay) applied(w *World, h *host, st *consensus.State, e *consensus.Chosen) {
	if int(e.Slot) == len(a.slots)+1 {
		a.slots = append(a.slots, a.replay(e))
		w.checks.holders.judge(w, a.model)
	}
	if int(e.Slot) > len(a.slots) {
		failf("%s applied slot %d before any node applied slot %d", h.name, e.Slot, len(a.slots)+1)
	}
	if e.Effective && st.Role == consensus.RoleLeader && st.Ballot == e.Origin {
		outcomes := a.slots[e.Slot-1]
		for _, o := range outcomes {
			a.due = append(a.due, dueAnswer{Outcome: o})
		}
		if len(outcomes) > 0 {
			w.checks.log.answering(w, h, e)
		}
	}
}

// replay gives e to the model.
func (a *alwaysReplay) replay(e *consensus.Chosen) []lockmodel.Outcome {
	if a.model == nil {
		a.model = lockmodel.New(lock.TimeoutsPerEntry)
	}
	switch {
	case !e.Effective:
		return nil
	case e.Kind == consensus.KindLeaderStart:
		s, err := lock.DecodeSettings(e.Payload)
		if err != nil {
			failf("settings in slot %d: %v", e.Slot, err)
		}
		a.model.Start(uint64(e.Now), modelSettings(s))
		return nil
	}
	commands, err := lock.Decode(e.Payload)
	if err != nil {
		failf("commands in slot %d: %v", e.Slot, err)
	}
	var batch []lockmodel.Command
	for _, c := range commands {
		batch = append(batch, modelCommand(c))
	}
	return a.model.Apply(uint64(e.Now), batch)
}

// replied: h sends r at the end of this round.
func (a *alwaysReplay) replied(h *host, r *node.Reply) {
	var f proto.Reply
	for b := r.Bytes; len(b) > 0; {
		n, ok := proto.ParseReply(b, &f)
		if n == 0 || !ok {
			failf("%s sends what is no frame: %q", h.name, b)
		}
		b = b[n:]
		switch f.Op {
		case 0, 'M', 'L', 'E':
		default:
			a.claim(h, r.Conn, &f)
		}
	}
}

// claim finds the outcome that f tells: the first of its connection that is not
// told yet. A Busy may also stand for the connection's own cap.
func (a *alwaysReplay) claim(h *host, c node.Conn, f *proto.Reply) {
	for i := range a.due {
		d := &a.due[i]
		if d.given || d.Conn != uint64(c) {
			continue
		}
		if bytes.Equal(frame(&d.Outcome), replyFrame(f)) {
			d.given = true
			return
		}
		break
	}
	if f.Op != 'B' {
		failf("%s answers %c token=%d owner=%d %q, which is not what the log says next to that connection",
			h.name, f.Op, f.Token, f.Owner, f.Text)
	}
}

// end: everything that the round decided for an open connection has been told.
func (a *alwaysReplay) end(h *host) {
	for i := range a.due {
		d := &a.due[i]
		if s := h.sessionOf(node.Conn(d.Conn)); s != nil && !d.given {
			failf("%s did not tell c%d the outcome %+v", h.name, s.client.id, d.Outcome)
		}
	}
}

// sessionOf returns the open session that the node knows as c.
func (h *host) sessionOf(c node.Conn) *session {
	if c == 0 || c.Index() >= len(h.sessions) {
		return nil
	}
	if s := h.sessions[c.Index()]; s != nil && s.conn == c {
		return s
	}
	return nil
}

func frame(o *lockmodel.Outcome) []byte {
	key := []byte(o.Key)
	switch o.Verdict {
	case lockmodel.Granted:
		return proto.AppendAcquired(nil, o.Token, o.Owner, key)
	case lockmodel.TimedOut:
		return proto.AppendTimedOut(nil, o.Owner, key)
	case lockmodel.Busy:
		return proto.AppendBusy(nil, o.Owner, key)
	case lockmodel.Released:
		return proto.AppendReleased(nil, o.Token, key)
	case lockmodel.Kept:
		return proto.AppendKept(nil, o.Token, key)
	case lockmodel.NotHeld:
		return proto.AppendNotHeld(nil, o.Token, key)
	}
	panic(fmt.Sprintf("BUG: verdict %d", o.Verdict))
}

func replyFrame(f *proto.Reply) []byte {
	switch f.Op {
	case 'A':
		return proto.AppendAcquired(nil, f.Token, f.Owner, f.Text)
	case 'T':
		return proto.AppendTimedOut(nil, f.Owner, f.Text)
	case 'B':
		return proto.AppendBusy(nil, f.Owner, f.Text)
	case 'R':
		return proto.AppendReleased(nil, f.Token, f.Text)
	case 'K':
		return proto.AppendKept(nil, f.Token, f.Text)
	default:
		return proto.AppendNotHeld(nil, f.Token, f.Text)
	}
}

func modelSettings(s lock.Settings) lockmodel.Settings {
	return lockmodel.Settings{
		MaxKeys: s.MaxKeys, MaxWaiters: s.MaxWaiters, MaxWaitersPerKey: s.MaxWaitersPerKey,
		WaitZeroBlocks: s.WaitZeroBlocks, ReleaseOnGone: s.ReleaseOnGone, Lazy: s.Lazy, TokenSeed: s.TokenSeed,
	}
}

func modelCommand(c lock.Command) lockmodel.Command {
	ops := map[byte]lockmodel.Op{
		'A': lockmodel.Acquire, 'R': lockmodel.Release, 'K': lockmodel.Keep, 'G': lockmodel.Gone, 'E': lockmodel.Expire,
	}
	return lockmodel.Command{
		Op: ops[c.Op], Conn: uint64(c.Conn), Owner: c.Owner, Token: c.Token, Wait: c.Wait, Lease: c.Lease, Key: c.Key,
	}
}
