package consensus

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// world is several members, their disks and the network between them, without
// any timer: whoever drives it says what happens next.
type world struct {
	cfg     Config
	members []*member // by NodeID-1
	net     []packet
	now     float64 // true time, in nanoseconds
	apart   votes   // in a walk: the members on one side of a partition
	ghost   ghost
	noted   bool // a scenario prints what members do
	stores  int  // made so far; 0: a world without store ids
	refused []error

	processes uint64 // started so far
}

// packet is a message on its way.
type packet struct {
	from, to NodeID
	m        Message
	hello    *Hello // instead of a message
	as       *Hello // in a world with stores: what the sender's connection began with
}

// member is one core with its disk, its state machine and its clock.
type member struct {
	w        *world
	id       NodeID
	core     *Core // nil while it is down
	disk     disk
	out      Output
	reads    []ChunkRead // of this process, not answered yet
	sm       machine
	store    StoreID
	join     bool             // the store was made to take another's place
	said     *Hello           // its last hello
	met      [maxMembers]Seen // the process of each member that it has answered
	parts    [][]byte         // what is left of the snapshot that is being handed over
	did      []string         // what a scenario prints
	rate     float64          // of its clock
	restored int              // snapshots of others that it has installed
}

// never is an election time-out that no world reaches.
const never = Mono(1) << 50

func newWorld(cfg Config, rates []float64) *world {
	cfg.Members = len(rates)
	if cfg.ElectionTimeout == 0 {
		cfg.ElectionTimeout, cfg.Heartbeat = never, never
	}
	w := &world{cfg: cfg, now: 1000}
	w.ghost.init(len(rates))
	for i, rate := range rates {
		m := &member{w: w, id: NodeID(i + 1), rate: rate}
		w.members = append(w.members, m)
		m.start()
	}
	return w
}

// newCluster is newWorld with stores: fresh ones, which have not met.
func newCluster(cfg Config, rates []float64) *world {
	w := newWorld(cfg, rates)
	w.ghost.byHandOut = true
	for _, m := range w.members {
		m.newStore(false)
		m.start()
	}
	return w
}

func (m *member) clock() Mono { return Mono(m.w.now * m.rate) }

// start begins a process on what the disk holds.
func (m *member) start() {
	rec := m.disk.crash()
	m.w.ghost.started(m, &rec)
	cfg := m.w.cfg
	cfg.Node = m.id
	cfg.Start = fmt.Appendf(nil, "start of %d", m.id)
	m.sm, m.parts, m.reads, m.said, m.met = machine{}, nil, nil, nil, [maxMembers]Seen{}
	if m.store != (StoreID{}) {
		m.w.processes++
		cfg.Store, cfg.Join, cfg.Seed = m.store, m.join, cfg.Seed+m.w.processes
	}
	if rec.Snapshot != nil {
		m.sm.restore(rec.Snapshot, m.chunks(rec.Snapshot))
	}
	m.core = New(cfg, rec, m.clock())
	m.settle()
}

func (m *member) chunks(meta *SnapshotMeta) []byte {
	var all []byte
	for i := range meta.Chunks {
		all = append(all, m.disk.state.chunks[ChunkRead{meta.Gen, i}]...)
	}
	return all
}

func (m *member) crash(synced int) {
	m.sync(synced, false)
	m.core = nil
}

// sync makes the next n writes durable; told says whether the core hears it.
func (m *member) sync(n int, told bool) {
	for range n {
		m.w.ghost.durable(m, &m.disk.waiting[0])
		m.disk.sync(1)
	}
	if told && n > 0 {
		m.core.Persisted(m.disk.durable())
		m.settle()
	}
}

// deliver hands a message over; what its receiver is down for is lost.
func (w *world) deliver(p packet) {
	to := w.members[p.to-1]
	if to.core == nil {
		return
	}
	switch {
	case p.hello != nil:
		to.meet(p.hello)
	case p.as == nil || to.core.Admits(p.as):
		to.core.Step(p.from, &p.m)
	}
	to.settle()
}

// meet is what a shell does with a hello: it answers a process that it has not
// heard of with its own, as at the begin of a connection.
func (m *member) meet(h *Hello) {
	peer := Seen{Incarnation: h.Self.Incarnation, Process: h.Self.Process}
	if known := &m.met[h.Node-1]; *known != peer {
		*known = peer
		m.sayHello(h.Node)
	}
	if err := m.core.Meet(h); err != nil {
		m.w.refused = append(m.w.refused, err)
	}
}

// sayHello sends this member's hello, if it has one.
func (m *member) sayHello(to NodeID) {
	if h, ok := m.core.Hello(); ok {
		m.said = &h
		m.w.net = append(m.w.net, packet{from: m.id, to: to, hello: &h})
	}
}

// newStore gives a member an empty disk with a store of its own.
func (m *member) newStore(join bool) {
	m.w.stores++
	m.store, m.join = StoreID{byte(m.w.stores)}, join
	m.putBack(stored{})
}

// putBack gives a member another disk, whatever it has vowed with the one before.
func (m *member) putBack(state stored) {
	m.core = nil
	m.disk = disk{state: state}
	m.w.ghost.vowed[m.id-1] = Ballot{}
}

// settle ends a round: whatever the core wants done is begun.
func (m *member) settle() {
	m.core.Tick(m.clock())
	m.finish()
}

// finish is the part of a round after its Tick.
func (m *member) finish() {
	m.core.Take(&m.out)
	if m.w.noted {
		m.noteOutput()
	}
	m.w.ghost.led(m)
	m.w.ghost.written(m, m.out.Writes)
	m.disk.add(m.out.Writes)
	for _, r := range m.out.Restores {
		if r.Index == 0 {
			m.parts = nil
			m.sm.arriving = nil
		}
		m.sm.arriving = append(m.sm.arriving, r.Data...)
		if r.Index+1 == r.Meta.Chunks {
			m.sm.restore(&r.Meta, m.sm.arriving)
			m.restored++
		}
	}
	for i := range m.out.Chosen {
		m.w.ghost.handedOut(m, &m.out.Chosen[i])
		m.sm.apply(&m.out.Chosen[i])
	}
	m.w.ghost.digest(m)
	if m.out.Hello {
		for _, other := range m.w.members {
			if other != m {
				m.sayHello(other.id)
			}
		}
	}
	for _, s := range m.out.Sends {
		m.w.ghost.leaves(m, &s)
		m.w.net = append(m.w.net, packet{from: m.id, to: s.To, m: s.Message, as: m.said})
	}
	m.reads = append(m.reads, m.out.Reads...)
	if m.out.WantSnapshot {
		m.parts = m.sm.snapshot()
	}
}

// propose makes an entry of the next number.
func (m *member) propose() {
	m.core.Tick(m.clock())
	if m.core.Ready() {
		m.core.Propose(m.w.ghost.command())
	}
	m.finish()
}

// chunk hands over the next chunk of the snapshot that is asked for.
func (m *member) chunk() {
	m.core.Tick(m.clock())
	if len(m.parts) > 0 && m.core.SnapshotReady() {
		m.core.SnapshotChunk(m.parts[0], len(m.parts) == 1)
		m.parts = m.parts[1:]
	}
	m.finish()
}

// read answers the oldest read of a chunk, from what is durable.
func (m *member) read() {
	r := m.reads[0]
	m.reads = m.reads[1:]
	m.core.ChunkRead(r, m.disk.state.chunks[r])
	m.settle()
}

// machine is a state machine whose whole state is a hash over its history.
type machine struct {
	slot     Slot
	hash     uint64
	now      Stamp
	arriving []byte
}

func (s *machine) apply(ch *Chosen) {
	if ch.Slot != s.slot+1 || ch.Now < s.now {
		panic(fmt.Sprintf("slot %d at %d handed out after slot %d at %d", ch.Slot, ch.Now, s.slot, s.now))
	}
	s.slot, s.now = ch.Slot, ch.Now
	if ch.Effective {
		s.mix(uint64(ch.Now))
		for _, b := range ch.Payload {
			s.mix(uint64(b))
		}
	}
}

func (s *machine) mix(v uint64) { s.hash = (s.hash ^ v) * 0x100000001b3 }

// snapshot encodes the state, in one chunk, two or three.
func (s *machine) snapshot() [][]byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(s.slot))
	b = binary.BigEndian.AppendUint64(b, s.hash)
	b = binary.BigEndian.AppendUint64(b, uint64(s.now))
	return slices.Collect(slices.Chunk(b, 8*(1+int(s.slot)%3)))
}

func (s *machine) restore(meta *SnapshotMeta, b []byte) {
	*s = machine{
		slot: Slot(binary.BigEndian.Uint64(b)),
		hash: binary.BigEndian.Uint64(b[8:]),
		now:  Stamp(binary.BigEndian.Uint64(b[16:])),
	}
	if s.slot != meta.Slot || s.now != meta.Now || len(b) != 24 {
		panic(fmt.Sprintf("snapshot %+v restores to slot %d at %d", meta, s.slot, s.now))
	}
}

// syncAll, readAll and chunkAll do all that their disk or their state machine
// can do at this moment, and report whether that was anything.
func (m *member) syncAll() bool {
	n := len(m.disk.waiting)
	m.sync(n, true)
	return n > 0
}

func (m *member) readAll() bool {
	n := len(m.reads)
	for range n {
		m.read()
	}
	return n > 0
}

func (m *member) chunkAll() bool {
	moved := false
	for len(m.parts) > 0 && m.core.SnapshotReady() {
		m.chunk()
		moved = true
	}
	return moved
}
