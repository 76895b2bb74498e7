// Package lock is the lock table (stub of its surface; see the comments).
package lock

// Time is log time in nanoseconds since the log began.
type Time uint64

// Conn names a client connection of one reign (one effective LeaderStart).
// 0 is none.
type Conn uint64

// Settings are the switches that decide answers. They travel in the log.
type Settings struct {
	Version          uint32 // of this state machine; a table refuses (panics on) a newer one
	MaxKeys          uint32
	MaxWaiters       uint32
	MaxWaitersPerKey uint32
	WaitZeroBlocks   bool   // wait 0 waits without limit
	ReleaseOnGone    bool   // a key ends with the connection that was granted it
	Lazy             bool   // single mode: an expired key is taken over by the next acquire
	TokenSeed        uint64 // the first token is above it; used only while none was issued
}

// AppendSettings and DecodeSettings: fixed-width, versioned.
func AppendSettings(b []byte, s Settings) []byte      { panic("stub") }
func DecodeSettings(b []byte) (s Settings, err error) { panic("stub") }

// The commands of a batch. Each Append adds one to b and returns it; key must
// be valid (1..128 bytes). They are what goes into a log entry.
func AppendAcquire(b []byte, c Conn, owner uint64, wait, lease uint16, key []byte) []byte {
	panic("stub")
}
func AppendRelease(b []byte, c Conn, token uint64, key []byte) []byte            { panic("stub") }
func AppendKeep(b []byte, c Conn, token uint64, lease uint16, key []byte) []byte { panic("stub") }

// AppendGone: the connection ended: its waiters leave, and with ReleaseOnGone
// its keys are released (in the order they were granted).
func AppendGone(b []byte, c Conn) []byte { panic("stub") }

// AppendExpire: does nothing unless token holds key and its deadline has come;
// then the front waiter is granted, or the key is free.
func AppendExpire(b []byte, token uint64, key []byte) []byte { panic("stub") }

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

// Outcome is one decided request. Op tells N-for-release from N-for-keep.
type Outcome struct {
	Verdict Verdict
	Conn    Conn
	Owner   uint64 // Granted, TimedOut, Busy
	Token   uint64 // Granted, Released, Kept, NotHeld (as it was asked)
	Key     []byte // good only during the call
}

// Sink takes outcomes as they are decided, in order. It must not call the Table.
type Sink interface{ Outcome(o *Outcome) }

// Table is the replicated lock table. One goroutine at a time.
type Table struct{}

func New() *Table { panic("stub") }

// Start applies a LeaderStart: all waiters leave without outcome (their
// connections ended with the old reign), ties of ReleaseOnGone are cut, s is in
// force from now on.
func (t *Table) Start(now Time, s Settings) { panic("stub") }

// Apply applies one log entry stamped now: first up to TimeoutsPerEntry
// waiters whose wait is over get TimedOut (in order of deadline, then of
// arrival), then the commands of batch in order. An empty batch is fine.
// Panics with BUG on a batch it cannot read, or when now goes back.
func (t *Table) Apply(now Time, batch []byte, sink Sink) { panic("stub") }

// NextWait is when the next wait is over (the entry that ends it may have any
// stamp from then on).
func (t *Table) NextWait() (Time, bool) { panic("stub") }

// NextExpiry is the earliest deadline of a key that wants an Expire: with
// onlyWaited, of keys that have waiters (single mode hands those on at once and
// leaves the others to the sweep).
func (t *Table) NextExpiry(onlyWaited bool) (Time, bool) { panic("stub") }

// AppendExpires appends an Expire for each key whose deadline has come at now,
// at most max, ordered by (deadline, token); n is how many. It changes nothing.
func (t *Table) AppendExpires(b []byte, now Time, onlyWaited bool, max int) (out []byte, n int) {
	panic("stub")
}

// Counts for metrics and status.
func (t *Table) Keys() int         { panic("stub") }
func (t *Table) Waiters() int      { panic("stub") }
func (t *Table) LastToken() uint64 { panic("stub") }

// Digest is a 64-bit hash of the whole replicated state, kept up to date at
// each change (O(1) here). Equal logs give equal digests, on every machine,
// whether a table grew by Apply or came out of a snapshot.
func (t *Table) Digest() uint64 { panic("stub") }

// Held is one held key, as shown to people.
type Held struct {
	Key      string
	Token    uint64
	Owner    uint64
	Granted  Time
	Deadline Time
	Waiters  int
}

// List calls f for held keys in the order of their grants until it returns false.
func (t *Table) List(f func(h *Held) bool) { panic("stub") }

// Snapshot begins a snapshot of the table as it is now. At most one at a time.
// The table may be changed while it is read: what is about to change is copied first.
func (t *Table) Snapshot() *Snapshot { panic("stub") }

type Snapshot struct{}

// Next returns the next chunk, of at most about max bytes, and whether it was
// the last. Chunks are a function of the state alone, whatever happened meanwhile
// (the same max gives the same chunks).
func (s *Snapshot) Next(max int) (chunk []byte, last bool) { panic("stub") }

// Close ends a snapshot that is not wanted any more.
func (s *Snapshot) Close() { panic("stub") }

// Restorer builds a table from chunks.
type Restorer struct{}

func NewRestorer() *Restorer               { panic("stub") }
func (r *Restorer) Add(chunk []byte) error { panic("stub") }
func (r *Restorer) Table() (*Table, error) { panic("stub") }
