package node

import "ticketing/consensus"

const (
	second consensus.Mono = 1_000_000_000

	// entryBytes is where a batch is closed and the next begins. An entry is
	// one durable write: larger ones delay what comes behind them.
	entryBytes = 256 << 10

	// pendingBytesMax bounds what may wait to be proposed, all connections
	// together. Over it an acquire is answered B, and a connection that sends
	// anything else is dropped.
	pendingBytesMax = 256 << 20

	// dropFactor times the in-flight cap is what a connection may have
	// unanswered, releases and keeps included, before it is dropped.
	dropFactor = 4

	// expiresPerEntry bounds the Expires in one entry, so that a million
	// deadlines at one instant never hold up a request for long.
	expiresPerEntry = 4096

	// sweepInterval is how often expired keys without waiters are freed in
	// single mode (the matrix's 5-second sweep).
	sweepInterval = 5 * second

	// idleInterval is the longest time without an entry while a lease or a
	// wait exists: it bounds what a restart can lengthen a lease by.
	idleInterval = 1 * second

	// snapshotChunkBytes is about how much of a snapshot is encoded in one
	// round.
	snapshotChunkBytes = 256 << 10

	// replyBufferKeepBytes is the largest reply buffer that a connection keeps
	// from one round to the next.
	replyBufferKeepBytes = 64 << 10

	// digestInterval and digestsKept: every node remembers the digest of its
	// table at the last digestsKept multiples of digestInterval slots.
	digestInterval = 1024
	digestsKept    = 8
)

// An entry is a batch that was closed by its last command, and Expires behind
// it: the core takes all of it.
const _ = uint(consensus.MaxPayload - entryBytes - (1+expiresPerEntry)*commandBytesMax/2)

// commandBytesMax is room for any one command; an Expire takes less than half.
const commandBytesMax = 320
