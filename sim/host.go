package sim

import (
	"fmt"

	"ticketing/consensus"
	"ticketing/node"
)

// host is a machine with a server process on it, or without one while it is
// down. It does around node.Node what the server's loop does.
type host struct {
	w     *World
	id    consensus.NodeID
	name  string
	node  *node.Node // nil: no process
	disk  *disk
	clock clock

	// life rises whenever a process starts or ends: what was on its way to an
	// earlier one is dropped.
	life     int
	sessions []*session // by node.Conn.Index()
	broken   []*session // whose stream can't be read on, in order
	out      node.Output
	inRound  bool
	wake     consensus.Mono
	leads    bool
	stopping bool

	paused  bool
	backlog []func()
}

// supervise is how soon a process that could not start is started again.
const supervise = 700 * millisecond

// restart runs a process if there is none.
func (h *host) restart() {
	if h.node != nil {
		return
	}
	if why := h.disk.refuses(h.w.now); why != "" {
		h.w.trace.line(h.w.now, h.name, "refuse", "%s", why)
		h.w.after(supervise, h.restart)
		return
	}
	h.start()
}

// start runs a process on what the disk holds.
func (h *host) start() {
	rec, chunks := h.disk.open()
	h.w.checks.started(h, &rec)
	n, err := node.New(h.config(), rec, chunks, h.clock.read(h.w.now))
	if err != nil {
		panic(fmt.Sprintf("BUG: %s can't start: %v", h.name, err))
	}
	h.node = n
	h.begin()
	h.w.trace.line(h.w.now, h.name, "start", "promised=%v commit=%d snapshot=%d log=%d",
		ballot(rec.Promised), rec.Commit, h.disk.image.first()-1, len(rec.Entries))
	h.openRound()
}

// begin forgets what was of an earlier process.
func (h *host) begin() {
	h.life++
	h.sessions, h.broken, h.backlog = nil, nil, nil
	h.inRound, h.wake = false, 0
	h.leads, h.stopping, h.paused = false, false, false
}

func (h *host) config() node.Config {
	p, r := &h.w.params, h.w.hostRand
	s := p.Settings[r.IntN(len(p.Settings))]
	s.TokenSeed = h.w.wallMicros(h)
	s.Lazy = p.Members == 1
	cfg := node.Config{
		Settings:    s,
		MaxInflight: p.MaxInflight[r.IntN(len(p.MaxInflight))],
		Consensus: consensus.Config{
			Node:            h.id,
			Members:         p.Members,
			Heartbeat:       consensus.Mono(p.Heartbeat),
			ElectionTimeout: consensus.Mono(p.ElectionTimeout),
			DriftPPM:        uint32(p.Drift * 1e6),
			SnapshotBytes:   p.SnapshotBytes,
			Limits:          p.Limits,
			Seed:            r.Uint64(),
		},
	}
	if p.Members > 1 {
		for i := range p.Members {
			cfg.Addresses = append(cfg.Addresses, address(consensus.NodeID(i+1)))
		}
	}
	return cfg
}

// address is what clients know a member by.
func address(id consensus.NodeID) string { return fmt.Sprintf("n%d:5225", id) }

// crash ends the process, with whatever the disk had not made durable.
func (h *host) crash(why string) {
	if h.node == nil {
		return
	}
	h.w.trace.line(h.w.now, h.name, "crash", "%s", why)
	h.w.checks.crashed(h)
	sessions := h.sessions
	h.node = nil
	h.begin()
	h.disk.crash(h.w.diskRand)
	for _, s := range sessions {
		if s != nil {
			s.serverDied()
		}
	}
	if !h.w.faulty { // it was asked to stop before
		h.w.after(supervise, h.restart)
	}
}

// stop asks the process to end, as an operator does: it settles what it can and
// ends by itself, or after a time.
func (h *host) stop() {
	if h.node == nil || h.stopping {
		return
	}
	h.stopping = true
	life := h.life
	h.deliver(life, func() { h.node.Drain() })
	h.w.after(stopTime, func() {
		if h.life == life {
			h.crash("asked to stop, and it took too long")
		}
	})
}

// stopTime is how long a process that was asked to stop may go on.
const stopTime = 4 * second

// deliver lets f happen to the process of life, in the order of arrival: a
// paused process finds everything when it goes on.
func (h *host) deliver(life int, f func()) {
	if h.node == nil || h.life != life {
		return
	}
	if h.paused {
		h.backlog = append(h.backlog, f)
		return
	}
	f()
	if h.node != nil && h.life == life {
		h.openRound()
	}
}

func (h *host) pause() { h.paused = h.node != nil }

func (h *host) resume() {
	if !h.paused {
		return
	}
	h.paused = false
	late := h.backlog
	h.backlog = nil
	for _, f := range late {
		h.deliver(h.life, f)
	}
}
