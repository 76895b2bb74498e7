package consensus

import (
	"math/rand/v2"
	"testing"
)

// timed is a world in which time passes and the cores' own timers run: slow and
// lossy links, hanging disks, pauses, crashes, and then none of that.
type timed struct {
	*world
	rng     *rand.Rand
	transit []arriving
	cuts    map[[2]NodeID]bool
	idle    [maxMembers]int // steps for which a member does nothing
	stuck   [maxMembers]int // steps for which its disk does nothing
	loss    float64
	delay   float64
}

type arriving struct {
	packet
	at float64
}

const (
	step     = 10_000_000 // ns
	second   = 1_000_000_000
	election = second / 2
)

func newTimed(rng *rand.Rand) *timed {
	cfg := walkConfig(rng)
	cfg.ElectionTimeout, cfg.Heartbeat = election, second/10
	return &timed{
		world: newWorld(cfg, walkClocks(rng)),
		rng:   rng,
		cuts:  map[[2]NodeID]bool{},
		loss:  []float64{0, 0.01, 0.2}[rng.IntN(3)],
		delay: []float64{0, step, 20 * step}[rng.IntN(3)],
	}
}

// pass lets d nanoseconds pass, with faults or without.
func (w *timed) pass(d float64, faults bool) {
	for end := w.now + d; w.now < end; w.now += step {
		if faults && w.rng.IntN(20) == 0 {
			w.fault()
		}
		for i, m := range w.members {
			if w.idle[i] > 0 {
				w.idle[i]--
			} else if m.core != nil {
				w.live(i, m)
			}
		}
		w.carry()
	}
}

// live is what one member does in one step.
func (w *timed) live(i int, m *member) {
	if w.stuck[i] > 0 {
		w.stuck[i]--
	} else {
		m.syncAll()
		m.readAll()
		m.chunkAll()
	}
	if w.rng.IntN(4) == 0 {
		m.propose()
	} else {
		m.settle()
	}
}

// carry puts new messages on their way, and delivers what has arrived.
func (w *timed) carry() {
	for _, p := range w.net {
		if !w.cuts[[2]NodeID{p.from, p.to}] && w.rng.Float64() >= w.loss {
			w.transit = append(w.transit, arriving{p, w.now + w.rng.Float64()*w.delay})
		}
	}
	w.net = nil
	kept := w.transit[:0]
	for _, a := range w.transit {
		if a.at > w.now || w.idle[a.to-1] > 0 {
			kept = append(kept, a)
			continue
		}
		w.deliver(a.packet)
	}
	w.transit = kept
}

func (w *timed) fault() {
	i := w.rng.IntN(len(w.members))
	m := w.members[i]
	steps := 1 + w.rng.IntN(100)
	switch w.rng.IntN(6) {
	case 0:
		w.idle[i] = steps
	case 1:
		w.stuck[i] = steps
	case 2:
		if m.core != nil {
			m.crash(w.rng.IntN(len(m.disk.waiting) + 1))
		}
	case 3:
		if m.core == nil {
			m.start()
		}
	case 4:
		w.cuts[[2]NodeID{m.id, NodeID(1 + w.rng.IntN(len(w.members)))}] = true
	case 5:
		clear(w.cuts)
	}
}

func (w *timed) heal() {
	clear(w.cuts)
	w.idle, w.stuck = [maxMembers]int{}, [maxMembers]int{}
	w.loss, w.delay = 0, step
	for _, m := range w.members {
		if m.core == nil {
			m.start()
		}
	}
}

// leading returns the member that leads, if there is exactly one and all others
// follow it.
func (w *timed) leading() *member {
	var leader *member
	for _, m := range w.members {
		if m.core.Leading() {
			if leader != nil {
				return nil
			}
			leader = m
		}
	}
	for _, m := range w.members {
		if leader == nil || m.core.leader != leader.id {
			return nil
		}
	}
	return leader
}

func TestAClusterWithTimersRecovers(t *testing.T) {
	worlds := uint64(worldCount(t, 10, 60))
	first := seed(t)
	reigns := 0
	for n := first; n < first+worlds && !t.Failed(); n++ {
		reigns += runTimed(t, n)
	}
	if !t.Failed() && reigns < 2*int(worlds) {
		t.Errorf("%d reigns in %d worlds: too little happens", reigns, worlds)
	}
}

// runTimed returns how many reigns the world has seen.
func runTimed(t *testing.T, n uint64) int {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%v\nagain with %s=%d", r, seedVariable, n)
		}
	}()
	w := newTimed(rand.New(rand.NewPCG(n, 2)))
	w.pass(20*second, true)
	w.heal()
	w.pass(8*second, false)
	leader := w.leading()
	if leader == nil {
		t.Errorf("nobody leads after 8 s of calm: %s\nagain with %s=%d", w.summary(), seedVariable, n)
		return 0
	}
	ballot, commit := leader.core.promised, leader.core.commit
	w.pass(2*second, false)
	if w.leading() != leader || leader.core.promised != ballot || leader.core.commit < commit+10 {
		t.Errorf("there is no calm: %v led and had %d chosen, %s\nagain with %s=%d",
			ballot, commit, w.summary(), seedVariable, n)
	}
	for _, m := range w.members {
		if m.sm.slot+20 < leader.sm.slot {
			t.Errorf("member %d has not caught up: %s\nagain with %s=%d", m.id, w.summary(), seedVariable, n)
		}
	}
	w.ghost.checkLogTime()
	return len(w.ghost.reigns)
}
