package sim

import "ticketing/consensus"

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
	h.node.Flush(h.clock.read(h.w.now), &h.out)
	h.w.checks.flushed(h, &h.out)
	h.submit(h.out.Writes)
	for i := range h.out.Sends {
		h.w.network.send(h, &h.out.Sends[i])
	}
	for _, r := range h.out.Reads {
		h.readChunk(r)
	}
	for i := range h.out.Replies {
		r := &h.out.Replies[i]
		h.sessions[r.Conn.Index()].reply(r.Bytes, r.Drop)
	}
	if !h.disk.busy() {
		h.refuseBroken()
	}
	if h.out.Idle && h.stopping {
		h.crash("stopped as asked")
		return
	}
	h.planWake(h.out.Wake)
}

func (h *host) planWake(at consensus.Mono) {
	if h.wake == at {
		return
	}
	h.wake = at
	if at == 0 {
		return
	}
	life := h.life
	h.w.at(h.clock.when(at), func() { h.alarm(life, at) })
}

// alarm opens a round at the time that was asked for last. A clock that has
// changed its rate since may not be there yet.
func (h *host) alarm(life int, at consensus.Mono) {
	if h.life != life || h.wake != at {
		return
	}
	if h.clock.read(h.w.now) < at {
		h.w.at(h.clock.when(at), func() { h.alarm(life, at) })
		return
	}
	h.wake = 0
	h.deliver(life, func() {})
}

func (h *host) readChunk(r consensus.ChunkRead) {
	life := h.life
	h.w.after(h.w.diskRand.around(h.w.params.SyncTime), func() {
		h.deliver(life, func() {
			data, _ := h.disk.chunk(r.Gen, r.Index)
			h.node.ChunkRead(r, data)
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
	d := h.disk
	if len(d.syncing) > 0 || len(d.queue) == 0 {
		return
	}
	d.syncing, d.queue = d.queue, nil
	d.syncs++
	h.finishSync(h.w.now + h.syncTime())
}

func (h *host) syncTime() Time {
	p := &h.w.params
	t := h.w.diskRand.around(p.SyncTime)
	if h.w.faulty && h.w.diskRand.chance(p.SyncSpike) {
		t *= 100
	}
	return t
}

// finishSync ends the sync under way at some time, if nothing else ends it before.
func (h *host) finishSync(at Time) {
	d := h.disk
	syncs, life := d.syncs, h.life
	h.w.at(max(at, d.stalledUntil), func() {
		switch {
		case d.syncs != syncs:
			return
		case h.w.now < d.stalledUntil:
			h.finishSync(d.stalledUntil)
			return
		case d.failNext:
			h.crash("a sync failed")
			return
		case h.w.now < d.fullUntil:
			h.crash("the disk is full")
			return
		}
		d.write(d.syncing)
		for i := range d.syncing {
			h.w.checks.durable(h, &d.syncing[i])
		}
		last := d.syncing[len(d.syncing)-1].Seq
		d.syncing = nil
		d.syncs++
		h.sync()
		h.deliver(life, func() { h.node.Persisted(last) })
	})
}

// healDisk ends what is wrong with the disk: what it held back gets through.
func (h *host) healDisk() {
	h.disk.heal()
	if len(h.disk.syncing) > 0 {
		h.finishSync(h.w.now)
	}
}
