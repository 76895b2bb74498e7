package sim

import (
	"fmt"
	"io"

	"ticketing/consensus"
)

// World is one simulated cluster with its clients, and all that befalls it.
type World struct {
	queue
	seed    uint64
	params  Params
	hosts   []*host
	clients []*client
	network network
	history []*op
	checks  checks
	trace   trace

	netRand, diskRand, clockRand, clientRand, hostRand stream

	// faulty: the network may lose, double and reorder.
	faulty bool
	// closing: clients begin nothing new.
	closing bool
	wall    []int64 // microseconds of each host's wall clock at time 0
}

// Options choose what Run shows and leaves out.
type Options struct {
	// Trace gets a line for each thing that happens; nil: none.
	Trace io.Writer
	// Params take the place of what the seed would draw, if not nil.
	Params *Params
	// Keep decides which faults of the schedule happen, by index; nil: all.
	Keep func(i int) bool
}

// Result is what became of a world.
type Result struct {
	Seed      uint64
	Hash      uint64 // of the trace
	Simulated Time
	Requests  int
	Faults    int
	// Violation is what safety promise was broken, Stuck what did not come
	// to rest after healing. Both empty: all is well.
	Violation string
	Stuck     string
	Stats     Stats
}

// Stats tell whether a world was worth living in.
type Stats struct {
	Grants, TimeOuts, Busy, Unknown int
	Expired, Crashes, Leaders       int
	Snapshots, Slots                int
}

// Run lives through the world of a seed.
func Run(seed uint64, opt Options) (res Result) {
	w := newWorld(seed, opt)
	res = Result{Seed: seed}
	defer func() {
		if r := recover(); r != nil {
			v, ok := r.(violation)
			if !ok {
				v = violation(fmt.Sprintf("panic: %v", r))
				w.checks.stack(v)
			}
			res.Violation = string(v)
		}
		res.Hash, res.Simulated, res.Requests = w.trace.hash, w.now, len(w.history)
		res.Stats = w.checks.stats
	}()
	faults := schedule(seed, &w.params)
	for i, f := range faults {
		if opt.Keep == nil || opt.Keep(i) {
			w.at(f.at, func() { w.inflict(f) })
			res.Faults++
		}
	}
	w.live()
	res.Stuck = w.checks.atRest()
	w.checks.finally()
	return res
}

func newWorld(seed uint64, opt Options) *World {
	w := &World{
		seed:       seed,
		params:     draw(seed),
		netRand:    newStream(seed, streamNetwork),
		diskRand:   newStream(seed, streamDisk),
		clockRand:  newStream(seed, streamClock),
		clientRand: newStream(seed, streamClients),
		hostRand:   newStream(seed, streamHost),
		faulty:     true,
		trace:      trace{out: opt.Trace, hash: seed},
	}
	if opt.Params != nil {
		w.params = *opt.Params
	}
	w.network.w = w
	w.checks.w = w
	w.trace.line(0, "--", "params %+v", w.params)
	for i := range w.params.Members {
		w.addHost(consensus.NodeID(i + 1))
	}
	for i := range w.params.Clients {
		d := w.params.Drift
		w.clients = append(w.clients, &client{
			w: w, id: i + 1, target: i,
			rate: 1 + d*(2*w.clockRand.Float64()-1),
		})
	}
	return w
}

func (w *World) addHost(id consensus.NodeID) {
	d := w.params.Drift
	h := &host{w: w, id: id, name: fmt.Sprintf("n%d", id)}
	h.clock = clock{
		base: consensus.Mono(w.clockRand.span(second, 1_000_000*second)),
		rate: 1 + d*(2*w.clockRand.Float64()-1),
	}
	w.hosts = append(w.hosts, h)
	w.wall = append(w.wall, int64(w.clockRand.span(0, 1_000_000*second)))
}

// wallMicros is what the host's wall clock shows: it may jump at will.
func (w *World) wallMicros(h *host) uint64 {
	if w.clockRand.chance(0.2) {
		w.wall[h.id-1] = int64(w.clockRand.span(0, 1_000_000*second))
	}
	return uint64(w.wall[h.id-1]) + uint64(w.now/microsecond)
}

// live is the two phases: safety under faults, then rest.
func (w *World) live() {
	for _, h := range w.hosts {
		w.after(w.hostRand.span(0, 100*millisecond), h.restart)
	}
	for _, c := range w.clients {
		c.start()
	}
	for w.step(w.params.Duration) {
	}
	w.heal()
	end := w.params.Duration + w.params.Calm
	w.at(end-w.params.Calm/2, func() { w.closing = true })
	for w.step(end) {
	}
	w.now = end
}

// heal ends all faults and runs what is down.
func (w *World) heal() {
	w.now = max(w.now, w.params.Duration)
	w.trace.line(w.now, "--", "heal")
	w.faulty = false
	w.network.heal()
	w.checks.healed()
	for _, h := range w.hosts {
		h.resume()
		h.disk.stalledUntil = w.now
		h.disk.failNext = false
		h.restart()
	}
}
