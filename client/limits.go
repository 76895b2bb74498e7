package client

import "time"

// DriftPPM is how much faster or slower than real time, in millionths, a clock
// is taken to run at most, here and at the servers. What a holder may believe
// of its lease is shorter than the lease by twice as much.
const DriftPPM = 1000

const (
	// patience is how long a request goes on looking for a server that answers
	// it, beyond the wait that it asked for. An election takes about a second.
	patience = 6 * time.Second
	// answerTime is how long an answer may take, beyond the wait that was asked
	// for, before the connection is given up.
	answerTime = 3 * time.Second

	// dialTimeout is for the connection and the handshake together.
	dialTimeout = 2 * time.Second
	// backoffMin and backoffMax are between two attempts at one address. The
	// time between them doubles with each failure.
	backoffMin = 20 * time.Millisecond
	backoffMax = time.Second

	// keepAliveEvery is how long a connection stays silent before a keep-alive
	// is sent. It is longer than the 10 s of the servers, so that theirs come
	// first and both sides hear something.
	keepAliveEvery = 12 * time.Second
	// silenceLimit is how long a server may say nothing on a connection on which
	// nothing was asked of it: two of its keep-alives and then some.
	silenceLimit = 25 * time.Second
	// writeTimeout is how long a write may take before the connection is given
	// up, and userTimeout how long sent bytes may stay unacknowledged.
	writeTimeout = 15 * time.Second
	userTimeout  = 15 * time.Second

	// readBufferBytes holds many frames, and more than the longest one.
	readBufferBytes = 16 << 10

	// suspendCheck is how often a held lock looks at the clock that counts
	// suspension. Go's timers don't count it: after the machine wakes up, Lost
	// fires late by up to this.
	suspendCheck = time.Second
)

// Longest wait and lease that the wire can carry, in seconds.
const durationMaxSeconds = 1<<16 - 1
