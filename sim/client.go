package sim

import (
	"fmt"

	"ticketing/proto"
)

// client speaks frames over one connection at a time, several tasks at once,
// and does all that clients do: wait, keep, forget, give up, vanish, retry.
type client struct {
	w       *World
	id      int
	session *session
	tasks   []*task
	open    []*op // sent on session, not answered, in order
	target  int   // host to try next
	rate    float64
	owners  uint64
}

// task does one thing after another: acquire, hold, release.
type task struct {
	c     *client
	turn  int // rises with each step, so that a planned step can become void
	op    *op // waits for this answer
	grant *hold
	lease int
	stale uint64 // a token that was once ours
	owner uint64 // to use again for a retry, for the same key
	key   int
	tries int
}

func (c *client) start() {
	c.dial()
	for range c.w.params.Tasks {
		t := &task{c: c}
		c.tasks = append(c.tasks, t)
		c.plan(t, c.think(), t.acquire)
	}
}

func (c *client) think() Time { return c.w.clientRand.around(c.w.params.Think) }

// plan lets f be the next step of t unless something else comes first.
func (c *client) plan(t *task, d Time, f func()) {
	t.turn++
	turn := t.turn
	c.w.after(d, func() {
		if t.turn == turn {
			f()
		}
	})
}

// dial connects to the next host.
func (c *client) dial() {
	h := c.w.hosts[c.target%len(c.w.hosts)]
	s := &session{w: c.w, client: c, host: h, life: h.life}
	c.session = s
	s.later(&s.toServer, func() {
		if h.node == nil || h.life != s.life {
			c.w.after(c.w.clientRand.around(100*millisecond), func() { c.redial(s) })
			return
		}
		h.deliver(s.life, func() { h.accept(s) })
		s.later(&s.toClient, func() { s.up = c.session == s && !s.deaf })
	})
}

// redial tries the next host in place of s.
func (c *client) redial(s *session) {
	if c.session == s {
		c.target++
		c.dial()
	}
}

// leave ends the connection, with everything open on it unknown.
func (c *client) leave(next int) {
	s := c.session
	r, p := c.w.clientRand, &c.w.params
	s.up = false
	s.hangUp(r.chance(p.HalfClose), r.chance(0.1))
	c.target = next
	c.disconnected()
	c.w.after(r.around(20*millisecond), func() { c.redialAt(s, next) })
}

func (c *client) redialAt(s *session, next int) {
	if c.session == s {
		c.target = next
		c.dial()
	}
}

// ended is the server's end of the connection, or the network's.
func (c *client) ended(s *session) {
	if c.session != s || !s.up {
		return
	}
	s.up = false
	c.disconnected()
	c.w.after(c.w.clientRand.around(50*millisecond), func() { c.redial(s) })
}

// disconnected leaves everything open without a known outcome.
func (c *client) disconnected() {
	open := c.open
	c.open = nil
	c.w.checks.holders.disconnected(c.w, c.id)
	for _, o := range open {
		for _, t := range c.tasks {
			if t.op == o {
				t.unknown()
			}
		}
	}
}

// submit sends a request if there is a connection; false if there is none.
func (c *client) submit(t *task, o *op) bool {
	s := c.session
	if !s.up {
		return false
	}
	o.client, o.session, o.call = c.id, s, c.w.now
	key := keyName(o.key)
	var b []byte
	switch o.kind {
	case proto.OpAcquire:
		b = proto.AppendAcquire(nil, uint16(o.wait), uint16(o.lease), o.owner, key)
	case proto.OpRelease:
		b = proto.AppendRelease(nil, o.token, key)
	default:
		b = proto.AppendKeep(nil, o.token, uint16(o.lease), key)
	}
	t.op = o
	c.open = append(c.open, o)
	c.w.history = append(c.w.history, o)
	s.send(b)
	c.plan(t, Time(o.wait)*second+c.w.params.Patience, func() { c.lostPatience(o) })
	if c.w.clientRand.chance(c.w.params.Reset) {
		c.w.after(c.w.clientRand.around(50*millisecond), func() { c.leaveIf(s) })
	}
	return true
}

func (c *client) leaveIf(s *session) {
	if c.session == s && s.up {
		c.leave(c.target + c.w.clientRand.IntN(2))
	}
}

// lostPatience gives up on an answer that should have come long ago.
func (c *client) lostPatience(o *op) {
	if !c.blocksForever(o) {
		c.w.checks.late(o)
	}
	c.leaveIf(o.session)
}

func (c *client) blocksForever(o *op) bool {
	return o.kind == proto.OpAcquire && o.wait == 0 && c.w.params.Settings.WaitZeroBlocks
}

func keyName(i int) []byte { return fmt.Appendf(nil, "key-%d", i) }

// received takes in bytes from the server.
func (c *client) received(s *session, b []byte) {
	s.replies = append(s.replies, b...)
	var r proto.Reply
	for {
		n, ok := proto.ParseReply(s.replies, &r)
		if n == 0 {
			return
		}
		if !ok {
			panic(fmt.Sprintf("BUG: reply %q can't be placed", s.replies[:n]))
		}
		c.reply(s, &r)
		s.replies = s.replies[n:]
	}
}

func (c *client) reply(s *session, r *proto.Reply) {
	switch r.Op {
	case 0:
	case 'L':
		c.w.trace.line(c.w.now, c.name(), "hears  leader is %s", r.Text)
	case 'M', 'E':
		if c.session == s && s.up {
			c.turnedAway(r)
		}
	default:
		c.answer(s, r)
	}
}

func (c *client) name() string { return fmt.Sprintf("c%d", c.id) }

// turnedAway goes where the server says, or anywhere.
func (c *client) turnedAway(r *proto.Reply) {
	if len(c.open) == 1 && r.Op == 'M' {
		c.open[0].noEffect = true
	}
	next := c.target + 1 + c.w.clientRand.IntN(len(c.w.hosts))
	for i, h := range c.w.hosts {
		if r.Op == 'M' && address(h.id) == string(r.Text) {
			next = i
		}
	}
	c.leave(next)
}

// answer finds the request that r answers. One may come for a connection that
// the client has half closed: then the outcome is known after all.
func (c *client) answer(s *session, r *proto.Reply) {
	for i, o := range c.open {
		if o.session == s && answers(o, r) {
			c.open = append(c.open[:i:i], c.open[i+1:]...)
			c.settle(o, r)
			return
		}
	}
	c.w.checks.stray(s, r)
}

func answers(o *op, r *proto.Reply) bool {
	if string(keyName(o.key)) != string(r.Text) {
		return false
	}
	switch r.Op {
	case 'A', 'T', 'B':
		return o.kind == proto.OpAcquire && o.owner == r.Owner
	case 'R':
		return o.kind == proto.OpRelease && o.token == r.Token
	case 'K':
		return o.kind == proto.OpKeep && o.token == r.Token
	default:
		return o.kind != proto.OpAcquire && o.token == r.Token
	}
}

// settle records the outcome and goes on with the task.
func (c *client) settle(o *op, r *proto.Reply) {
	o.ret, o.verdict = c.w.now, r.Op
	c.w.trace.line(c.w.now, c.name(), "got    %c %s token=%d owner=%d", r.Op, r.Text, r.Token, r.Owner)
	c.w.trace.mix(uint64(c.w.now) ^ uint64(r.Op) ^ r.Token)
	if o.kind == proto.OpAcquire && r.Op == 'A' {
		o.token = r.Token
	}
	c.w.checks.answered(o)
	for _, t := range c.tasks {
		if t.op == o {
			t.op = nil
			t.settled(o)
		}
	}
}
