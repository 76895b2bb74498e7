package proto

// Reason is the word of an E frame, or of the line by which a client is turned
// away. It has no space. A client must bear with words that it does not know.
type Reason string

// Reasons of E frames.
const (
	// AuthFailed: wrong digest, or none in time. The connection is closed.
	AuthFailed Reason = "auth_failed"
	// NoLeader: no leader is known, or leadership was lost while the outcome of
	// the request was open: it may or may not take effect.
	NoLeader Reason = "no_leader"
	// NotActive: the node is shutting down; the request has no effect.
	NotActive Reason = "not_active"
	// BadFrame: unknown opcode, or no newline within LineMaxBytes of the opcode.
	// The connection is closed.
	BadFrame Reason = "bad_frame"
	// BadKey: a key that is not valid (see ValidKey).
	BadKey Reason = "bad_key"
	// BadLease: a lease of 0.
	BadLease Reason = "bad_lease"
)

// Reasons for turning a connection away before the challenge.
const (
	TooManyConnections Reason = "too_many_connections"
	ShuttingDown       Reason = "shutting_down"
)
