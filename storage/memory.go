package storage

import (
	"errors"

	"ticketing/consensus"
)

// Memory is the store of a server that is to forget everything: it takes any
// write and keeps none. What it begins with is the zero consensus.Recovered.
type Memory struct{}

// Write does nothing. Any goroutine.
func (Memory) Write([]consensus.Write) error { return nil }

// ReadChunk has nothing to return: without a disk no snapshots are taken.
func (Memory) ReadChunk(uint64, uint32) ([]byte, error) {
	return nil, errors.New("a server without a data directory keeps no snapshots")
}

// Close does nothing.
func (Memory) Close() error { return nil }
