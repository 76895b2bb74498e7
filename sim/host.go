package sim

import (
	"fmt"

	"ticketing/consensus"
	"ticketing/node"
	"ticketing/proto"
)

// host is a machine with a server process on it, or without one while it is
// down. It does around node.Node what the server's loop does.
type host struct {
	w     *World
	id    consensus.NodeID
	name  string
	node  *node.Node // nil: no process
	disk  disk
	clock clock

	// life rises whenever a process starts or ends: what was on its way to an
	// earlier one is dropped.
	life     int
	sessions []*session // by node.Conn.Index()
	out      node.Output
	inRound  bool
	wake     consensus.Mono

	paused  bool
	backlog []func()
}

// start runs a process on what the disk holds.
func (h *host) start() {
	rec, chunks := h.disk.image.recovered()
	h.w.checks.started(h, &rec)
	n, err := node.New(h.config(), rec, chunks, h.clock.read(h.w.now))
	if err != nil {
		panic(fmt.Sprintf("BUG: %s can't start: %v", h.name, err))
	}
	h.node = n
	h.life++
	h.sessions = nil
	h.inRound, h.wake, h.paused, h.backlog = false, 0, false, nil
	h.w.trace.line(h.w.now, h.name, "start  promised=%v commit=%d log=%d", rec.Promised, rec.Commit, len(rec.Entries))
	h.openRound()
}

func (h *host) config() node.Config {
	p := &h.w.params
	s := p.Settings
	s.TokenSeed = h.w.wallMicros(h)
	cfg := node.Config{
		Settings:    s,
		MaxInflight: p.MaxInflight,
		Consensus: consensus.Config{
			Node:            h.id,
			Members:         p.Members,
			Heartbeat:       consensus.Mono(p.Heartbeat),
			ElectionTimeout: consensus.Mono(p.ElectionTimeout),
			SnapshotBytes:   p.SnapshotBytes,
			Seed:            h.w.hostRand.Uint64(),
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
	h.w.trace.line(h.w.now, h.name, "crash  %s", why)
	h.node = nil
	h.life++
	h.paused, h.backlog = false, nil
	h.disk.crash(h.w.diskRand)
	for _, s := range h.sessions {
		if s != nil {
			s.serverDied()
		}
	}
	h.sessions = nil
}

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

// openRound plans the end of the round that begins with this event.
func (h *host) openRound() {
	if h.inRound {
		return
	}
	h.inRound = true
	life := h.life
	h.w.after(h.w.hostRand.span(0, h.w.params.RoundDelay), func() { h.endRound(life) })
}

func (h *host) endRound(life int) {
	if h.node == nil || h.life != life {
		return
	}
	if h.paused {
		h.backlog = append(h.backlog, func() { h.endRound(life) })
		return
	}
	h.inRound = false
	mono := h.clock.read(h.w.now)
	h.node.Flush(mono, &h.out)
	h.w.checks.flushed(h, &h.out)
	h.submit(h.out.Writes)
	for _, s := range h.out.Sends {
		h.w.network.send(h, s)
	}
	for _, r := range h.out.Reads {
		h.readChunk(r)
	}
	for _, r := range h.out.Replies {
		h.sessions[r.Conn.Index()].reply(r.Bytes, r.Drop)
	}
	h.planWake(h.out.Wake)
}

func (h *host) planWake(at consensus.Mono) {
	h.wake = at
	if at == 0 {
		return
	}
	life := h.life
	h.w.at(h.clock.when(at), func() {
		if h.wake == at {
			h.deliver(life, func() {})
		}
	})
}

func (h *host) readChunk(r consensus.ChunkRead) {
	life := h.life
	h.w.after(h.w.diskRand.around(h.w.params.SyncTime), func() {
		h.deliver(life, func() {
			data, ok := h.disk.image.chunk(r.Gen, r.Index)
			if ok {
				h.node.ChunkRead(r, data)
			}
		})
	})
}

// submit hands writes to the disk.
func (h *host) submit(ws []consensus.Write) {
	h.disk.queue = append(h.disk.queue, ws...)
	h.sync()
}

// sync begins to make durable what waits, unless something is on its way.
func (h *host) sync() {
	d := &h.disk
	if len(d.syncing) > 0 || len(d.queue) == 0 {
		return
	}
	d.syncing, d.queue = d.queue, nil
	h.finishSync(h.w.now + h.syncTime())
}

func (h *host) syncTime() Time {
	p := &h.w.params
	t := h.w.diskRand.around(p.SyncTime)
	if h.w.diskRand.chance(p.SyncSpike) {
		t *= 100
	}
	return t
}

func (h *host) finishSync(at Time) {
	d := &h.disk
	epoch, life := d.epoch, h.life
	h.w.at(max(at, d.stalledUntil), func() {
		switch {
		case d.epoch != epoch:
			return
		case h.w.now < d.stalledUntil:
			h.finishSync(d.stalledUntil)
			return
		case d.failNext:
			h.crash("a sync failed")
			return
		}
		for i := range d.syncing {
			d.image.apply(&d.syncing[i])
			h.w.checks.durable(h, &d.syncing[i])
		}
		last := d.syncing[len(d.syncing)-1].Seq
		d.syncing = nil
		h.sync()
		h.deliver(life, func() { h.node.Persisted(last) })
	})
}

// received takes in bytes from a client.
func (h *host) received(s *session, b []byte) {
	if s.conn == 0 {
		return
	}
	s.in = append(s.in, b...)
	var r proto.Request
	for {
		n, reason := proto.ParseRequest(s.in, &r)
		switch {
		case reason == proto.BadFrame:
			panic(fmt.Sprintf("BUG: a simulated client sent %q", s.in))
		case n == 0:
			return
		case reason != "":
			h.node.Refuse(s.conn, reason)
		case r.Op != 0:
			h.node.Request(s.conn, &r)
		}
		s.in = s.in[n:]
	}
}

// accept admits a client's connection.
func (h *host) accept(s *session) {
	s.conn = h.node.Open()
	for len(h.sessions) <= s.conn.Index() {
		h.sessions = append(h.sessions, nil)
	}
	h.sessions[s.conn.Index()] = s
}

// lost notices that a client's connection has ended.
func (h *host) lost(s *session) {
	if s.conn == 0 {
		return
	}
	h.node.Gone(s.conn, s.unsent)
	h.w.checks.gone(h, s)
	h.sessions[s.conn.Index()] = nil
	s.conn = 0
	s.unsent = nil
}
