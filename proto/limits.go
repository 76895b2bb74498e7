package proto

// Limits of the protocol. They are promises to clients that are out of our
// hands: none of them can be changed without a new revision of the wire.
const (
	// KeyMaxBytes is the longest key.
	KeyMaxBytes = 128

	// LineMaxBytes is how far behind its opcode the newline of a frame may be.
	// So a frame that is taken in has at most LineMaxBytes+1 bytes. The first
	// line of a server is held to the same.
	LineMaxBytes = 192

	// ReplyMaxBytes is the longest reply that is ever sent, newline included.
	ReplyMaxBytes = 192

	// TextMaxBytes is the longest text of a reply without a header: the address
	// of M and L, the reason of E.
	TextMaxBytes = ReplyMaxBytes - opcodeBytes - newlineBytes

	// NonceBytes is how many random bytes the server draws for a challenge.
	NonceBytes = 24

	// DigestBytes is the length of a client's answer to the challenge, without
	// its newline: SHA-256 in base64url without padding.
	DigestBytes = 43
)

// nonceMinBytes of randomness make a challenge that will not come again.
const nonceMinBytes = 16

// How the limits hang together; a negative difference does not compile.
const (
	// The largest frame with a key fits into what each direction allows.
	_ = uint(ReplyMaxBytes - (opcodeBytes + acquiredHeaderBytes + KeyMaxBytes + newlineBytes))
	_ = uint(LineMaxBytes - (opcodeBytes + acquireHeaderBytes + KeyMaxBytes))
	// Everything that is sent is taken in.
	_ = uint(LineMaxBytes + newlineBytes - ReplyMaxBytes)
	// The challenge fits into the first line (4 characters for 3 bytes).
	_ = uint(LineMaxBytes - (len(algorithm) + len(" ") + (NonceBytes*4+2)/3))
	_ = uint(NonceBytes - nonceMinBytes)
)
