package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"ticketing/lock/lockmodel"
)

// generator makes the history of a server that keeps its promises: the rules
// written down in lockmodel, behind a network that is late. What its clients
// see must be explained, whatever they do.
type generator struct {
	rng   *rand.Rand
	model *lockmodel.Model
	lazy  bool

	now     int64
	plans   []plan
	open    map[uint64]*Op // by connection: one acquire at a time
	clients []int          // the connection of each
	turns   []int          // of each client: what it planned before is void
	conns   int
	ops     []*Op
}

type plan struct {
	at int64
	do func()
}

func generate(rng *rand.Rand, lazy bool) []Op {
	g := &generator{
		rng: rng, lazy: lazy, model: lockmodel.New(1000),
		open: map[uint64]*Op{}, clients: make([]int, 6), turns: make([]int, 6),
	}
	g.model.Start(0, lockmodel.Settings{MaxKeys: 100, MaxWaiters: 100, MaxWaitersPerKey: 100, Lazy: lazy})
	for c := range g.clients {
		g.reconnect(c)
		g.then(c, second, func() { g.acquire(c) })
	}
	for tick := int64(0); tick < 45*second; tick += second / 50 {
		g.at(tick, g.deadlines)
	}
	for len(g.plans) > 0 {
		p := g.plans[0]
		g.plans = g.plans[1:]
		g.now = p.at
		p.do()
	}
	var ops []Op
	for _, o := range g.ops {
		if o.Return == 0 {
			o.Return = g.now
		}
		ops = append(ops, *o)
	}
	return ops
}

func (g *generator) at(t int64, do func()) {
	i := sort.Search(len(g.plans), func(i int) bool { return g.plans[i].at > t })
	g.plans = slices.Insert(g.plans, i, plan{t, do})
}

func (g *generator) after(least, most int64, do func()) {
	g.at(g.now+least+g.rng.Int64N(most-least+1), do)
}

// then is what a client does next, unless something else comes first.
func (g *generator) then(c int, most int64, do func()) {
	g.turns[c]++
	turn := g.turns[c]
	g.after(0, most, func() {
		if g.turns[c] == turn {
			do()
		}
	})
}

func (g *generator) reconnect(c int) {
	g.conns++
	g.clients[c] = g.conns
}

// deadlines is what a server does as time passes.
func (g *generator) deadlines() {
	g.answer(g.model.Apply(uint64(g.now), nil))
	g.answer(g.model.Apply(uint64(g.now), g.model.Expires(uint64(g.now), g.lazy, 1000)))
}

// send lets o reach the server late, and be decided there.
func (g *generator) send(o *Op, decided func([]lockmodel.Outcome)) {
	o.Call = g.now
	g.ops = append(g.ops, o)
	g.after(0, second/20, func() {
		ops := map[Kind]lockmodel.Op{Acquire: lockmodel.Acquire, Release: lockmodel.Release, Keep: lockmodel.Keep}
		decided(g.model.Apply(uint64(g.now), []lockmodel.Command{{
			Op: ops[o.Kind], Conn: uint64(o.Conn), Owner: o.Owner, Token: o.Token, Wait: o.Wait, Lease: o.Lease, Key: o.Key,
		}}))
	})
}

func (g *generator) acquire(c int) {
	if g.now > 30*second {
		return
	}
	o := &Op{
		Client: c, Conn: g.clients[c], Kind: Acquire, Key: fmt.Sprint(g.rng.IntN(2)),
		Wait: uint16(g.rng.IntN(4)), Lease: uint16(1 + g.rng.IntN(3)),
	}
	g.open[uint64(o.Conn)] = o
	g.send(o, g.answer)
	if g.rng.IntN(5) == 0 {
		g.after(0, second, func() { g.leave(c, o) })
	}
}

// leave ends the connection of a client, whatever it waits for.
func (g *generator) leave(c int, o *Op) {
	if g.clients[c] != o.Conn {
		return
	}
	g.reconnect(c)
	if o.Outcome == Unknown {
		o.Return = g.now
	}
	g.after(second/20, second/10, func() {
		delete(g.open, uint64(o.Conn))
		g.answer(g.model.Apply(uint64(g.now), []lockmodel.Command{{Op: lockmodel.Gone, Conn: uint64(o.Conn)}}))
	})
	g.then(c, second, func() { g.acquire(c) })
}

// answer carries outcomes to the clients.
func (g *generator) answer(outcomes []lockmodel.Outcome) {
	for _, out := range outcomes {
		o := g.open[out.Conn]
		if o == nil || out.Verdict > lockmodel.Busy {
			continue
		}
		delete(g.open, out.Conn)
		g.after(0, second/20, func() { g.receive(o, out) })
	}
}

func (g *generator) receive(o *Op, out lockmodel.Outcome) {
	if g.clients[o.Client] != o.Conn {
		return // gave up
	}
	o.Return = g.now
	o.Outcome = TimedOut
	if out.Verdict == lockmodel.Granted {
		o.Outcome, o.Token = Granted, out.Token
		if g.rng.IntN(4) > 0 {
			g.then(o.Client, 2*second, func() { g.end(o) })
			return
		}
	}
	g.then(o.Client, second, func() { g.acquire(o.Client) })
}

// end keeps or releases what was granted, and goes on.
func (g *generator) end(grant *Op) {
	o := &Op{Client: grant.Client, Conn: grant.Conn, Kind: Release, Key: grant.Key, Token: grant.Token}
	if g.rng.IntN(4) == 0 {
		o.Kind, o.Lease = Keep, 2
	}
	g.send(o, func(outs []lockmodel.Outcome) {
		verdicts := map[lockmodel.Verdict]Outcome{lockmodel.Released: Released, lockmodel.Kept: Kept, lockmodel.NotHeld: NotHeld}
		out := verdicts[outs[0].Verdict]
		g.answer(outs[1:])
		g.after(0, second/20, func() {
			if g.clients[o.Client] != o.Conn {
				return
			}
			o.Return, o.Outcome = g.now, out
			if out == Kept {
				g.end(grant)
				return
			}
			g.acquire(grant.Client)
		})
	})
}
