package lock

import "fmt"

// Time is log time in nanoseconds since the log began.
type Time uint64

// Table is the replicated lock table. One goroutine at a time may use it.
type Table struct {
	settings  Settings
	now       Time
	lastToken uint64 // 0: none was ever issued
	arrivals  uint64 // waiters ever enqueued; a waiter's number is what it was then

	holds slab[hold]
	keys  keys
	index index
	// Each hold has its term in one of the two: waited if it has waiters.
	idle, waited heap
	grants       chain // of holds, in the order of their tokens

	waiters slab[waiter]
	queues  slab[queue]
	arrived chain // of waiters, in the order of their arrival
	waits   heap  // waiters whose wait is limited, by (deadline, arrival)

	conns  slab[conn]
	byConn map[Conn]uint32 // those with waiters or ties
	ties   slab[tie]
	tieOf  map[uint32]uint32 // by hold; empty unless ReleaseOnGone

	holdsDigest   uint64
	waitersDigest uint64
	snapshot      *Snapshot // the one being read, or nil
	frontier      frontier  // scratch of AppendExpires

	sink    Sink // during Apply
	outcome Outcome
	checks  checks
}

// New makes an empty table. Until Start gives it settings all its caps are 0.
func New() *Table {
	t := &Table{byConn: make(map[Conn]uint32), tieOf: make(map[uint32]uint32)}
	t.index = newIndex(&t.holds, &t.keys)
	t.idle.moved = func(ref, position uint32) { t.holds.at(ref).place = position }
	t.waited.moved = func(ref, position uint32) { t.holds.at(ref).place = position | inWaited }
	t.waits.moved = func(ref, position uint32) { t.waiters.at(ref).position = position }
	return t
}

// Start applies a LeaderStart stamped now: all waiters leave without outcome
// (their connections ended with the old reign), the ties of ReleaseOnGone are
// cut, and s is in force from then on. Held keys keep their deadlines. It
// panics when now goes back, or when s is of a version that it does not know.
func (t *Table) Start(now Time, s Settings) {
	if s.Version > Version {
		panic(fmt.Sprintf("BUG: lock: settings of version %d reached a table of version %d", s.Version, Version))
	}
	t.advance(now)
	for t.arrived.first != 0 {
		t.leave(t.arrived.first)
	}
	for ref := t.grants.first; ref != 0 && len(t.tieOf) > 0; ref = t.holds.at(ref).next {
		t.cutTie(ref)
	}
	t.settings = s
	t.checkNow()
}

// Apply applies one log entry stamped now: first up to TimeoutsPerEntry
// waiters whose wait is over get TimedOut (in order of deadline, then of
// arrival), then come the commands of batch in order. An empty batch is fine.
// It panics when now goes back, or on a batch that it can't read.
func (t *Table) Apply(now Time, batch []byte, sink Sink) {
	t.advance(now)
	t.sink = sink
	t.endWaits()
	var c command
	for rest := batch; len(rest) > 0; {
		n := c.decode(rest)
		if n == 0 {
			panic(fmt.Sprintf("BUG: lock: no command at byte %d of a batch of %d: %x",
				len(batch)-len(rest), len(batch), rest[:min(len(rest), 64)]))
		}
		rest = rest[n:]
		t.apply(&c)
	}
	t.sink = nil
	if t.checks.due(t.Keys() + t.Waiters()) {
		t.checkNow()
	}
}

func (t *Table) apply(c *command) {
	switch c.op {
	case opAcquire:
		t.acquire(c)
	case opRelease:
		t.release(c)
	case opKeep:
		t.keep(c)
	case opGone:
		t.gone(c.conn)
	case opExpire:
		t.expire(c)
	}
}

func (t *Table) advance(now Time) {
	if now < t.now {
		panic(fmt.Sprintf("BUG: lock: log time goes back from %d to %d", t.now, now))
	}
	t.now = now
}

// in is the time that many seconds from now.
func (t *Table) in(seconds uint16) Time {
	const second = 1_000_000_000
	then := t.now + Time(seconds)*second
	if then < t.now {
		return never
	}
	return then
}

// never is a deadline that does not come.
const never = ^Time(0)

// Keys is how many keys are held, expired ones that were not freed included.
func (t *Table) Keys() int { return t.holds.used() }

// Waiters is how many acquires wait.
func (t *Table) Waiters() int { return t.waiters.used() }

// LastToken is the last token issued, 0 if none ever was.
func (t *Table) LastToken() uint64 { return t.lastToken }
