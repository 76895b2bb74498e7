package sim

import "ticketing/proto"

// acquire asks for some key.
func (t *task) acquire() {
	c, p := t.c, &t.c.w.params
	r := c.w.clientRand
	if c.w.closing {
		return
	}
	if t.owner == 0 {
		c.owners++
		t.owner = uint64(c.id)<<32 | c.owners
		t.key = r.IntN(p.Keys)
	}
	t.lease = r.between(1, p.LeaseMax)
	o := &op{
		kind: proto.OpAcquire, key: t.key, owner: t.owner,
		wait: r.between(0, p.WaitMax), lease: t.lease,
	}
	if !c.submit(t, o) {
		c.plan(t, c.think(), t.acquire)
		return
	}
	if r.chance(p.Abandon) {
		s := c.session
		c.w.after(r.around(second), func() { c.leaveIf(s) })
	}
}

// settled goes on after an answer.
func (t *task) settled(o *op) {
	c := t.c
	t.owner = 0
	switch o.verdict {
	case 'A':
		t.held(o)
	case 'T', 'B':
		c.plan(t, c.think(), t.acquire)
	case 'K':
		t.grant.until = max(t.grant.until, t.safeUntil(o))
		c.plan(t, c.think(), t.release)
	case 'R', 'N':
		if o.kind == proto.OpKeep || t.grant != nil && o.token != t.grant.token {
			c.plan(t, c.think(), t.release)
			return
		}
		t.drop()
		c.plan(t, c.think(), t.acquire)
	}
}

// safeUntil is what the client may believe: its lease runs from the sending of
// the request, on its own clock.
func (t *task) safeUntil(o *op) Time {
	d := t.c.w.params.Drift
	return o.call + Time(float64(o.lease)*float64(second)*(1-d)/(1+d)/t.c.rate)
}

// held decides what to do with a grant.
func (t *task) held(o *op) {
	c, p := t.c, &t.c.w.params
	r := c.w.clientRand
	t.grant = &hold{client: c.id, key: o.key, token: o.token, until: t.safeUntil(o)}
	c.w.checks.held(t.grant)
	t.tries = 0
	switch {
	case r.chance(p.Forget):
		t.drop()
		c.plan(t, c.think(), t.acquire)
	case r.chance(p.Keep):
		c.plan(t, c.think(), t.keep)
	case r.chance(p.WrongToken):
		c.plan(t, c.think(), t.wrongRelease)
	default:
		c.plan(t, c.think(), t.release)
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
	o := &op{kind: proto.OpRelease, key: t.grant.key, token: token}
	if token == t.grant.token {
		t.grant.ended = true
	}
	t.try(o, func() { t.giveUp(token) })
}

func (t *task) keep() {
	t.lease = t.c.w.clientRand.between(1, t.c.w.params.LeaseMax)
	t.try(&op{kind: proto.OpKeep, key: t.grant.key, token: t.grant.token, lease: t.lease}, t.keep)
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
		t.c.plan(t, t.c.think(), t.acquire)
		return
	}
	t.c.plan(t, t.c.think(), again)
}

// unknown goes on after a request whose outcome nobody told.
func (t *task) unknown() {
	c, o := t.c, t.op
	t.op = nil
	switch {
	case o.kind != proto.OpAcquire && t.grant != nil && c.w.clientRand.chance(0.7):
		c.plan(t, c.think(), t.release)
	case o.kind != proto.OpAcquire && t.grant != nil:
		t.drop()
		c.plan(t, c.think(), t.acquire)
	default:
		if !c.w.clientRand.chance(c.w.params.SameOwner) {
			t.owner = 0
		}
		c.plan(t, c.think(), t.acquire)
	}
}
