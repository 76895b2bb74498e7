package main

import (
	"errors"
	"log/slog"
	"os"
	"time"

	"ticketing/consensus"
	"ticketing/lock"
	"ticketing/loop"
	"ticketing/node"
	"ticketing/storage"
)

// snapshotBytes of applied log ask for a snapshot: what a start has to read
// and replay, and what the store keeps of old entries, stays small.
const snapshotBytes = 16 << 20

// replica is a node with the store under it.
type replica struct {
	node  *node.Node
	store *storage.Store // nil with --memory
}

// openReplica opens the store and brings the node to where the store left it.
func openReplica(f *serveFlags, log *slog.Logger) (*replica, error) {
	r := &replica{}
	var recovered consensus.Recovered
	var chunks [][]byte
	if !f.Memory {
		var err error
		r.store, recovered, chunks, err = storage.Open(f.DataDir, storage.Options{
			Identity: storage.Identity{Mode: storage.ModeSingle},
			Create:   !f.RequireStore,
			Logger:   log,
			OnFatal:  storeFailed(log),
		})
		if err != nil {
			return nil, err
		}
	}
	cfg, err := f.nodeConfig(recovered)
	if err == nil {
		r.node, err = node.New(cfg, recovered, chunks, loop.BootClock())
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// storeFailed ends the process: what the disk holds now is unknown, and only a
// new start can find out. What was acknowledged is durable.
func storeFailed(log *slog.Logger) func(error) {
	return func(err error) {
		log.Error("the store has failed; the server ends, and what was acknowledged is kept", "error", err)
		os.Exit(exitFailure)
	}
}

func (f *serveFlags) nodeConfig(recovered consensus.Recovered) (node.Config, error) {
	tokenSeed := f.TokenFloor
	if recovered.Snapshot == nil && len(recovered.Entries) == 0 {
		var err error
		if tokenSeed, err = seed(time.Now().UnixMicro(), builtAfter().UnixMicro(), f.TokenFloor); err != nil {
			return node.Config{}, err
		}
	}
	cfg := node.Config{
		Consensus: consensus.Config{Node: 1, Members: 1},
		Settings: lock.Settings{
			Version:          lock.Version,
			MaxKeys:          f.MaxKeys,
			MaxWaiters:       f.MaxWaiters,
			MaxWaitersPerKey: f.MaxWaitersPerKey,
			WaitZeroBlocks:   f.WaitZero == "block",
			ReleaseOnGone:    f.ReleaseOnDisconnect,
			Lazy:             true,
			TokenSeed:        tokenSeed,
		},
		MaxInflight: f.MaxInflight,
	}
	if !f.Memory {
		cfg.Consensus.SnapshotBytes = snapshotBytes
	}
	return cfg, nil
}

func (r *replica) close() error {
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}
