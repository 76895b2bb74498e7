package sim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ticketing/consensus"
	"ticketing/storage"
)

// realStore is package storage on a file system in memory that forgets at a
// crash what was not synced, or not all of it. It has to come back with what the
// plain image holds, whatever the engine was doing at the crash: so it changes
// nothing in the world, and the world stays the seed's alone although the engine
// has goroutines of its own.
type realStore struct {
	fs    *vfs.MemFS
	store *storage.Store // nil: not open
	rng   stream
}

// realStoreDir is where the store is on its file system.
const realStoreDir = "/data"

func newRealStore(seed uint64) *realStore {
	return &realStore{fs: vfs.NewCrashableMem(), rng: newStream(seed, streamStore)}
}

// open opens the store, which must hold just that.
func (s *realStore) open(rec consensus.Recovered, chunks [][]byte) {
	store, got, gotChunks, err := storage.Open(realStoreDir, storage.Options{
		Identity: storage.Identity{Mode: storage.ModeSingle},
		Create:   true,
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		OnFatal:  func(err error) { panic(fmt.Sprintf("BUG: a store in memory fails: %v", err)) },
		FS:       s.fs,
	})
	if err != nil {
		failf("the store does not open: %v", err)
	}
	s.store = store
	if diff := differ(&got, &rec); diff != "" {
		failf("the store comes back with another %s", diff)
	}
	if !slices.EqualFunc(gotChunks, chunks, bytes.Equal) {
		failf("the store comes back with other chunks")
	}
}

// differ says what is not the same in two recovered states, "" if all is.
func differ(a, b *consensus.Recovered) string {
	switch {
	case a.Promised != b.Promised:
		return fmt.Sprintf("promise: %v, not %v", a.Promised, b.Promised)
	case a.Commit != b.Commit:
		return fmt.Sprintf("commit index: %d, not %d", a.Commit, b.Commit)
	case !bytes.Equal(a.Roster, b.Roster):
		return "roster"
	case (a.Snapshot == nil) != (b.Snapshot == nil), a.Snapshot != nil && *a.Snapshot != *b.Snapshot:
		return fmt.Sprintf("snapshot: %+v, not %+v", a.Snapshot, b.Snapshot)
	case !slices.EqualFunc(a.Entries, b.Entries, sameEntry):
		return fmt.Sprintf("log of %d entries, not %d", len(a.Entries), len(b.Entries))
	}
	return ""
}

func sameEntry(a, b consensus.Entry) bool {
	return a.Slot == b.Slot && a.Ballot == b.Ballot && sameValue(&a, &b)
}

func (s *realStore) write(ws []consensus.Write) {
	if err := s.store.Write(ws); err != nil {
		failf("the store does not take a write: %v", err)
	}
}

// check compares a chunk that was read with the image's.
func (s *realStore) check(gen uint64, index uint32, want []byte, there bool) {
	got, err := s.store.ReadChunk(gen, index)
	gone := errors.Is(err, storage.ErrGone)
	if gone == there || err != nil && !gone || !bytes.Equal(got, want) {
		failf("chunk %d of snapshot %d is another in the store: %d bytes, %v, not %d", index, gen, len(got), err, len(want))
	}
}

// crash leaves what was synced, and nothing, half or all of the rest.
func (s *realStore) crash() {
	left := s.fs.CrashClone(vfs.CrashCloneCfg{
		UnsyncedDataPercent: []int{0, 50, 100}[s.rng.IntN(3)],
		// Of its own: how many numbers are drawn depends on the engine.
		RNG: rand.New(rand.NewPCG(s.rng.Uint64(), 0)),
	})
	s.close()
	s.fs = left
}

// close ends the engine's goroutines.
func (s *realStore) close() {
	if s.store == nil {
		return
	}
	if err := s.store.Close(); err != nil {
		failf("the store does not close: %v", err)
	}
	s.store = nil
}
