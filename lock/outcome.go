package lock

// Verdict is the answer to one request.
type Verdict uint8

const (
	Granted  Verdict = iota + 1 // A
	TimedOut                    // T
	Busy                        // B
	Released                    // R
	Kept                        // K
	NotHeld                     // N, to a release or to a keep
)

// Outcome is one decided request.
type Outcome struct {
	Verdict Verdict
	Conn    Conn
	Owner   uint64 // Granted, TimedOut, Busy
	Token   uint64 // Granted, Released, Kept, NotHeld (as it was asked)
	Key     []byte // good only during the call
}

// Sink takes outcomes as they are decided, in order: those of a command follow
// those of the commands before it. A release is answered first and what it sets
// off after it: TimedOut for each waiter that is passed over, in the order of
// the queue, then Granted. It must not call the Table, nor keep o.
type Sink interface{ Outcome(o *Outcome) }

// answerAcquire tells the outcome of an acquire; token is 0 unless granted.
func (t *Table) answerAcquire(v Verdict, c Conn, owner, token uint64, key []byte) {
	t.outcome = Outcome{Verdict: v, Conn: c, Owner: owner, Token: token, Key: key}
	t.sink.Outcome(&t.outcome)
}

// answerToken tells the outcome of a release or a keep.
func (t *Table) answerToken(v Verdict, c *command) {
	t.outcome = Outcome{Verdict: v, Conn: c.conn, Token: c.token, Key: c.key}
	t.sink.Outcome(&t.outcome)
}
