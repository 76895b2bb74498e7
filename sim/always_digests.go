package sim

import (
	"ticketing/consensus"
	"ticketing/node"
)

// alwaysEqualDigests: two tables after the same slot are equal, on whatever
// node and in whatever life of it, grown by the log or out of a snapshot.
type alwaysEqualDigests struct {
	at0 map[consensus.Slot]uint64
}

func (a *alwaysEqualDigests) at(h *host, d node.Digest) {
	if a.at0 == nil {
		a.at0 = map[consensus.Slot]uint64{}
	}
	first, ok := a.at0[d.Slot]
	if !ok {
		a.at0[d.Slot] = d.Hash
		return
	}
	if first != d.Hash {
		failf("%s has digest %x after slot %d, another table had %x", h.name, d.Hash, d.Slot, first)
	}
}
