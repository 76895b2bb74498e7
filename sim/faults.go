package sim

import (
	"cmp"
	"fmt"
	"slices"
)

// faultKind is one way in which the world turns against its nodes.
type faultKind uint8

const (
	faultCrash      faultKind = iota // the process ends; it comes back later
	faultRestartAll                  // all at once
	faultPause                       // the process stands still, then goes on
	faultPartition                   // some links carry nothing
	faultClog                        // one link carries everything late
	faultStall                       // the disk takes nothing for a while
	faultSyncFail                    // the next sync fails
	faultDrift                       // the clock changes its speed
	faultKinds
)

var faultNames = [faultKinds]string{
	"crash", "restart-all", "pause", "partition", "clog", "stall", "sync-fail", "drift",
}

// fault is one entry of the schedule. The schedule is drawn before the world
// begins, so that a part of it can be left out to find what matters.
type fault struct {
	at   Time
	kind faultKind
	host int
	long Time
	// pick chooses among the shapes of a partition and the like.
	pick uint64
	// speed is the clock's, for faultDrift.
	speed float64
}

func (f fault) String() string {
	return fmt.Sprintf("%.3fs %s n%d for %.3fs", float64(f.at)/1e9, faultNames[f.kind], f.host+1, float64(f.long)/1e9)
}

// schedule draws the faults of a world, in order of time.
func schedule(seed uint64, p *Params) []fault {
	r := newStream(seed, streamFaults)
	var list []fault
	add := func(kind faultKind, every Time) {
		if every == 0 {
			return
		}
		for at := r.around(every); at < p.Duration; at += r.around(every) + millisecond {
			list = append(list, drawFault(r, p, kind, at))
		}
	}
	add(faultCrash, p.CrashEvery)
	add(faultPause, p.PauseEvery)
	add(faultPartition, p.PartitionEvery)
	add(faultClog, p.PartitionEvery)
	add(faultStall, p.StallEvery)
	add(faultSyncFail, p.SyncFailEvery)
	add(faultDrift, p.DriftEvery)
	slices.SortStableFunc(list, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
	return list
}

func drawFault(r stream, p *Params, kind faultKind, at Time) fault {
	f := fault{
		at: at, kind: kind, host: r.IntN(p.Members), pick: r.Uint64(),
		speed: 1 + p.Drift*(2*r.Float64()-1),
	}
	if kind == faultCrash && r.chance(p.RestartAll) {
		f.kind = faultRestartAll
	}
	f.long = r.around(p.FaultFor)
	if kind == faultCrash || kind == faultSyncFail {
		f.long = r.around(p.DownFor)
	}
	return f
}

// inflict lets f happen.
func (w *World) inflict(f fault) {
	w.trace.line(w.now, "--", "fault  %v", f)
	h := w.hosts[f.host]
	switch f.kind {
	case faultCrash:
		h.crash("killed")
		w.after(f.long, h.restart)
	case faultRestartAll:
		for _, h := range w.hosts {
			h.crash("all killed")
			w.after(f.long, h.restart)
		}
	case faultPause:
		h.pause()
		w.after(f.long, h.resume)
	case faultPartition:
		w.partition(f)
	case faultClog:
		to := int(f.pick % uint64(len(w.hosts)))
		w.network.clogged[h.id][w.hosts[to].id] = w.now + f.long
	case faultStall:
		h.disk.stalledUntil = w.now + f.long
	case faultSyncFail:
		h.disk.failNext = h.node != nil
		w.after(f.long, h.restart)
	case faultDrift:
		h.clock.setRate(w.now, f.speed)
	}
}

// restart runs a process if there is none.
func (h *host) restart() {
	if h.node == nil {
		h.start()
	}
}

// partition cuts links in one of the shapes that hurt: one node alone, halves,
// a bridge that alone sees both sides, one way only, or any links at all.
func (w *World) partition(f fault) {
	n := len(w.hosts)
	side := f.pick >> 8
	for i, a := range w.hosts {
		for j, b := range w.hosts {
			if i == j {
				continue
			}
			apart := side>>i&1 != side>>j&1
			switch f.pick % 5 {
			case 0:
				apart = i == f.host || j == f.host
			case 1: // halves, as drawn
			case 2:
				apart = apart && i != f.host && j != f.host
			case 3:
				apart = i == f.host
			case 4:
				apart = side>>(i*n+j)&1 == 1
			}
			if apart {
				w.network.cut[a.id][b.id] = true
			}
		}
	}
	w.after(f.long, w.network.heal)
}
