package storage

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"ticketing/consensus"
)

// Mode says what kind of server a store belongs to. A store never changes it.
type Mode uint8

const (
	// ModeSingle is a server on its own.
	ModeSingle Mode = 1
	// ModeCluster is one member of a cluster.
	ModeCluster Mode = 2
)

// String returns "single" or "cluster".
func (m Mode) String() string {
	switch m {
	case ModeSingle:
		return "single"
	case ModeCluster:
		return "cluster"
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// ID names one store among all that ever were. It is drawn at random when the
// store is made, so a wiped and re-made disk is another store. The zero ID
// names none.
type ID [16]byte

// String returns the ID as 32 hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// ParseID reads what String wrote.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 2*len(id) {
		return ID{}, fmt.Errorf("a store id has %d hexadecimal digits, not %d", 2*len(id), len(s))
	}
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return ID{}, fmt.Errorf("store id %q: %w", s, err)
	}
	return id, nil
}

// Identity is whose store it is. It is written once, when the store is made.
type Identity struct {
	Mode Mode
	// Cluster is the name that all members share; empty in single mode.
	Cluster string
	// Node is this member's id; 0 in single mode.
	Node consensus.NodeID
	// Store is drawn by Create if it is zero.
	Store ID
	// Members is the member list as given to Create, opaque here.
	Members []byte
	// Created is the wall clock at creation, to the second, set by Create
	// if it is zero. It is for people: nothing is decided by it.
	Created time.Time
}

// check panics on an identity that no command of ours would make.
func (id Identity) check() {
	single := id.Mode == ModeSingle && id.Cluster == "" && id.Node == 0
	cluster := id.Mode == ModeCluster && id.Cluster != "" && id.Node != 0
	if !single && !cluster || len(id.Cluster) > maxClusterBytes || len(id.Members) > maxMembersBytes {
		panic(fmt.Sprintf("BUG: identity of mode %d, cluster %q, node %d, %d bytes of members",
			id.Mode, id.Cluster, id.Node, len(id.Members)))
	}
}

// complete fills in what is drawn or read when a store is made.
func (id Identity) complete() Identity {
	if id.Store == (ID{}) {
		rand.Read(id.Store[:]) // never fails: the runtime ends the process instead
	}
	if id.Created.IsZero() {
		id.Created = time.Now()
	}
	id.Created = id.Created.UTC().Truncate(time.Second)
	return id
}
