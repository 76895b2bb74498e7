package sim

import "ticketing/history"

// task does one thing after another: acquire, hold, release.
type task struct {
	c     *client
	turn  int // rises with each step, so that a planned step can become void
	op    *op // waits for this answer
	grant *hold
	stale uint64 // a token that was once ours
	owner uint64 // to use again for a retry, for the same key
	key   string
	tries int // in vain, since something went well
}

// plan lets f be the next step unless something else comes first.
func (t *task) plan(d Time, f func()) {
	t.turn++
	turn := t.turn
	t.c.w.after(d, func() {
		t.c.awake(func() {
			if t.turn == turn {
				f()
			}
		})
	})
}

// again acquires anew after some time: sooner after success than after failure.
func (t *task) again() {
	p := &t.c.w.params.Client
	lengthen := Time(1) << min(t.tries, 10)
	t.tries++
	t.plan(min(t.c.think()*lengthen, p.BackOff), t.acquire)
}

// acquire asks for some key.
func (t *task) acquire() {
	c, p := t.c, &t.c.w.params.Client
	r := c.w.clientRand
	if c.w.closing {
		return
	}
	if t.owner == 0 {
		c.owners++
		t.owner = uint64(c.id)<<32 | c.owners
		t.key = c.w.keys.use(r.IntN(p.Keys))
	}
	o := &op{Op: history.Op{
		Kind: history.Acquire, Key: t.key, Owner: t.owner,
		Wait: uint16(r.between(0, p.WaitMax)), Lease: uint16(r.between(1, p.LeaseMax)),
	}}
	if !c.submit(t, o) {
		t.plan(c.think(), t.acquire)
		return
	}
	if r.chance(p.Abandon) {
		s := c.session
		c.w.after(r.around(second), func() { c.awake(func() { c.leaveIf(s) }) })
	}
}

// settled goes on after an answer.
func (t *task) settled(o *op) {
	c := t.c
	t.op, t.owner = nil, 0
	switch o.Outcome {
	case history.Granted:
		t.held(o)
	case history.TimedOut, history.Busy:
		t.again()
	case history.Kept:
		t.grant.until = max(t.grant.until, c.safeUntil(o))
		t.plan(c.think(), t.release)
	default:
		if o.Kind == history.Keep || t.grant != nil && o.Token != t.grant.token {
			t.plan(c.think(), t.release)
			return
		}
		t.drop()
		t.again()
	}
}

// held decides what to do with a grant.
func (t *task) held(o *op) {
	c, p := t.c, &t.c.w.params.Client
	r := c.w.clientRand
	t.grant = c.believe(o)
	c.w.checks.held(t.grant)
	t.tries = 0
	switch {
	case c.w.closing:
		t.release()
	case r.chance(p.Forget):
		t.drop()
		t.again()
	case r.chance(p.Keep):
		t.plan(c.think(), t.keep)
	case r.chance(p.WrongToken):
		t.plan(c.think(), t.wrongRelease)
	default:
		t.plan(c.think(), t.release)
	}
}

// drop leaves the key to whatever becomes of it. The hold stays in force until
// its time, unless a release was sent.
func (t *task) drop() {
	t.stale = t.grant.token
	t.grant = nil
}

func (t *task) release() { t.giveUp(t.grant.token) }

// wrongRelease sends a release with a token that is not the holder's.
func (t *task) wrongRelease() {
	wrong := t.stale
	if r := t.c.w.clientRand; wrong == 0 || r.chance(0.5) {
		// One below may have been this key's, but is so no more. One above
		// might be somebody's by now.
		wrong = t.grant.token - uint64(r.IntN(2))
	}
	t.giveUp(wrong)
}

func (t *task) giveUp(token uint64) {
	o := &op{Op: history.Op{Kind: history.Release, Key: t.grant.key, Token: token}}
	if token == t.grant.token {
		t.grant.ended = true
	}
	t.try(o, func() { t.giveUp(token) })
}

func (t *task) keep() {
	lease := uint16(t.c.w.clientRand.between(1, t.c.w.params.Client.LeaseMax))
	t.try(&op{Op: history.Op{Kind: history.Keep, Key: t.grant.key, Token: t.grant.token, Lease: lease}}, t.keep)
}

// try sends a request about the held key, now or when there is a connection,
// and gives up after some time.
func (t *task) try(o *op, again func()) {
	if t.c.submit(t, o) {
		return
	}
	t.tries++
	if t.tries > 20 {
		t.drop()
		t.again()
		return
	}
	t.plan(t.c.think(), again)
}

// unknown goes on after a request whose outcome nobody told.
func (t *task) unknown(o *op) {
	c := t.c
	t.op = nil
	switch {
	case o.Kind != history.Acquire && t.grant != nil && c.w.clientRand.chance(0.7):
		t.plan(c.think(), t.release)
	case o.Kind != history.Acquire && t.grant != nil:
		t.drop()
		t.again()
	default:
		if !c.w.clientRand.chance(c.w.params.Client.SameOwner) {
			t.owner = 0
		}
		t.again()
	}
}
