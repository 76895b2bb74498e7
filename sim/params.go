package sim

import "ticketing/lock"

// Params are what one world is like. They are drawn from its seed, each world
// its own: some lose messages, some crash, some have slow disks or wild clocks,
// many have nothing of a kind at all (swarm testing).
type Params struct {
	Members  int
	Clients  int
	Keys     int
	Tasks    int // requests that one client may have open at once
	Duration Time
	Calm     Time // after Duration, without faults, all must come to rest

	Settings    lock.Settings
	MaxInflight int

	Heartbeat, ElectionTimeout Time
	SnapshotBytes              uint64

	// Network between members.
	Delay     Time    // mean, one way
	Loss      float64 // of messages, datagram style
	Duplicate float64
	Reorder   float64 // of messages that overtake others
	SlowDelay float64 // of messages that take far longer than an election

	// Network to clients.
	ClientDelay Time
	Cut         float64 // chance that a segment is split once more
	Reset       float64 // per request: the client's connection breaks
	HalfClose   float64 // of those ends that close one side first
	Sluggish    float64 // of replies that the client's side does not take at once

	// Rounds.
	RoundDelay Time // a host gathers events at most this long

	// Disks.
	SyncTime  Time // mean
	SyncSpike float64

	// Clocks.
	Drift float64 // each clock runs within 1±Drift of true time

	// Clients.
	Think      Time // mean between the end of one thing and the next
	LeaseMax   int  // seconds
	WaitMax    int
	WrongToken float64
	Forget     float64 // of grants that are left to their lease
	Keep       float64
	SameOwner  float64 // of retries after an open outcome that use the owner again
	Abandon    float64 // of waits that the client ends by going away
	Patience   Time    // a client gives up on an answer and reconnects

	// Faults, as mean times between them; 0 is never.
	CrashEvery     Time
	PauseEvery     Time
	PartitionEvery Time
	StallEvery     Time
	SyncFailEvery  Time
	DriftEvery     Time
	RestartAll     float64 // of crashes that take all nodes
	DownFor        Time    // mean
	FaultFor       Time    // mean
}

// draw fills in the parameters of a world.
func draw(seed uint64) Params {
	r := newStream(seed, streamSwarm)
	p := Params{
		Members:         []int{1, 1, 3, 3, 3, 3, 3, 5, 5}[r.IntN(9)],
		Clients:         8,
		Keys:            r.between(1, 8),
		Tasks:           r.between(1, 6),
		Duration:        60 * second,
		Calm:            30 * second,
		MaxInflight:     []int{2, 8, 65536}[r.IntN(3)],
		Heartbeat:       100 * millisecond,
		ElectionTimeout: 500 * millisecond,
		SnapshotBytes:   []uint64{2 << 10, 20 << 10, 1 << 20}[r.IntN(3)],
	}
	p.Settings = drawSettings(r, p.Members)
	drawNetwork(r, &p)
	drawClients(r, &p)
	drawFaults(r, &p)
	return p
}

func drawSettings(r stream, members int) lock.Settings {
	s := lock.Settings{
		Version:          1,
		MaxKeys:          1 << 20,
		MaxWaiters:       1 << 20,
		MaxWaitersPerKey: 1 << 16,
		WaitZeroBlocks:   r.chance(0.1),
		ReleaseOnGone:    r.chance(0.1),
		Lazy:             members == 1,
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

func drawNetwork(r stream, p *Params) {
	p.Delay = r.span(50*microsecond, 5*millisecond)
	p.Loss = some(r, func() float64 { return r.Float64() * 0.3 })
	p.Duplicate = some(r, func() float64 { return r.Float64() * 0.3 })
	p.Reorder = some(r, func() float64 { return r.Float64() * 0.3 })
	p.SlowDelay = some(r, func() float64 { return r.Float64() * 0.02 })
	p.ClientDelay = r.span(20*microsecond, 3*millisecond)
	p.Cut = r.Float64() * 0.5
	p.Reset = some(r, func() float64 { return r.Float64() * 0.05 })
	p.HalfClose = r.Float64()
	p.Sluggish = some(r, func() float64 { return r.Float64() * 0.1 })
	p.RoundDelay = r.span(microsecond, millisecond)
	p.SyncTime = r.span(50*microsecond, 4*millisecond)
	p.SyncSpike = some(r, func() float64 { return r.Float64() * 0.02 })
	p.Drift = []float64{0, 200e-6, 500e-6}[r.IntN(3)]
}

func drawClients(r stream, p *Params) {
	p.Think = r.span(30*millisecond, 150*millisecond)
	p.LeaseMax = r.between(1, 5)
	p.WaitMax = r.between(0, 6)
	p.WrongToken = r.Float64() * 0.1
	p.Forget = r.Float64() * 0.2
	p.Keep = some(r, func() float64 { return r.Float64() * 0.5 })
	p.SameOwner = r.Float64()
	p.Abandon = some(r, func() float64 { return r.Float64() * 0.1 })
	p.Patience = r.span(8*second, 20*second)
}

func drawFaults(r stream, p *Params) {
	every := func(lo, hi Time) Time {
		return Time(some(r, func() float64 { return float64(r.span(lo, hi)) }))
	}
	p.CrashEvery = every(2*second, 30*second)
	p.PauseEvery = every(3*second, 30*second)
	p.PartitionEvery = every(2*second, 20*second)
	p.StallEvery = every(3*second, 30*second)
	p.SyncFailEvery = every(10*second, 60*second)
	p.DriftEvery = every(5*second, 60*second)
	p.RestartAll = some(r, func() float64 { return r.Float64() * 0.3 })
	p.DownFor = r.span(100*millisecond, 8*second)
	p.FaultFor = r.span(100*millisecond, 8*second)
}
