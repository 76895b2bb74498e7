package sim

import (
	"fmt"

	"ticketing/history"
	"ticketing/proto"
)

// client speaks frames over one connection at a time, several tasks at once,
// and does all that clients do: wait, keep, forget, give up, vanish, retry.
type client struct {
	w       *World
	id      int
	session *session
	tasks   []*task
	target  int     // host to try next
	rate    float64 // of its clock
	owners  uint64

	suspended bool
	backlog   []func() // what has come while suspended
}

func (c *client) start() {
	c.dial()
	for range c.w.params.Client.Tasks {
		t := &task{c: c}
		c.tasks = append(c.tasks, t)
		t.plan(c.think(), t.acquire)
	}
}

func (c *client) name() string { return fmt.Sprintf("c%d", c.id) }

func (c *client) think() Time { return c.w.clientRand.around(c.w.params.Client.Think) }

// awake lets f happen now, or, if the client stands still, when it goes on.
func (c *client) awake(f func()) {
	if c.suspended {
		c.backlog = append(c.backlog, f)
		return
	}
	f()
}

// suspend makes the client stand still: it neither reads nor sends, and
// believes what it believes, by a clock that goes on.
func (c *client) suspend() { c.suspended = true }

func (c *client) resume() {
	c.suspended = false
	late := c.backlog
	c.backlog = nil
	for _, f := range late {
		c.awake(f)
	}
}

// dial connects to the next host.
func (c *client) dial() {
	h := c.w.hosts[c.target%len(c.w.hosts)]
	c.w.sessions++
	s := &session{w: c.w, id: c.w.sessions, client: c, host: h, life: h.life}
	c.session = s
	s.later(&s.toServer, func() {
		if h.node == nil || h.life != s.life {
			c.w.after(c.w.clientRand.around(100*millisecond), func() { c.redial(s, c.target+1) })
			return
		}
		h.deliver(s.life, func() { h.accept(s) })
		s.later(&s.toClient, func() {
			s.up = c.session == s && !s.deaf
			c.patient(s)
		})
	})
}

// patient gives up on a server that takes connections and answers nothing.
func (c *client) patient(s *session) {
	c.w.after(c.w.params.Client.Patience, func() {
		if s.conn == 0 && s.up {
			c.leaveIf(s)
		}
	})
}

// redial tries host next in place of s.
func (c *client) redial(s *session, next int) {
	c.awake(func() {
		if c.session == s {
			c.target = next
			c.dial()
		}
	})
}

// leave ends the connection, with everything open on it unknown.
func (c *client) leave(next int) {
	s := c.session
	r, p := c.w.clientRand, &c.w.params.Client
	vanish := c.w.faulty && r.chance(p.Vanish)
	half := r.chance(p.HalfClose) && !vanish
	s.hangUp(half, vanish)
	if vanish {
		c.w.checks.stats.Vanished++
	}
	c.disconnected(s)
	c.w.after(r.around(20*millisecond), func() { c.redial(s, next) })
}

func (c *client) leaveIf(s *session) {
	if c.session == s && s.up {
		c.leave(c.target + c.w.clientRand.IntN(2))
	}
}

// ended is the server's end of the connection, or the network's.
func (c *client) ended(s *session) {
	if c.session != s || !s.up {
		return
	}
	s.up = false
	c.disconnected(s)
	c.w.after(c.w.clientRand.around(50*millisecond), func() { c.redial(s, c.target+1) })
}

// disconnected leaves everything open without a known outcome. An answer may
// come all the same, if the client still reads.
func (c *client) disconnected(s *session) {
	c.w.checks.disconnected(s)
	for _, o := range s.open {
		o.Return = int64(c.w.now)
		if t := o.task; t != nil {
			o.task = nil
			t.unknown(o)
		}
	}
}

// submit sends a request if there is a connection; false if there is none.
func (c *client) submit(t *task, o *op) bool {
	s := c.session
	if !s.up {
		return false
	}
	r, p := c.w.clientRand, &c.w.params.Client
	if r.chance(p.Garbage) && !c.sendGarbage(s) {
		return false
	}
	o.Client, o.Conn, o.Call, o.task = c.id, s.id, int64(c.w.now), t
	t.op = o
	s.open = append(s.open, o)
	c.w.history = append(c.w.history, o)
	c.w.requests++
	s.send(encode(o))
	t.plan(Time(o.Wait)*second+p.Patience, func() { c.lostPatience(o) })
	if r.chance(p.Reset) {
		c.w.after(r.around(50*millisecond), func() { c.awake(func() { c.leaveIf(s) }) })
	}
	return true
}

func encode(o *op) []byte {
	switch o.Kind {
	case history.Acquire:
		return proto.AppendAcquire(nil, o.Wait, o.Lease, o.Owner, []byte(o.Key))
	case history.Release:
		return proto.AppendRelease(nil, o.Token, []byte(o.Key))
	}
	return proto.AppendKeep(nil, o.Token, o.Lease, []byte(o.Key))
}

// lostPatience gives up on an answer that should have come long ago.
func (c *client) lostPatience(o *op) {
	if !c.blocksForever(o) {
		c.w.checks.late(o)
	}
	if s := c.session; s.id == o.Conn {
		c.leaveIf(s)
	}
}

func (c *client) blocksForever(o *op) bool {
	return o.Kind == history.Acquire && o.Wait == 0 && c.w.params.mayBlock()
}

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
			failf("%s sends a reply that can't be placed: %q", s.host.name, s.replies[:n])
		}
		c.reply(s, &r)
		s.replies = s.replies[n:]
	}
}

func (c *client) reply(s *session, r *proto.Reply) {
	switch {
	case r.Op == 0:
	case r.Op == 'L':
		c.w.trace.line(c.w.now, c.name(), "hear", "%s leads", r.Text)
	case r.Op == 'E' && len(s.refusals) > 0 && string(s.refusals[0]) == string(r.Text):
		s.refusals = s.refusals[1:]
		c.w.checks.stats.Refusals++
	case r.Op == 'M', r.Op == 'E':
		c.w.trace.line(c.w.now, c.name(), "got", "%c %s", r.Op, r.Text)
		c.w.checks.turnedAway(s, r)
		if c.session == s && s.up {
			c.turnedAway(r)
		}
	default:
		c.answer(s, r)
	}
}

// turnedAway goes where the server says, or anywhere.
func (c *client) turnedAway(r *proto.Reply) {
	s := c.session
	if len(s.open) == 1 && r.Op == 'M' {
		s.open[0].Outcome = history.Moved
	}
	next := c.target + 1 + c.w.clientRand.IntN(len(c.w.hosts))
	for i, h := range c.w.hosts {
		if r.Op == 'M' && address(h.id) == string(r.Text) {
			next = i
		}
	}
	c.leave(next)
}

// answer finds the request that r answers.
func (c *client) answer(s *session, r *proto.Reply) {
	for i, o := range s.open {
		if answers(o, r) {
			s.open = append(s.open[:i:i], s.open[i+1:]...)
			c.settle(s, o, r)
			return
		}
	}
	failf("c%d got an answer that it did not wait for: %c token=%d owner=%d %q", c.id, r.Op, r.Token, r.Owner, r.Text)
}

func answers(o *op, r *proto.Reply) bool {
	if o.Key != string(r.Text) {
		return false
	}
	switch r.Op {
	case 'A', 'T', 'B':
		return o.Kind == history.Acquire && o.Owner == r.Owner
	case 'R':
		return o.Kind == history.Release && o.Token == r.Token
	case 'K':
		return o.Kind == history.Keep && o.Token == r.Token
	default:
		return o.Kind != history.Acquire && o.Token == r.Token
	}
}

// settle records the outcome and goes on with the task. Where the client has
// given up on the request, it knows the outcome now after all.
func (c *client) settle(s *session, o *op, r *proto.Reply) {
	o.Return, o.Outcome, o.settled = int64(c.w.now), history.Outcome(rune(r.Op)), true
	c.w.trace.line(c.w.now, c.name(), "got", "%c %s token=%d owner=%d", r.Op, r.Text, r.Token, r.Owner)
	c.w.trace.mix(uint64(c.w.now) ^ uint64(r.Op) ^ r.Token)
	if o.Outcome == history.Granted {
		o.Token = r.Token
	}
	c.w.checks.answered(o)
	if t := o.task; t != nil {
		o.task = nil
		t.settled(o)
		return
	}
	if o.Outcome == history.Granted && !c.w.params.mayReleaseOnGone() {
		c.w.checks.stats.HalfClosed++
		c.w.checks.held(c.believe(o))
	}
}

// believe is what the client may believe after a grant: its lease runs from the
// sending of the request, on its own clock.
func (c *client) believe(o *op) *hold {
	return &hold{client: c.id, conn: o.Conn, key: o.Key, token: o.Token, until: c.safeUntil(o)}
}

func (c *client) safeUntil(o *op) Time {
	d := c.w.params.Drift
	return Time(o.Call) + Time(float64(o.Lease)*float64(second)*(1-d)/(1+d)/c.rate)
}
