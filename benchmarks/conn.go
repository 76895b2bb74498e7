package benchmarks

import (
	"fmt"
	"os"
	"syscall"
)

// conn is one connection of the load: its pairs, and the bytes on their way.
// It belongs to one worker.
type conn struct {
	w     *worker
	index int      // in the worker's conns
	file  *os.File // keeps fd open
	fd    int
	pairs []pair
	order order // for dialects whose replies come in order

	in     []byte // the start of a reply that is not whole
	out    []byte // what is to be written
	hungry bool   // waits until more can be written
}

// random is for values, of no other use than to differ.
func (c *conn) random() uint64 { return c.w.random.Uint64() }

// begin starts the next pair in a slot, if there is to be another.
func (c *conn) begin(slot int, now int64) {
	p := &c.pairs[slot]
	if !c.w.next(p) {
		p.state = idle
		return
	}
	p.began = now
	c.w.open++
	c.acquire(slot)
}

func (c *conn) acquire(slot int) {
	c.pairs[slot].state = acquiring
	c.out = c.w.dialect.acquire(c.out, c, slot)
}

// turn takes in what there is to read, at the time now, and writes what follows
// from it.
func (c *conn) turn(now int64) error {
	b := c.w.buf
	kept := copy(b, c.in)
	n, err := syscall.Read(c.fd, b[kept:])
	if n < 0 {
		n = 0
	}
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR:
		return nil
	case err != nil:
		return fmt.Errorf("read: %w", err)
	case n == 0:
		return errHungUp
	}
	taken, err := c.replies(b[:kept+n], now)
	if err != nil {
		return err
	}
	c.in = append(c.in[:0], b[taken:kept+n]...)
	return c.flush()
}

// replies acts on all whole replies in b.
func (c *conn) replies(b []byte, now int64) (taken int, err error) {
	for {
		r, n, err := c.w.dialect.parse(b[taken:], c)
		if n == 0 || err != nil {
			return taken, err
		}
		taken += n
		if err := c.act(r, now); err != nil {
			return taken, err
		}
	}
}

// act moves a pair on.
func (c *conn) act(r reply, now int64) error {
	p := &c.pairs[r.slot]
	wanted := acquiring
	if r.verdict == released || r.verdict == notHeld {
		wanted = releasing
	}
	if p.state != wanted {
		return fmt.Errorf("%w: verdict %d on a pair in state %d", errStray, r.verdict, p.state)
	}
	switch r.verdict {
	case granted:
		if c.w.holding {
			c.finish(r.slot, true, now)
			return nil
		}
		p.state = releasing
		c.out = c.w.dialect.release(c.out, c, r.slot)
	case held:
		c.ask(r.slot, now)
	case released:
		c.finish(r.slot, true, now)
	case refused, notHeld:
		c.finish(r.slot, false, now)
	}
	return nil
}

// ask sends an acquire again. At the end of a run nobody waits for it any more,
// and a key that was to be held is held by somebody else.
func (c *conn) ask(slot int, now int64) {
	switch {
	case c.w.holding:
		c.finish(slot, false, now)
	case c.w.ending:
		c.w.open--
		c.pairs[slot].state = idle
	default:
		c.w.retries++
		c.acquire(slot)
	}
}

// finish counts a pair and begins the next.
func (c *conn) finish(slot int, well bool, now int64) {
	w := c.w
	w.open--
	switch {
	case !well:
		w.errors++
	case !w.ending:
		w.latency.add(uint64(now - c.pairs[slot].began))
	}
	c.begin(slot, now)
}

// flush writes as much as the socket takes.
func (c *conn) flush() error {
	if len(c.out) == 0 {
		return nil
	}
	n, err := syscall.Write(c.fd, c.out)
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR:
		n = 0
	case err != nil:
		return fmt.Errorf("write: %w", err)
	}
	c.out = c.out[:copy(c.out, c.out[n:])]
	if hungry := len(c.out) > 0; hungry != c.hungry {
		c.hungry = hungry
		return c.w.watch(c, syscall.EPOLL_CTL_MOD)
	}
	return nil
}
