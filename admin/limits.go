package admin

import "time"

const (
	// answerTimeout is how long a request may wait for the event loop.
	answerTimeout = 2 * time.Second

	// locksTimeout is how long the list of locks may take: it looks at a
	// million keys in many short visits.
	locksTimeout = 10 * time.Second

	// readHeaderTimeout and idleTimeout bound what a client costs that sends
	// nothing, headerMaxBytes one that sends much.
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = time.Minute
	headerMaxBytes    = 16 << 10

	// locksDefault and locksMax are how many locks are listed.
	locksDefault = 100
	locksMax     = 10_000
)
