package sim

import (
	"fmt"

	"ticketing/history"
)

// op is one request of a client and what became of it.
type op struct {
	history.Op
	task    *task // that waits for the answer; nil: nobody does any more
	settled bool  // answered
}

// hold is a key that a client believes to hold until a true time.
type hold struct {
	client int
	conn   int
	key    string
	token  uint64
	until  Time
	ended  bool // released by the client, or believed over
}

// keyring is the keys in use. Each lives for so many requests and then another
// takes its place: keys are made and dropped, and the search for an explanation
// of a key's answers stays short.
type keyring struct {
	life int
	keys []ringKey
}

type ringKey struct {
	name string
	uses int
	gen  int
}

func newKeyring(n, life int) keyring {
	k := keyring{life: life, keys: make([]ringKey, n)}
	for i := range k.keys {
		k.keys[i].name = fmt.Sprintf("key-%d", i)
	}
	return k
}

// use returns the key in place i for one more request.
func (k *keyring) use(i int) string {
	r := &k.keys[i]
	if r.uses == k.life {
		r.uses = 0
		r.gen++
		r.name = fmt.Sprintf("key-%d.%d", i, r.gen)
	}
	r.uses++
	return r.name
}
