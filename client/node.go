package client

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

// node is one server as the Client sees it: at most one connection, or one
// attempt at one. The Client's mu guards it.
type node struct {
	addr    string
	conn    *conn
	attempt *attempt
	// failures in a row: attempts that failed and connections that ended before
	// the server had decided anything.
	failures int
}

// attempt is a dial that any number of requests wait for. conn or err is set
// when done is closed.
type attempt struct {
	done chan struct{}
	conn *conn
	err  error
}

// connection returns the connection to the server that is thought to lead,
// dialled if need be. A failure moves the aim to the next server, so that
// calling again is the way to look for another.
func (c *Client) connection(ctx context.Context) (*conn, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, ErrClosed
	}
	n := c.node(c.aim)
	if n.conn != nil {
		c.mu.Unlock()
		return n.conn, nil
	}
	if n.attempt == nil {
		n.attempt = &attempt{done: make(chan struct{})}
		c.workers.Go(func() { c.connect(n, n.attempt, backoff(n.failures)) })
	}
	a := n.attempt
	c.mu.Unlock()
	select {
	case <-a.done:
		return a.conn, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// node holds mu.
func (c *Client) node(addr string) *node {
	n := c.nodes[addr]
	if n == nil {
		n = &node{addr: addr}
		c.nodes[addr] = n
	}
	return n
}

// connect carries out one attempt.
func (c *Client) connect(n *node, a *attempt, delay time.Duration) {
	wait := time.NewTimer(delay)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-c.closing:
		c.finish(n, a, nil, ErrClosed)
		return
	}
	nc, err := c.dial(n.addr)
	if err != nil {
		c.finish(n, a, nil, err)
		return
	}
	cn := newConn(nc, c.now, c.lead, func(cn *conn, cause error, answered bool) {
		c.lose(n, cn, cause, answered)
	})
	c.finish(n, a, cn, nil)
	// Only now, so that the connection can't end before it is known.
	c.workers.Go(cn.read)
	c.workers.Go(cn.write)
}

// finish ends an attempt and tells those who wait for it.
func (c *Client) finish(n *node, a *attempt, cn *conn, err error) {
	c.mu.Lock()
	n.attempt = nil
	closed := c.closed
	switch {
	case err != nil:
		n.failures++
		c.turnFrom(n.addr)
	case !closed:
		n.conn = cn
	}
	c.mu.Unlock()
	if closed && cn != nil {
		cn.end(ErrClosed)
	}
	a.conn, a.err = cn, err
	close(a.done)
}

// lose takes note that a connection is over.
func (c *Client) lose(n *node, cn *conn, cause error, answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answered {
		n.failures = 0
	}
	n.failures++
	if n.conn == cn {
		n.conn = nil
	}
	if moved, ok := cause.(movedError); ok {
		c.aim = moved.addr
		return
	}
	c.turnFrom(n.addr)
}

// lead takes note of who leads now, as an L frame says.
func (c *Client) lead(addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aim = addr
}

// turnFrom aims at the next server in the list if addr is the one aimed at. It
// holds mu.
func (c *Client) turnFrom(addr string) {
	if c.aim == addr {
		// An address outside the list has index -1: the first is next.
		c.aim = c.addrs[(slices.Index(c.addrs, addr)+1)%len(c.addrs)]
	}
}

// backoff is how long to wait before a dial, with jitter so that many clients
// don't come back at once.
func backoff(failures int) time.Duration {
	if failures == 0 {
		return 0
	}
	d := min(backoffMin<<min(failures-1, 10), backoffMax)
	return d/2 + rand.N(d/2)
}
