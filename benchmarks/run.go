package benchmarks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Config is one run.
type Config struct {
	Target   string   // "ticketd" or "redis"
	Addrs    []string // of ticketd: of any of the nodes; the leader is found
	Conns    int
	Pipeline int // pairs in flight on each connection
	// Keys that all pairs share, drawn at random; 0 gives each pair a key of
	// its own, which nobody else ever wants.
	Keys int
	// For is how long pairs are begun.
	For time.Duration
	// Hold, if not 0, is a number of keys to acquire and leave held, for 18
	// hours. There are no releases, and For plays no part: the run ends with
	// the last grant.
	Hold int
}

// Check returns what is wrong with c.
func (c *Config) Check() error {
	switch {
	case c.Target != "ticketd" && c.Target != "redis":
		return fmt.Errorf("target %q: want ticketd or redis", c.Target)
	case len(c.Addrs) == 0:
		return errors.New("no address")
	case c.Conns < 1 || c.Conns > ConnsMax:
		return fmt.Errorf("%d connections: want 1 to %d", c.Conns, ConnsMax)
	case c.Pipeline < 1 || c.Pipeline > PipelineMax:
		return fmt.Errorf("a pipeline of %d: want 1 to %d", c.Pipeline, PipelineMax)
	case c.Keys < 0 || c.Hold < 0:
		return errors.New("keys must be at least 1, and keys to hold too")
	case c.Keys > 0 && c.Hold > 0:
		return errors.New("keys that are to be held can't be shared")
	case c.Hold == 0 && c.For <= 0:
		return fmt.Errorf("a run of %v", c.For)
	}
	return nil
}

func (c *Config) dialect() dialect {
	lease, wait := leaseSeconds, 0
	if c.Hold > 0 {
		lease = holdSeconds
	}
	if c.Keys > 0 {
		wait = waitSeconds
	}
	if c.Target == "redis" {
		return newRedis(lease)
	}
	return &ticketdDialect{wait: uint16(wait), lease: uint16(lease)}
}

// Run makes one run. The error is of the generator or of a connection; what a
// server refused is counted in Result.Errors.
func Run(cfg Config) (Result, error) {
	if err := cfg.Check(); err != nil {
		return Result{}, err
	}
	workers, err := cfg.workers()
	defer closeAll(workers)
	if err != nil {
		return Result{}, err
	}
	length := cfg.For
	if cfg.Hold > 0 {
		length = holdTimeout
	}
	errs := make([]error, len(workers))
	var all sync.WaitGroup
	start := time.Now()
	for i, w := range workers {
		w.start = start
		all.Go(func() { errs[i] = w.run(length) })
	}
	all.Wait()
	return cfg.result(workers), errors.Join(errs...)
}

// workers connects: half the processors are for the server.
func (c *Config) workers() ([]*worker, error) {
	d := c.dialect()
	addr, err := d.find(c.Addrs)
	if err != nil {
		return nil, err
	}
	workers := make([]*worker, min(max(runtime.NumCPU()/2, 1), c.Conns))
	own := rand.Uint64() | ownKeys
	for i := range workers {
		w := &worker{
			dialect: d, buf: make([]byte, readBytes), random: rand.NewPCG(own, uint64(i)),
			shared: uint64(c.Keys), counter: own + uint64(i)<<40,
		}
		if c.Hold > 0 {
			w.holding = true
			w.counter, w.last = uint64(i*c.Hold/len(workers)), uint64((i+1)*c.Hold/len(workers))
		}
		workers[i] = w
	}
	for i := range c.Conns {
		w := workers[i%len(workers)]
		cn, err := c.connect(w, addr)
		if err != nil {
			return workers, fmt.Errorf("connection %d to %s: %w", i+1, addr, err)
		}
		w.conns = append(w.conns, cn)
	}
	return workers, nil
}

func dial(addr string) (net.Conn, error) {
	nc, err := net.DialTimeout("tcp", addr, openTimeout)
	if err == nil {
		err = nc.SetDeadline(time.Now().Add(openTimeout))
	}
	return nc, err
}

// connect opens a connection and takes it out of the hands of package net,
// whose own epoll would only cost time.
func (c *Config) connect(w *worker, addr string) (*conn, error) {
	nc, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	if err := w.dialect.open(nc); err != nil {
		return nil, err
	}
	file, err := nc.(*net.TCPConn).File()
	if err != nil {
		return nil, err
	}
	cn := &conn{
		w: w, index: len(w.conns), file: file, fd: int(file.Fd()),
		pairs: make([]pair, c.Pipeline), order: order{slots: make([]uint16, c.Pipeline)},
	}
	if err := syscall.SetNonblock(cn.fd, true); err != nil {
		file.Close()
		return nil, err
	}
	return cn, nil
}

func closeAll(workers []*worker) {
	for _, w := range workers {
		for _, c := range w.conns {
			c.file.Close()
		}
	}
}
