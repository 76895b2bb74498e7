package lockmodel

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	stepsPerWorld = 50
	conns         = 4
	owners        = 3
	manyKeys      = 1500 // of every other crowd
)

// generator makes up a log that leans on the edges: few keys, tiny caps, time
// that stops at deadlines, tokens that are nearly right. It looks at the model,
// which the caller advances by each step.
type generator struct {
	rng   *rand.Rand
	model *Model
	c     contest
	now   uint64
	keys  []string
	made  int
}

func newGenerator(seed uint64, c contest) *generator {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 0)), model: New(c.timeoutsPerEntry), c: c}
	g.keys = []string{"a", "b", "ab", strings.Repeat("k", 128)}[:1+g.rng.IntN(4)]
	if c.crowd && seed%2 == 0 {
		for i := range manyKeys {
			g.keys = append(g.keys, strconv.Itoa(i))
		}
	}
	if g.one(20) {
		g.now = 1 << 62
	}
	return g
}

// one is true one time in n.
func (g *generator) one(n int) bool { return g.rng.IntN(n) == 0 }

// next is the next step: a LeaderStart, then batches with a LeaderStart now
// and then, in the end the release of every key, which shows the queues.
func (g *generator) next() (s step, ok bool) {
	g.made++
	s.probe.limit = g.rng.IntN(5)
	s.probe.onlyWaited = g.one(2)
	if g.made <= stepsPerWorld {
		g.advance()
	}
	s.now, s.probe.now = g.now, g.now+g.rng.Uint64N(2)*second
	if g.one(20) {
		s.snapshot = 1 + g.rng.IntN(300)*g.scale()
	}
	switch {
	case g.made == 1, g.made == 2 && g.one(4), g.made <= stepsPerWorld && g.one(40):
		s.start = g.settings()
	case g.made <= stepsPerWorld:
		s.batch = g.batch()
	default:
		s.batch = g.releaseAll()
		return s, len(s.batch) > 0
	}
	return s, true
}

// scale is how much larger a table is in a crowd.
func (g *generator) scale() int {
	if g.c.crowd {
		return g.c.timeoutsPerEntry
	}
	return 1
}

func (g *generator) settings() *Settings {
	s := &Settings{
		MaxKeys:          uint32(g.rng.IntN(5)),
		MaxWaiters:       uint32(g.rng.IntN(7)),
		MaxWaitersPerKey: uint32(g.rng.IntN(5)),
		WaitZeroBlocks:   g.one(4),
		ReleaseOnGone:    g.one(2),
		Lazy:             g.one(2),
		TokenSeed:        []uint64{0, 0, 5, 1000}[g.rng.IntN(4)],
	}
	if g.one(3) {
		s.MaxKeys, s.MaxWaiters, s.MaxWaitersPerKey = 1000, 1000, 1000
	}
	if g.c.crowd {
		s.MaxKeys, s.MaxWaiters, s.MaxWaitersPerKey = 2*manyKeys, 1_000_000, 1_000_000
	}
	return s
}

// advance moves time: not at all, by a nanosecond, to a deadline, to just
// before one, by some seconds.
func (g *generator) advance() {
	switch g.rng.IntN(8) {
	case 0:
		g.now++
	case 1, 2:
		g.now = g.deadline()
	case 3:
		g.now = max(g.now+1, g.deadline()) - 1
	case 4:
		g.now += second
	case 5:
		g.now += g.rng.Uint64N(3 * second)
	}
	if g.one(100) {
		g.now += 70_000 * second
	}
}

// deadline is an instant ahead at which a lease or a wait is over, or now.
func (g *generator) deadline() uint64 {
	ahead := []uint64{}
	for _, k := range g.model.keys {
		ahead = append(ahead, k.Deadline)
		for _, w := range k.Queue[:min(len(k.Queue), 10)] {
			ahead = append(ahead, w.Until)
		}
	}
	if len(ahead) == 0 {
		return g.now
	}
	at := ahead[g.rng.IntN(len(ahead))]
	if at < g.now || at == Forever {
		return g.now
	}
	return at
}

func (g *generator) batch() []Command {
	if g.c.crowd && g.one(6) {
		return g.rush()
	}
	var batch []Command
	for range g.rng.IntN(9) {
		batch = append(batch, g.command())
	}
	return batch
}

// rush is more acquires than may time out in one entry, all with short waits.
func (g *generator) rush() []Command {
	var batch []Command
	for range g.c.timeoutsPerEntry + g.rng.IntN(100) {
		a := g.acquire()
		a.Wait = 1 + uint16(g.rng.IntN(2))
		batch = append(batch, a)
	}
	return batch
}

func (g *generator) command() Command {
	switch n := g.rng.IntN(20); {
	case n < 9:
		return g.acquire()
	case n < 14:
		key := g.key()
		return Command{Op: Release, Conn: g.rng.Uint64N(conns + 1), Token: g.token(key), Key: key}
	case n < 17:
		key := g.key()
		return Command{Op: Keep, Conn: g.rng.Uint64N(conns + 1), Token: g.token(key), Lease: g.seconds(), Key: key}
	case n < 18:
		return Command{Op: Gone, Conn: g.conn()}
	default:
		return g.expire()
	}
}

func (g *generator) acquire() Command {
	a := Command{Op: Acquire, Conn: g.conn(), Owner: g.rng.Uint64N(owners), Lease: g.seconds(), Key: g.key()}
	if !g.one(3) {
		a.Wait = g.seconds()
	}
	return a
}

func (g *generator) expire() Command {
	if due := g.model.Expires(g.now, g.one(2), 9); len(due) > 0 && !g.one(3) {
		return due[g.rng.IntN(len(due))]
	}
	key := g.key()
	return Command{Op: Expire, Token: g.token(key), Key: key}
}

func (g *generator) key() string { return g.keys[g.rng.IntN(len(g.keys))] }

func (g *generator) conn() uint64 { return 1 + g.rng.Uint64N(conns) }

func (g *generator) seconds() uint16 {
	if g.one(50) {
		return 65535
	}
	return uint16(1 + g.rng.IntN(4))
}

// token is mostly the one that holds key; else another key's, an old one, one
// that this very entry may issue, or none.
func (g *generator) token(key string) uint64 {
	last := g.model.LastToken()
	switch n := g.rng.IntN(12); {
	case n == 0 && last > 0:
		return last - g.rng.Uint64N(min(last, 8))
	case n < 3:
		return last + 1 + g.rng.Uint64N(3)
	case n == 3:
		return g.rng.Uint64() * g.rng.Uint64N(2)
	case n == 4:
		key = g.key()
	}
	if k := g.model.find(key); k != nil {
		return k.Token
	}
	return last
}

func (g *generator) releaseAll() []Command {
	var batch []Command
	for _, k := range g.model.keys {
		batch = append(batch, Command{Op: Release, Conn: g.conn(), Token: k.Token, Key: k.Name})
	}
	return batch
}
