package consensus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// drift is how far the clocks of a walk are off, each way, at most.
const drift = 0.05

// drive lets a world go on by chance: whatever can happen next may happen next.
// Each world has its own idea of how likely what is.
func (w *world) drive(rng *rand.Rand, steps int) {
	busy := 1 + rng.IntN(8) // how much happens to messages rather than to members
	var weights [len(happenings)]int
	for i := range weights {
		weights[i] = happenings[i].often * []int{1, 1, 2, 4}[rng.IntN(4)]
	}
	for range steps {
		w.now += float64(rng.IntN(1000))
		if rng.IntN(10) == 0 {
			w.now += float64(rng.IntN(1_000_000))
		}
		if rng.IntN(50) == 0 {
			w.apart = votes(rng.IntN(64)) * votes(rng.IntN(3)/2)
		}
		if len(w.net) > 0 && rng.IntN(busy+1) > 0 {
			w.message(rng)
			continue
		}
		w.happen(rng, w.members[rng.IntN(len(w.members))], weights[:])
	}
}

func walkConfig(rng *rand.Rand) Config {
	cfg := Config{Seed: rng.Uint64(), DriftPPM: drift * 1_000_000}
	if rng.IntN(2) == 0 {
		cfg.SnapshotBytes = uint64(1+rng.IntN(6)) * entryOverhead
	}
	cfg.Limits = Limits{
		MessageBytes: uint64(1+rng.IntN(4)) * entryOverhead,
		LogBytes:     uint64(1+rng.IntN(10)) * entryOverhead,
		AwaitedBytes: uint64(1+rng.IntN(20)) * entryOverhead,
		KeptBytes:    uint64(1+rng.IntN(4)) * entryOverhead,
	}
	return cfg
}

// walkClocks draws the rate of each clock, often at the limits.
func walkClocks(rng *rand.Rand) []float64 {
	rates := make([]float64, 3+2*rng.IntN(2))
	for i := range rates {
		rates[i] = 1 + drift*[]float64{-1, 1, 0, 2*rng.Float64() - 1}[rng.IntN(4)]
	}
	return rates
}

// message delivers a message, in any order, or drops it, or delivers it and
// keeps a copy. Between members that are apart it waits, or is dropped.
func (w *world) message(rng *rand.Rand) {
	i := rng.IntN(len(w.net))
	if rng.IntN(3) > 0 {
		i = rng.IntN(min(len(w.net), 3)) // an old one, mostly
	}
	p := w.net[i]
	apart := w.apart.has(p.from) != w.apart.has(p.to)
	kind := rng.IntN(12)
	if apart && kind > 4 {
		return
	}
	if kind > 0 || len(w.net) > 100 {
		w.net = append(w.net[:i], w.net[i+1:]...)
	}
	if kind != 1 && !apart {
		w.deliver(p)
	}
}

// happenings are what can happen to a member that is up.
var happenings = [...]struct {
	often int
	do    func(m *member, rng *rand.Rand)
}{
	{4, func(m *member, rng *rand.Rand) {
		if n := len(m.disk.waiting); n > 0 {
			m.sync(1+rng.IntN(n), true)
		}
	}},
	{4, func(m *member, _ *rand.Rand) { m.syncAll() }},
	{6, func(m *member, _ *rand.Rand) { m.propose() }},
	{2, func(m *member, rng *rand.Rand) { m.crash(rng.IntN(len(m.disk.waiting) + 1)) }},
	{3, func(m *member, _ *rand.Rand) { m.beat() }},
	{3, func(m *member, _ *rand.Rand) { m.chunk() }},
	{3, func(m *member, _ *rand.Rand) { m.readAll() }},
	{3, func(m *member, _ *rand.Rand) {
		if m.core.role != RoleLeader && m.core.votes() {
			m.core.campaign()
			m.settle()
		}
	}},
	{1, func(m *member, _ *rand.Rand) {
		if m.core.role != RoleLeader && m.core.votes() {
			m.core.preVote()
			m.settle()
		}
	}},
	{1, func(m *member, rng *rand.Rand) {
		if m.core.role == RoleLeader && rng.IntN(3) == 0 {
			m.core.HandOver()
			m.settle()
		}
	}},
	{1, func(m *member, _ *rand.Rand) { m.core.fetch.from = 0 }}, // what a fetch comes to when nothing arrives
	{1, func(m *member, _ *rand.Rand) {
		if m.w.stores > 0 {
			m.loseDisk()
		}
	}},
	{2, func(m *member, rng *rand.Rand) {
		if m.w.stores > 0 {
			m.replaceLost()
			m.reconnect(rng)
		}
	}},
}

// happen does something to one member.
func (w *world) happen(rng *rand.Rand, m *member, weights []int) {
	if m.core == nil {
		if rng.IntN(3) == 0 {
			m.start()
		}
		return
	}
	total := 0
	for _, weight := range weights {
		total += weight
	}
	n := rng.IntN(total)
	for i, weight := range weights {
		if n -= weight; n < 0 {
			happenings[i].do(m, rng)
			return
		}
	}
}

// beat sends a leader's heartbeats, with the clock as it is now.
func (m *member) beat() {
	m.core.Tick(m.clock())
	if m.core.role == RoleLeader {
		m.core.beat()
	}
	m.finish()
}

// calm lets everything heal: all are up, all disks sync, all messages arrive
// in order. It returns an error if the members do not come to one log.
func (w *world) calm(rng *rand.Rand) error {
	for _, m := range w.members {
		if m.core == nil {
			m.start()
		}
		m.core.reign.handOver = handOver{}
	}
	for round := range 200 {
		w.now += 1000
		var leader *member
		for _, m := range w.members {
			if round%6 == 5 {
				m.core.fetch.from = 0
			}
			m.beat()
			if w.stores > 0 {
				m.replaceLost()
				m.reconnect(rng)
			}
			if m.core.role == RoleLeader {
				leader = m
			}
		}
		if leader == nil && round%6 == 0 || round%12 == 11 {
			// Without timers nobody notices that a leader has lost its majority.
			w.members[rng.IntN(len(w.members))].elect()
		}
		w.quiesce()
		if leader != nil && w.agreed(leader) {
			return nil
		}
	}
	return fmt.Errorf("no agreement after healing: %s", w.summary())
}

func (m *member) elect() {
	if m.core.votes() {
		m.core.campaign()
		m.settle()
	}
}

// quiesce delivers messages and syncs disks until nothing moves.
func (w *world) quiesce() { w.quiesceBut(func(packet) bool { return false }) }

// quiesceWithout is quiesce in a world in which a member is cut off.
func (w *world) quiesceWithout(id NodeID) {
	w.quiesceBut(func(p packet) bool { return p.from == id || p.to == id })
}

// quiesceBut is quiesce in a world in which some messages are lost.
func (w *world) quiesceBut(lost func(packet) bool) {
	for range 10_000 {
		w.now += 10 // what comes later is later, if only a little
		moved := false
		for _, m := range w.members {
			if m.core == nil {
				continue
			}
			for _, act := range []func() bool{m.syncAll, m.readAll, m.chunkAll} {
				moved = act() || moved
			}
		}
		net := w.net
		w.net = nil
		for _, p := range net {
			if !lost(p) {
				w.deliver(p)
			}
			moved = true
		}
		if !moved {
			return
		}
	}
	panic("messages without end: " + w.summary())
}

// agreed reports whether all members have handed out the leader's whole log.
func (w *world) agreed(leader *member) bool {
	for _, m := range w.members {
		if !m.core.votes() {
			return false
		}
		if m.core.leader != leader.id || m.sm.slot != leader.core.log.last() || m.sm.hash != leader.sm.hash {
			return false
		}
	}
	return true
}

func (w *world) summary() string {
	var s string
	for _, m := range w.members {
		if m.core == nil {
			s += fmt.Sprintf("\nmember %d is down", m.id)
			continue
		}
		s += fmt.Sprintf("\nmember %d: %+v, log %d..%d, snapshot %+v, fetch %+v",
			m.id, m.core.State(), m.core.log.first, m.core.log.last(), m.core.snapshot.inForce, m.core.fetch)
	}
	return s
}

func TestWalkWithoutTimers(t *testing.T) {
	first := seed(t)
	worlds := worldCount(t, 500, 5000)
	var elections, chosen, answered, ineffective, snapshots int
	for i := range worlds {
		n := first + uint64(i)
		w := runWalk(t, n)
		if t.Failed() {
			return
		}
		elections += len(w.ghost.reigns)
		effective, all := w.ghost.effective()
		chosen += all
		ineffective += all - len(effective)
		answered += len(w.ghost.answered)
		snapshots += w.fetched()
	}
	t.Logf("%d worlds: %d reigns, %d chosen entries, %d of them answered, %d without effect, %d fetched snapshots",
		worlds, elections, chosen, answered, ineffective, snapshots)
	if elections < worlds || chosen < 2*worlds || answered < chosen/2 || snapshots == 0 ||
		ineffective == 0 && worlds >= 2000 {
		t.Error("the walk sees too little")
	}
}

// runWalk runs the world of one seed, and says which it was if it fails.
func runWalk(t *testing.T, n uint64) (w *world) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%v\nagain with %s=%d", r, seedVariable, n)
		}
	}()
	rng := rand.New(rand.NewPCG(n, 1))
	w = newWorld(walkConfig(rng), walkClocks(rng))
	w.drive(rng, 100+rng.IntN(300))
	w.ghost.checkLogTime()
	if err := w.calm(rng); err != nil {
		t.Errorf("%v\nagain with %s=%d", err, seedVariable, n)
	}
	w.ghost.checkLogTime()
	return w
}

// worldCount is how many worlds a random test goes through.
func worldCount(t *testing.T, short, long int) int {
	if text := os.Getenv(worldsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", worldsVariable, err)
		}
		return n
	}
	if testing.Short() {
		return short
	}
	return long
}

// worldsVariable says how many worlds to walk through, for a longer search.
const worldsVariable = "CONSENSUS_WORLDS"

// fetched counts the members that have installed another's snapshot.
func (w *world) fetched() int {
	n := 0
	for _, m := range w.members {
		n += m.restored
	}
	return n
}
