package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"ticketing/proto"
)

// Config says which servers a Client talks to.
type Config struct {
	// Addrs are the client addresses (host:port) of one server, or of a
	// cluster's nodes, in any order. One node is enough to find the leader, more
	// are for when that one is down.
	Addrs []string
	// Secret is what the servers were told to ask for; empty if nothing.
	Secret []byte
}

// Client acquires and releases tickets. See New.
type Client struct {
	addrs  []string
	secret []byte
	// now and dialer are the real ones except in tests.
	now    func() time.Duration
	dialer func(addr string) (net.Conn, error)

	closing chan struct{}  // closed by Close
	workers sync.WaitGroup // all goroutines

	mu     sync.Mutex
	closed bool
	nodes  map[string]*node
	aim    string // address of the server that is thought to lead
}

// New returns a Client for the servers of cfg. It connects with the first
// request. The error is ErrArgument.
func New(cfg Config) (*Client, error) {
	if len(cfg.Addrs) == 0 {
		return nil, fmt.Errorf("%w: no server address", ErrArgument)
	}
	for _, addr := range cfg.Addrs {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return nil, fmt.Errorf("%w: %w (want host:port)", ErrArgument, err)
		}
	}
	return &Client{
		addrs: slices.Clone(cfg.Addrs), secret: slices.Clone(cfg.Secret),
		now: now, dialer: dialTCP,
		closing: make(chan struct{}), nodes: map[string]*node{}, aim: cfg.Addrs[0],
	}, nil
}

// Close ends all connections. Requests that are open fail with ErrClosed, what
// waits at the server leaves its queue, and locks that are held run to the end
// of their leases.
func (c *Client) Close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.closing)
	}
	var conns []*conn
	for _, n := range c.nodes {
		if n.conn != nil {
			conns = append(conns, n.conn)
		}
	}
	c.mu.Unlock()
	for _, cn := range conns {
		cn.end(ErrClosed)
	}
	c.workers.Wait()
}

// Acquire asks for key, and waits in its queue for as long as wait if it is
// held. The lease counts from the grant, at the server.
//
// wait is whole seconds from 0 to 65535, and 0 is one try; lease is whole
// seconds from 1 to 65535; key is 1 to 128 bytes of UTF-8 without space or line
// end. Anything else is ErrArgument.
//
// Errors: ErrHeld, ErrBusy, ErrUnavailable (which may come with
// ErrOutcomeOpen), ErrLost if the key was granted but so late that nothing was
// left of the lease, ErrAuth, ErrProtocol, ErrClosed, and that of ctx. When ctx
// ends the call and the grant comes all the same, it is given back.
//
// After a wait that may have used up part of the lease (the client can't know
// when the grant was made, only when it asked), the lease is renewed before
// Acquire returns.
//
// A server that runs with --wait-zero=block takes a wait of 0 for one without
// limit. Acquire does not: it ends with ErrUnavailable after a few seconds.
func (c *Client) Acquire(ctx context.Context, key string, wait, lease time.Duration) (*Lock, error) {
	waitSeconds, err := wholeSeconds("wait", wait, 0)
	if err != nil {
		return nil, err
	}
	leaseSeconds, err := wholeSeconds("lease", lease, 1)
	if err != nil {
		return nil, err
	}
	if err := checkKey(key); err != nil {
		return nil, err
	}
	began := c.now()
	request := proto.Request{Op: proto.OpAcquire, Wait: waitSeconds, Lease: leaseSeconds, Owner: newOwner(), Key: []byte(key)}
	for {
		got, err := c.exchange(ctx, request)
		if err != nil {
			return nil, err
		}
		if err := acquireError(got.op); err != nil {
			return nil, err
		}
		sentAt, err := c.confirm(ctx, request, got)
		if err == nil {
			return newLock(c, key, got.token, leaseSeconds, sentAt), nil
		}
		c.releaseLater(key, got.token)
		left := wait - (c.now() - began)
		if !errors.Is(err, ErrLost) || left < time.Second {
			return nil, err
		}
		request.Wait = waitLeft(left)
	}
}

// confirm makes sure that a fresh grant has most of its lease before it, and
// returns when that lease was asked for. A grant may be as old as its request:
// if that took a while, then keep first, and count from the keep.
func (c *Client) confirm(ctx context.Context, r proto.Request, got decided) (sentAt time.Duration, err error) {
	lease := seconds(r.Lease)
	if c.now()-got.sentAt <= lease/10 {
		return got.sentAt, nil
	}
	kept, err := c.exchange(ctx, proto.Request{Op: proto.OpKeep, Token: got.token, Lease: r.Lease, Key: r.Key})
	switch {
	case err != nil:
		return 0, err
	case kept.op == proto.ReplyNotHeld || c.now()-kept.sentAt >= surely(r.Lease):
		return 0, ErrLost
	}
	return kept.sentAt, nil
}

func acquireError(op byte) error {
	switch op {
	case proto.ReplyTimedOut:
		return ErrHeld
	case proto.ReplyBusy:
		return ErrBusy
	}
	return nil
}

// Release gives back key, which was granted with token, by whichever Client. It
// needs no Lock.
//
// Errors: ErrNotHeld if token does not hold key. If an earlier try got no
// answer the error is ErrOutcomeOpen too, since that try may have released it.
// ErrUnavailable, ErrAuth, ErrProtocol, ErrClosed, ErrArgument, and that of
// ctx: the release may still take effect.
func (c *Client) Release(ctx context.Context, key string, token uint64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	got, err := c.exchange(ctx, proto.Request{Op: proto.OpRelease, Token: token, Key: []byte(key)})
	switch {
	case err != nil:
		return err
	case got.op == proto.ReplyReleased:
		return nil
	case got.open:
		return fmt.Errorf("%w (%w)", ErrNotHeld, ErrOutcomeOpen)
	}
	return ErrNotHeld
}

// releaseLater gives back what nobody will hold, without making anyone wait for
// it. If it fails, the key is held until its lease is over.
func (c *Client) releaseLater(key string, token uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.workers.Go(func() { c.Release(context.Background(), key, token) })
	}
}

// newOwner names one acquire. Two with the same name can't be told apart on one
// connection, so it is drawn from all 64 bits.
func newOwner() uint64 { return rand.Uint64() }

func checkKey(key string) error {
	if !proto.ValidKey([]byte(key)) {
		return fmt.Errorf("%w: key %q, want 1 to %d bytes of UTF-8 without space or line end", ErrArgument, key, proto.KeyMaxBytes)
	}
	return nil
}

// wholeSeconds refuses what the wire can't say, rather than to round it.
func wholeSeconds(what string, d time.Duration, least int) (uint16, error) {
	if d%time.Second != 0 || d < time.Duration(least)*time.Second || d > durationMaxSeconds*time.Second {
		return 0, fmt.Errorf("%w: a %s of %v, want whole seconds from %d to %d", ErrArgument, what, d, least, durationMaxSeconds)
	}
	return uint16(d / time.Second), nil
}
