package sim

import (
	"ticketing/consensus"
	"ticketing/lock"
)

// Params are what one world is like. They are drawn from its seed, each world
// its own: some lose messages, some crash, some have slow disks or wild clocks,
// many have nothing of a kind at all (swarm testing).
type Params struct {
	Members  int
	Duration Time // of the faults
	Calm     Time // after Duration, without faults, clients go on so long at least
	Rest     Time // then they begin nothing new, and all must come to rest
	Requests int  // Calm lasts until there have been so many

	// Settings and caps: each start of a process picks one of them.
	Settings    []lock.Settings
	MaxInflight []int

	Heartbeat, ElectionTimeout Time
	SnapshotBytes              uint64
	Limits                     consensus.Limits

	Network NetworkParams
	Client  ClientParams
	Fault   FaultParams

	// RoundDelay: a host gathers events at most so long.
	RoundDelay Time
	// SyncTime is the mean; SyncSpike of the syncs take a hundred times as
	// long.
	SyncTime  Time
	SyncSpike float64
	// RealStore: the disks are package storage on a file system in memory.
	RealStore bool
	// Drift: each clock runs within 1±Drift of true time.
	Drift float64
}

// NetworkParams is what the network between members does to messages.
type NetworkParams struct {
	Delay Time // mean, one way
	// Ordered: messages of a link arrive in their order, and what is lost is
	// all that is under way (a connection that breaks). Otherwise each is on
	// its own.
	Ordered   bool
	Loss      float64
	Duplicate float64
	Reorder   float64 // of messages that others overtake
	Slow      float64 // of messages that take longer than an election
}

// ClientParams is how clients live, and the network between them and servers.
type ClientParams struct {
	Count int
	Tasks int // requests that one client may have open at once
	Keys  int // in use at a time
	// KeyLife is after how many requests another key takes the place of one.
	KeyLife int
	// Think is the mean time between the end of one thing and the next, BackOff
	// the most by which failures lengthen it.
	Think   Time
	BackOff Time

	LeaseMax int // seconds
	WaitMax  int

	WrongToken float64 // of releases, with a token that holds nothing
	Forget     float64 // of grants that are left to their lease
	Keep       float64 // of grants that are kept longer
	SameOwner  float64 // of retries after an open outcome that use the owner again
	Abandon    float64 // of waits that the client ends by going away
	Garbage    float64 // of requests, with one before them that must be refused
	Patience   Time    // a client gives up on an answer and reconnects

	Delay     Time    // one way, mean
	Cut       float64 // chance that a segment is split once more
	Reset     float64 // per request: the client's connection breaks
	HalfClose float64 // of those ends that close one side first
	Vanish    float64 // of those ends that the server hears of only later
	Sluggish  float64 // of replies that the client's side does not take at once
	// UnsentMax is how much a server keeps for a client that does not read.
	UnsentMax int
}

// FaultParams are mean times between faults of a kind; 0 is never.
type FaultParams struct {
	Crash, Stop, Pause, Partition, Clog, Lag, Exile Time
	Stall, SyncFail, Full, Corrupt                  Time
	Drift, Suspend                                  Time

	RestartAll float64 // of crashes and stops that take all nodes
	AtLeader   float64 // of faults that hit who leads
	DownFor    Time    // mean
	Last       Time    // mean, of what has a duration
}

// clients, members and time of a world.
const (
	worldClients  = 8
	worldDuration = 60 * second
	worldCalm     = 15 * second
	worldRest     = 20 * second
	worldRequests = 2000
)

// draw fills in the parameters of a world.
func draw(seed uint64) Params {
	r := newStream(seed, streamSwarm)
	p := Params{
		Members:         []int{1, 1, 3, 3, 3, 3, 3, 5, 5}[r.IntN(9)],
		Duration:        worldDuration,
		Calm:            worldCalm,
		Rest:            worldRest,
		Requests:        worldRequests,
		Heartbeat:       100 * millisecond,
		ElectionTimeout: 500 * millisecond,
		SnapshotBytes:   []uint64{2 << 10, 20 << 10, 1 << 20}[r.IntN(3)],
		RealStore:       r.chance(0.1),
	}
	for range r.between(1, 3) {
		p.Settings = append(p.Settings, drawSettings(r))
		p.MaxInflight = append(p.MaxInflight, []int{2, 8, 65536}[r.IntN(3)])
	}
	if r.chance(0.5) { // nothing changes from one start to the next
		p.Settings, p.MaxInflight = p.Settings[:1], p.MaxInflight[:1]
	}
	drawHosts(r, &p)
	drawNetwork(r, &p.Network)
	drawClients(r, &p.Client)
	drawFaults(r, &p.Fault)
	return p
}

func drawSettings(r stream) lock.Settings {
	s := lock.Settings{
		Version:          lock.Version,
		MaxKeys:          1 << 20,
		MaxWaiters:       1 << 20,
		MaxWaitersPerKey: 1 << 16,
		WaitZeroBlocks:   r.chance(0.1),
		ReleaseOnGone:    r.chance(0.1),
	}
	if r.chance(0.3) {
		s.MaxKeys = uint32(r.between(1, 6))
	}
	if r.chance(0.3) {
		s.MaxWaitersPerKey = uint32(r.between(1, 4))
		s.MaxWaiters = uint32(r.between(2, 10))
	}
	return s
}

// some is 0 in half of the worlds, else what f draws.
func some(r stream, f func() float64) float64 {
	v := f()
	if r.chance(0.5) {
		return 0
	}
	return v
}

func drawHosts(r stream, p *Params) {
	p.RoundDelay = r.span(microsecond, millisecond)
	if r.chance(0.1) {
		p.RoundDelay = r.span(millisecond, 50*millisecond)
	}
	p.SyncTime = r.span(50*microsecond, 4*millisecond)
	p.SyncSpike = some(r, func() float64 { return r.Float64() * 0.02 })
	p.Drift = []float64{0, 200e-6, 500e-6}[r.IntN(3)]
	if r.chance(0.05) {
		p.Drift = 0.1
	}
	if r.chance(0.5) { // messages of a few slots, and logs that end soon
		p.Limits = consensus.Limits{
			MessageBytes: uint64(r.between(1, 400)),
			LogBytes:     uint64(r.between(1, 20)) << 10,
			AwaitedBytes: uint64(r.between(1, 10)) << 10,
			KeptBytes:    uint64(r.between(0, 4)<<10) + 1,
		}
	}
}

func drawNetwork(r stream, p *NetworkParams) {
	p.Delay = r.span(50*microsecond, 5*millisecond)
	p.Ordered = r.chance(0.5)
	p.Loss = some(r, func() float64 { return r.Float64() * 0.3 })
	p.Duplicate = some(r, func() float64 { return r.Float64() * 0.3 })
	p.Reorder = some(r, func() float64 { return r.Float64() * 0.3 })
	p.Slow = some(r, func() float64 { return r.Float64() * 0.02 })
	if p.Ordered {
		p.Loss /= 100
		p.Duplicate, p.Reorder, p.Slow = 0, 0, p.Slow/20
	}
}

func drawClients(r stream, p *ClientParams) {
	p.Count = worldClients
	p.Tasks = r.between(1, 6)
	p.Keys = r.between(1, 8)
	p.KeyLife = r.between(50, 200)
	p.Think = Time(p.Count*p.Tasks) * second / Time(r.between(160, 400))
	p.BackOff = r.span(second, 4*second)
	p.LeaseMax = r.between(1, 5)
	p.WaitMax = r.between(0, 6)
	p.WrongToken = r.Float64() * 0.1
	p.Forget = r.Float64() * 0.2
	p.Keep = some(r, func() float64 { return r.Float64() * 0.5 })
	p.SameOwner = r.Float64()
	p.Abandon = some(r, func() float64 { return r.Float64() * 0.1 })
	p.Garbage = some(r, func() float64 { return r.Float64() * 0.1 })
	p.Patience = r.span(8*second, 20*second)
	p.Delay = r.span(20*microsecond, 3*millisecond)
	p.Cut = r.Float64() * 0.5
	p.Reset = some(r, func() float64 { return r.Float64() * 0.05 })
	p.HalfClose = r.Float64()
	p.Vanish = some(r, func() float64 { return r.Float64() * 0.5 })
	p.Sluggish = some(r, func() float64 { return r.Float64() * 0.1 })
	p.UnsentMax = []int{100, 1 << 20}[r.IntN(2)]
}

func drawFaults(r stream, p *FaultParams) {
	every := func(lo, hi Time) Time {
		return Time(some(r, func() float64 { return float64(r.span(lo, hi)) }))
	}
	p.Crash = every(2*second, 30*second)
	p.Stop = every(5*second, 60*second)
	p.Pause = every(3*second, 30*second)
	p.Partition = every(2*second, 20*second)
	p.Clog = every(2*second, 20*second)
	p.Lag = every(5*second, 30*second)
	p.Exile = every(10*second, 60*second)
	p.Stall = every(3*second, 30*second)
	p.SyncFail = every(10*second, 60*second)
	p.Full = every(10*second, 60*second)
	p.Corrupt = every(10*second, 60*second)
	p.Drift = every(5*second, 60*second)
	p.Suspend = every(2*second, 20*second)
	p.RestartAll = some(r, func() float64 { return r.Float64() * 0.3 })
	p.AtLeader = r.Float64()
	p.DownFor = r.span(100*millisecond, 8*second)
	p.Last = r.span(100*millisecond, 8*second)
}

// ever reports whether is holds for any of the settings that processes of this
// world may have.
func (p *Params) ever(is func(s *lock.Settings) bool) bool {
	for i := range p.Settings {
		if is(&p.Settings[i]) {
			return true
		}
	}
	return false
}

func (p *Params) mayReleaseOnGone() bool {
	return p.ever(func(s *lock.Settings) bool { return s.ReleaseOnGone })
}

func (p *Params) mayBlock() bool {
	return p.ever(func(s *lock.Settings) bool { return s.WaitZeroBlocks })
}

// mayBeBusy reports whether a cap can be reached.
func (p *Params) mayBeBusy() bool {
	for _, n := range p.MaxInflight {
		if n < p.Client.Tasks {
			return true
		}
	}
	return p.ever(func(s *lock.Settings) bool { return s.MaxKeys < 1<<20 || s.MaxWaiters < 1<<20 })
}
