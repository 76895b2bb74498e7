package sim

// inflict lets f happen.
func (w *World) inflict(f fault) {
	h := w.hosts[f.host]
	if f.atLeader {
		if l := w.leader(); l != nil {
			h = l
		}
	}
	w.trace.line(w.now, h.name, "fault", "%v", f)
	w.checks.stats.Faults[f.kind]++
	switch f.kind {
	case faultCrash:
		w.down(h, f.long, func() { h.crash("killed") })
	case faultCrashAll:
		for _, h := range w.hosts {
			w.down(h, f.long, func() { h.crash("all killed") })
		}
	case faultStop:
		w.down(h, f.long, h.stop)
	case faultStopAll:
		for _, h := range w.hosts {
			w.down(h, f.long, h.stop)
		}
	case faultPause:
		h.pause()
		w.after(f.long, h.resume)
	case faultDrift:
		h.setRate(f.speed)
	case faultSuspend:
		c := w.clients[f.pick%uint64(len(w.clients))]
		c.suspend()
		w.after(f.long, c.resume)
	case faultStall, faultSyncFail, faultFull, faultCorrupt:
		w.spoilDisk(h, f)
	default:
		w.disturbLinks(h, f)
	}
}

// leader is a host whose process thinks that it leads, nil if none does.
func (w *World) leader() *host {
	for _, h := range w.hosts {
		if h.node != nil && h.leads {
			return h
		}
	}
	return nil
}

// down takes a process down and brings it back when it has been down for long.
func (w *World) down(h *host, long Time, end func()) {
	end()
	w.after(long, h.restart)
	// A process that was asked to stop takes its time.
	w.after(long+stopTime, h.restart)
}

func (w *World) spoilDisk(h *host, f fault) {
	d := h.disk
	switch f.kind {
	case faultStall:
		d.stalledUntil = max(d.stalledUntil, w.now+f.long)
	case faultSyncFail:
		d.failNext = h.node != nil
		w.after(f.long, h.restart)
	case faultFull:
		d.fullUntil = max(d.fullUntil, w.now+f.long)
	case faultCorrupt:
		h.crash("killed, and its store is damaged")
		d.badUntil = max(d.badUntil, w.now+f.long)
	}
	w.after(f.long, h.restart)
}

func (w *World) disturbLinks(h *host, f fault) {
	switch f.kind {
	case faultPartition:
		w.after(f.long, w.network.cut(w.shape(h, f.pick)))
	case faultClog:
		to := w.hosts[f.pick%uint64(len(w.hosts))]
		l := &w.network.links[h.id][to.id]
		l.clogged = max(l.clogged, w.now+f.long)
	case faultLag:
		w.lag(h, f)
	case faultExile:
		w.exile(h, f)
	}
}

// shape is a partition in one of the forms that hurt: one node alone, halves, a
// bridge that alone sees both sides, one way only, or any links at all.
func (w *World) shape(h *host, pick uint64) func(from, to *host) bool {
	side := func(x *host) uint64 { return pick >> 8 >> x.id & 1 }
	switch pick % 5 {
	case 0:
		return func(from, to *host) bool { return from == h || to == h }
	case 1:
		return func(from, to *host) bool { return side(from) != side(to) }
	case 2:
		return func(from, to *host) bool { return side(from) != side(to) && from != h && to != h }
	case 3:
		return func(from, _ *host) bool { return from == h }
	}
	return func(from, to *host) bool { return pick>>8>>(int(from.id)*maxMembers+int(to.id))&1 == 1 }
}

// lag makes links slower than an election: from a node, to it, or both.
func (w *World) lag(h *host, f fault) {
	most := 3 * w.params.ElectionTimeout
	w.network.each(func(from, to *host, l *link) {
		if from == h && f.pick&1 == 0 || to == h && f.pick&2 == 0 {
			l.lag = w.params.ElectionTimeout/2 + Time(f.pick>>8)%most
			l.lagEnds = max(l.lagEnds, w.now+f.long)
		}
	})
}

// exile cuts a node off for long while its clock and the others' drift apart as
// far as they can, lets it come back, and kills the leader: it may be the next.
func (w *World) exile(h *host, f fault) {
	sign := 1.0
	if f.pick&1 == 0 {
		sign = -1
	}
	for _, other := range w.hosts {
		other.setRate(1 - sign*w.params.Drift)
	}
	h.setRate(1 + sign*w.params.Drift)
	mend := w.network.cut(func(from, to *host) bool { return from == h || to == h })
	w.after(f.long, func() {
		mend()
		w.after(Time(f.pick>>8)%(2*second), func() {
			if l := w.leader(); l != nil && w.faulty {
				w.down(l, w.params.Fault.DownFor, func() { l.crash("killed: the exile is back") })
			}
		})
	})
}

// setRate changes the speed of the host's clock, and when its timer is due.
func (h *host) setRate(rate float64) {
	h.clock.setRate(h.w.now, rate)
	if at := h.wake; at != 0 {
		h.wake = 0
		h.planWake(at)
	}
}
