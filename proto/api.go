// Package proto (stub of its surface).
package proto

// Op is the first byte of a frame.
type Op byte

const (
	OpAcquire Op = 'A'
	OpRelease Op = 'R'
	OpKeep    Op = 'K'
)

// Request is one parsed request. Key aliases the buffer it was parsed from.
type Request struct {
	Op    Op
	Wait  uint16 // seconds; acquire
	Lease uint16 // seconds; acquire, keep
	Owner uint64 // acquire
	Token uint64 // release, keep
	Key   []byte
}

// Reason is the word of an E frame.
type Reason string

const (
	AuthFailed Reason = "auth_failed"
	NoLeader   Reason = "no_leader"
	NotActive  Reason = "not_active"
	BadFrame   Reason = "bad_frame"
	BadKey     Reason = "bad_key"
	BadLease   Reason = "bad_lease"
)

// ParseRequest reads the first frame of b into r. n is how many bytes to
// consume; 0: the frame is not whole yet. A keep-alive gives n = 1, r.Op = 0.
// reason BadFrame: the stream can't be trusted any more (n is 0); BadKey,
// BadLease: the frame is skipped by n, r.Op is set and r.Key is nil.
func ParseRequest(b []byte, r *Request) (n int, reason Reason) { panic("stub") }

// Replies: each Append adds one frame to b.
func AppendAcquired(b []byte, token, owner uint64, key []byte) []byte { panic("stub") }
func AppendTimedOut(b []byte, owner uint64, key []byte) []byte        { panic("stub") }
func AppendBusy(b []byte, owner uint64, key []byte) []byte            { panic("stub") }
func AppendReleased(b []byte, token uint64, key []byte) []byte        { panic("stub") }
func AppendNotHeld(b []byte, token uint64, key []byte) []byte         { panic("stub") }
func AppendKept(b []byte, token uint64, key []byte) []byte            { panic("stub") }
func AppendMoved(b []byte, addr string) []byte                        { panic("stub") }
func AppendLeader(b []byte, addr string) []byte                       { panic("stub") }
func AppendError(b []byte, r Reason) []byte                           { panic("stub") }
func AppendKeepAlive(b []byte) []byte                                 { panic("stub") }

// Reply is one parsed reply (the client's side, and undelivered grants).
type Reply struct {
	Op    byte // A T B R N K M L E, or 0 for a keep-alive
	Token uint64
	Owner uint64
	Text  []byte // key, address or reason; aliases the buffer
}

// ParseReply is ParseRequest for the other direction; ok is false for a frame
// that can't be placed.
func ParseReply(b []byte, r *Reply) (n int, ok bool) { panic("stub") }

// Requests of the client's side.
func AppendAcquire(b []byte, wait, lease uint16, owner uint64, key []byte) []byte { panic("stub") }
func AppendRelease(b []byte, token uint64, key []byte) []byte                     { panic("stub") }
func AppendKeep(b []byte, token uint64, lease uint16, key []byte) []byte          { panic("stub") }

// Handshake. Challenge appends "sha256 NONCE\n"; Digest is what the client
// answers (43 characters, no newline); CheckDigest compares in constant time
// against each secret.
const NonceBytes = 24

func AppendChallenge(b []byte, nonce []byte) []byte           { panic("stub") }
func Digest(secret, nonce []byte) []byte                      { panic("stub") }
func CheckDigest(secrets [][]byte, nonce, answer []byte) bool { panic("stub") }
