package lockmodel

import "math"

// Settings are the switches that decide answers, as in package lock.
type Settings struct {
	MaxKeys          uint32
	MaxWaiters       uint32
	MaxWaitersPerKey uint32
	WaitZeroBlocks   bool
	ReleaseOnGone    bool
	Lazy             bool
	TokenSeed        uint64
}

// Op says what a Command asks for.
type Op uint8

const (
	Acquire Op = iota + 1 // Conn, Owner, Wait, Lease, Key
	Release               // Conn, Token, Key
	Keep                  // Conn, Token, Lease, Key
	Gone                  // Conn
	Expire                // Token, Key
)

// Command is one command of a log entry. Fields that its Op has no use for are
// zero.
type Command struct {
	Op    Op
	Conn  uint64
	Owner uint64
	Token uint64
	Wait  uint16 // seconds
	Lease uint16 // seconds
	Key   string
}

// Verdict is the answer to one request.
type Verdict uint8

const (
	Granted  Verdict = iota + 1 // A
	TimedOut                    // T
	Busy                        // B
	Released                    // R
	Kept                        // K
	NotHeld                     // N
)

// Outcome is one decided request. Owner is set for Granted, TimedOut and Busy;
// Token is what was issued (Granted) or what the request named (Released,
// Kept, NotHeld).
type Outcome struct {
	Verdict Verdict
	Conn    uint64
	Owner   uint64
	Token   uint64
	Key     string
}

// Key is one held key. Times are log time in nanoseconds.
type Key struct {
	Name     string
	Token    uint64
	Owner    uint64
	Conn     uint64 // connection that was granted it; 0 once a Start has cut the tie
	Granted  uint64
	Deadline uint64 // expired from this instant on
	Queue    []Waiter
}

// Waiter is one acquire in the queue of a held key.
type Waiter struct {
	Conn    uint64
	Owner   uint64
	Lease   uint16 // seconds, from the grant on
	Until   uint64 // the wait is over from this instant on; Forever: never
	Arrival uint64 // counts the waiters of the whole table in the order they came
}

// Forever is the Until of a wait without limit.
const Forever = math.MaxUint64
