package storage

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"ticketing/consensus"
)

// Store is an open store. Close it when done.
type Store struct {
	dir      string
	opt      Options
	identity Identity
	codec    codec
	fatal    *fatal
	lock     *pebble.Lock
	db       *pebble.DB
	stalls   atomic.Uint64 // times that writes waited for a flush

	mu      sync.Mutex // one writer at a time; guards what follows
	has     progress
	durable uint64 // number of the last batch that is on disk
	batch   *pebble.Batch
	closed  bool
}

// Write makes ws durable, in order and all or nothing, and returns when they
// are. Any failure is final: it goes to Options.OnFatal, and the store takes
// no further write. A write that does not follow from what the store holds is
// a bug of the caller and panics. ws and what they refer to are not kept. Any
// goroutine may call it, one at a time gets through.
func (s *Store) Write(ws []consensus.Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	if len(ws) == 0 {
		return nil
	}
	for i := range ws {
		s.has.advance(&ws[i])
	}
	s.has.batch++
	s.encode(ws)
	return s.sync()
}

func (s *Store) usable() error {
	if err := s.fatal.failure(); err != nil {
		return fmt.Errorf("the store has failed before: %w", err)
	}
	if s.closed {
		return &Error{File: s.dir, What: "closed", Kind: ErrClosed}
	}
	return nil
}

// encode fills s.batch with ws. The state comes first: see wal.go.
func (s *Store) encode(ws []consensus.Write) {
	b := s.batch
	b.Reset()
	op := b.SetDeferred(len(keyState), stateLen)
	copy(op.Key, keyState)
	s.codec.putState(op.Value, s.has.state)
	op.Finish()
	for i := range ws {
		w := &ws[i]
		for j := range w.Entries {
			e := &w.Entries[j]
			op := b.SetDeferred(entryKeyLen, entryHeadLen+len(e.Payload))
			s.codec.putEntry(op.Key, op.Value, e)
			op.Finish()
		}
		if c := w.Chunk; c != nil {
			op := b.SetDeferred(chunkKeyLen, valueHeaderLen+len(c.Data))
			s.codec.putChunk(op.Key, op.Value, c)
			op.Finish()
		}
		if w.Snapshot != nil {
			s.encodeSnapshot(w.Snapshot)
		}
	}
}

// encodeSnapshot puts m in force and drops all that it makes needless.
func (s *Store) encodeSnapshot(m *consensus.SnapshotMeta) {
	b := s.batch
	op := b.SetDeferred(len(keySnap), snapLen)
	copy(op.Key, keySnap)
	s.codec.putSnap(op.Value, m)
	op.Finish()
	s.deleteRange(entryKey(0), entryKey(m.Slot+1))
	s.dropChunks(m.Gen)
}

// dropChunks drops the chunks of all generations but one.
func (s *Store) dropChunks(but uint64) {
	s.deleteRange(chunkKey(0, 0), chunkKey(but, 0))
	s.deleteRange(chunkKey(but+1, 0), []byte(prefixChunkEnd))
}

func (s *Store) deleteRange(start, end []byte) {
	if err := s.batch.DeleteRange(start, end, nil); err != nil {
		panic(fmt.Sprintf("BUG: delete range %q to %q: %v", start, end, err)) // only memory is touched
	}
}

// sync commits s.batch.
func (s *Store) sync() error {
	if err := s.db.ApplyNoSyncWait(s.batch, pebble.Sync); err != nil {
		s.fatal.raise(ioError(s.dir, "write failed", err))
	}
	if err := s.batch.SyncWait(); err != nil {
		s.fatal.raise(ioError(s.dir, "write failed", err))
	}
	s.durable = s.has.batch
	return nil
}

// ReadChunk returns a chunk of the snapshot with generation gen, or ErrGone if
// that has been dropped or was never stored. Any goroutine, not after Close.
func (s *Store) ReadChunk(gen uint64, index uint32) ([]byte, error) {
	key := chunkKey(gen, index)
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, &Error{File: s.dir, What: fmt.Sprintf("chunk %d of snapshot %d is not there", index, gen), Kind: ErrGone}
	}
	if err != nil {
		return nil, ioError(s.dir, fmt.Sprintf("chunk %d of snapshot %d", index, gen), err)
	}
	defer closer.Close()
	data, ok := s.codec.parseChunk(key, value)
	if !ok {
		return nil, damaged(s.dir, "chunk %d of snapshot %d is not as it was written", index, gen)
	}
	return data, nil
}

// Identity returns whose store it is. Any goroutine.
func (s *Store) Identity() Identity { return s.identity }

// Close releases the directory. Everything written stays. After a failure it
// releases nothing: the process is about to end.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	s.closed = true
	if err := s.batch.Close(); err != nil {
		return ioError(s.dir, "close failed", err)
	}
	if err := s.db.Close(); err != nil {
		return ioError(s.dir, "close failed", err)
	}
	if err := s.lock.Close(); err != nil {
		return ioError(s.dir, "close failed", err)
	}
	return nil
}

// dropLeftovers deletes the chunks of snapshots that never came into force.
func (s *Store) dropLeftovers(c *contents) error {
	if !c.leftovers {
		return nil
	}
	s.has.batch++
	s.encode(nil)
	s.dropChunks(s.has.gen)
	return s.sync()
}
