package loop

import (
	"crypto/rand"

	"ticketing/proto"
)

// nonces draws the random bytes of challenges, many at a time: a connection
// storm should not cost a system call each.
type nonces struct {
	pool [128 * proto.NonceBytes]byte
	left []byte
}

func (n *nonces) draw() (random [proto.NonceBytes]byte) {
	if len(n.left) == 0 {
		rand.Read(n.pool[:]) // never fails: the process ends instead
		n.left = n.pool[:]
	}
	copy(random[:], n.left)
	n.left = n.left[proto.NonceBytes:]
	return random
}
