package history

import "fmt"

// Kind says what an Op asks for.
type Kind string

const (
	// Acquire has Owner, Wait and Lease; its Token is that of an A.
	Acquire Kind = "acquire"
	// Release and Keep have the Token that they name; Keep has Lease.
	Release Kind = "release"
	Keep    Kind = "keep"
	// Gone is the end of a connection, as early as the server can have
	// noticed it: Conn and Call. It matters only with Rules.ReleaseOnGone.
	Gone Kind = "gone"
)

// Outcome is the answer of the server: its opcode on the wire.
type Outcome string

const (
	// Unknown: the client gave up, at Return, without knowing. That includes
	// no_leader, not_active and the end of the connection.
	Unknown  Outcome = ""
	Granted  Outcome = "A"
	TimedOut Outcome = "T"
	Busy     Outcome = "B"
	Released Outcome = "R"
	NotHeld  Outcome = "N"
	Kept     Outcome = "K"
	// Moved: the answer rules out any effect, now and later.
	Moved Outcome = "M"
)

// Op is one request of a client and what became of it. Call and Return are
// nanoseconds of one clock, that of the whole history, read before the first
// byte was sent and after the last byte of the answer was there.
type Op struct {
	Client  int     `json:"client"`
	Conn    int     `json:"conn"` // no two connections of a history share one
	Kind    Kind    `json:"kind"`
	Key     string  `json:"key,omitempty"`
	Owner   uint64  `json:"owner,omitempty,string"`
	Token   uint64  `json:"token,omitempty,string"`
	Wait    uint16  `json:"wait,omitempty"`  // seconds
	Lease   uint16  `json:"lease,omitempty"` // seconds
	Call    int64   `json:"call"`
	Return  int64   `json:"return"`
	Outcome Outcome `json:"outcome,omitempty"`
}

// String is the request and its answer in one line.
func (o *Op) String() string {
	s := fmt.Sprintf("[%.6fs, %.6fs] client %d %s %q", float64(o.Call)/1e9, float64(o.Return)/1e9, o.Client, o.Kind, o.Key)
	switch o.Kind {
	case Acquire:
		s += fmt.Sprintf(" owner %d wait %ds lease %ds", o.Owner, o.Wait, o.Lease)
	case Release:
		s += fmt.Sprintf(" token %d", o.Token)
	case Keep:
		s += fmt.Sprintf(" token %d lease %ds", o.Token, o.Lease)
	}
	switch o.Outcome {
	case Unknown:
		return s + ": no answer"
	case Granted:
		return s + fmt.Sprintf(": A token %d", o.Token)
	}
	return s + ": " + string(o.Outcome)
}

// known reports whether o was answered with what the log decided.
func (o *Op) known() bool { return o.Outcome != Unknown && o.Outcome != Moved && o.Kind != Gone }

// mayHaveActed reports whether o took effect for all that the client knows, and
// was not answered.
func (o *Op) mayHaveActed() bool { return o.Outcome == Unknown && o.Kind != Gone }

const second = 1_000_000_000 // nanoseconds
