package benchmarks

import (
	"errors"
	"net"
)

// dialect is how one kind of server is spoken to. Nothing else differs between
// the targets of a comparison.
type dialect interface {
	// find returns which of the addresses serves, given the list of the user.
	find(addrs []string) (string, error)
	// open does on a fresh, blocking connection what comes before the load.
	open(nc net.Conn) error
	// acquire and release add to b the request for the pair in a slot of c.
	acquire(b []byte, c *conn, slot int) []byte
	release(b []byte, c *conn, slot int) []byte
	// parse reads the first reply of b; n is its length, 0 while it is not whole.
	// An error is the end of the run.
	parse(b []byte, c *conn) (r reply, n int, err error)
}

// reply is what a server said to the pair in a slot.
type reply struct {
	slot    int
	verdict verdict
}

type verdict uint8

const (
	granted verdict = iota + 1
	held            // somebody else holds the key: ask again
	refused         // a cap
	released
	notHeld // the release came too late
)

// pair is one acquire and release. Its key is of fixed length, so that every
// request of a run has the same size.
type pair struct {
	state state
	began int64  // by the worker's clock, when the acquire was made
	token uint64 // ticketd: of the grant; Redis: the value that we set
	key   [keyBytes]byte
}

type state uint8

const (
	idle state = iota
	acquiring
	releasing
)

const (
	keyPrefix = "bench:"
	keyBytes  = len(keyPrefix) + 16
)

const hexDigits = "0123456789abcdef"

// appendHex adds n in 16 digits.
func appendHex(b []byte, n uint64) []byte {
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, hexDigits[n>>shift&15])
	}
	return b
}

// The names of keys, so that runs on one server don't meet: keys to be held are
// counted from 0, shared ones from sharedKeys, and the others from a random
// number above ownKeys.
const (
	sharedKeys = 1 << 62
	ownKeys    = 1 << 63
)

func (p *pair) name(n uint64) {
	appendHex(append(p.key[:0], keyPrefix...), n)
}

var errStray = errors.New("a reply to nothing that was asked")
