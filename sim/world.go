package sim

import (
	"fmt"
	"io"

	"ticketing/consensus"
)

// World is one simulated cluster with its clients, and all that befalls it.
type World struct {
	queue
	seed     uint64
	params   Params
	hosts    []*host
	clients  []*client
	sessions int // ever made
	keys     keyring
	network  network
	history  []*op
	requests int
	checks   checks
	trace    trace

	netRand, diskRand, clockRand, clientRand, hostRand stream

	// faulty: the world may do harm.
	faulty bool
	// closing: clients begin nothing new.
	closing bool
	wall    []int64 // microseconds of each host's wall clock at time 0
}

// Options choose what Run shows and leaves out.
type Options struct {
	// Trace gets a line for each thing that happens; nil: none.
	Trace io.Writer
	// Members takes the place of what the seed would draw, if not 0: 1, 3 or 5.
	Members int
	// Keep decides which faults of the schedule happen, by index; nil: all.
	Keep func(i int) bool

	params func(*Params) // changes what was drawn
	watch  func(*World)  // is called after each fault
}

// Result is what became of a world.
type Result struct {
	Seed      uint64
	Hash      uint64 // of the trace
	Simulated Time
	Members   int
	Requests  int
	Faults    int // that happened
	// Violation is what safety promise was broken, Stuck what did not come
	// to rest after healing, Unjudged why the clients' history has no verdict.
	// All empty: all is well.
	Violation string
	Stuck     string
	Unjudged  string
	Stats     Stats
}

// Failed reports whether something is wrong.
func (r *Result) Failed() bool { return r.Violation != "" || r.Stuck != "" || r.Unjudged != "" }

// Run lives through the world of a seed.
func Run(seed uint64, opt Options) (res Result) {
	w := newWorld(seed, opt)
	defer func() {
		if r := recover(); r != nil {
			v, ok := r.(violation)
			if !ok {
				v = violation(fmt.Sprintf("panic: %v", r))
				w.checks.stack(v)
			}
			w.trace.line(w.now, "--", "WRONG", "%s", v)
			res.Violation = string(v)
		}
		res.Seed, res.Hash, res.Simulated = seed, w.trace.hash, w.now
		res.Members, res.Requests = len(w.hosts), w.requests
		res.Stats = w.checks.stats
		w.close()
	}()
	for i, f := range w.schedule() {
		if opt.Keep == nil || opt.Keep(i) {
			res.Faults++
			w.at(f.at, func() {
				w.inflict(f)
				if opt.watch != nil {
					opt.watch(w)
				}
			})
		}
	}
	res.Stuck = w.live()
	if res.Stuck == "" {
		res.Unjudged = w.checks.finally()
	}
	return res
}

// paramsOf draws what the world of a seed is like.
func paramsOf(seed uint64, opt *Options) Params {
	p := draw(seed)
	if opt.Members != 0 {
		p.Members = opt.Members
	}
	if opt.params != nil {
		opt.params(&p)
	}
	return p
}

func newWorld(seed uint64, opt Options) *World {
	w := &World{
		seed:       seed,
		params:     paramsOf(seed, &opt),
		netRand:    newStream(seed, streamNetwork),
		diskRand:   newStream(seed, streamDisk),
		clockRand:  newStream(seed, streamClock),
		clientRand: newStream(seed, streamClients),
		hostRand:   newStream(seed, streamHost),
		faulty:     true,
		trace:      trace{out: opt.Trace, hash: seed},
	}
	p := &w.params
	w.keys = newKeyring(p.Client.Keys, p.Client.KeyLife)
	w.network.w = w
	w.checks.w = w
	w.trace.line(0, "--", "world", "%+v", *p)
	for i := range p.Members {
		w.addHost(consensus.NodeID(i + 1))
	}
	for i := range p.Client.Count {
		w.clients = append(w.clients, &client{w: w, id: i + 1, target: i, rate: w.drawRate()})
	}
	return w
}

func (w *World) schedule() []fault { return schedule(w.seed, &w.params) }

// drawRate draws the rate of a clock.
func (w *World) drawRate() float64 { return 1 + w.params.Drift*(2*w.clockRand.Float64()-1) }

func (w *World) addHost(id consensus.NodeID) {
	h := &host{w: w, id: id, name: fmt.Sprintf("n%d", id), disk: newDisk(w.params.RealStore, w.seed)}
	h.clock = clock{
		base: consensus.Mono(w.clockRand.span(second, 1_000_000*second)),
		rate: w.drawRate(),
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

// live is the phases of a world: faults, calm, rest. It says what has not come
// to rest, "" if all has.
func (w *World) live() (stuck string) {
	for _, h := range w.hosts {
		w.after(w.hostRand.span(0, 100*millisecond), h.restart)
	}
	for _, c := range w.clients {
		c.start()
	}
	w.until(w.params.Duration)
	w.heal()
	end := w.params.Duration + w.params.Calm
	w.until(end)
	for w.requests < w.params.Requests {
		if end > 10*w.params.Duration {
			return fmt.Sprintf("only %d requests have been made in all this time", w.requests)
		}
		end += second
		w.until(end)
	}
	w.closing = true
	w.until(end + w.params.Rest)
	return eventuallyAtRest(w)
}

func (w *World) until(t Time) {
	for w.step(t) {
	}
	w.now = t
}

// heal ends all faults and runs what is down.
func (w *World) heal() {
	w.trace.line(w.now, "--", "heal", "")
	w.faulty = false
	w.network.heal()
	for _, h := range w.hosts {
		h.resume()
		h.healDisk()
		h.restart()
	}
	for _, c := range w.clients {
		c.resume()
		c.session.quicken()
	}
}

// close gives back what a world holds outside its own memory.
func (w *World) close() {
	for _, h := range w.hosts {
		h.disk.close()
	}
}
