package storage

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"ticketing/consensus"
)

// contents is everything that a store holds.
type contents struct {
	codec     codec
	identity  []byte // the text of m/ident
	state     state
	recovered consensus.Recovered
	chunks    [][]byte // of recovered.Snapshot
	leftovers bool     // there are chunks of a snapshot that is not in force
}

// load reads a whole store and checks that each record is whole and that all
// of them together make sense. dir is for messages.
func load(dir string, db pebble.Reader, codec codec) (*contents, error) {
	iter, err := db.NewIter(nil)
	if err != nil {
		return nil, ioError(dir, "can't be read", err)
	}
	defer iter.Close()
	c := &contents{codec: codec}
	for ok := iter.First(); ok; ok = iter.Next() {
		value, err := iter.ValueAndErr()
		if err != nil {
			return nil, ioError(dir, "can't be read", err)
		}
		if !c.take(iter.Key(), value) {
			return nil, damaged(dir, "the record %q is not as it was written", iter.Key())
		}
	}
	if err := iter.Error(); err != nil {
		return nil, ioError(dir, "can't be read", err)
	}
	return c, c.check(dir)
}

// take takes one record in, in the order of keys: entries, m/ident, m/snap,
// m/state, chunks.
func (c *contents) take(key, value []byte) (ok bool) {
	switch {
	case bytes.HasPrefix(key, []byte(prefixEntry)):
		var e consensus.Entry
		e, ok = c.codec.parseEntry(key, value)
		c.recovered.Entries = append(c.recovered.Entries, e)
	case bytes.Equal(key, keyIdent):
		ok = c.codec.sealed(key, value)
		c.identity = bytes.Clone(value[min(len(value), valueHeaderLen):])
	case bytes.Equal(key, keySnap):
		var m consensus.SnapshotMeta
		m, ok = c.codec.parseSnap(value)
		c.recovered.Snapshot = &m
	case bytes.Equal(key, keyState):
		c.state, ok = c.codec.parseState(value)
		c.recovered.Promised, c.recovered.Commit = c.state.promised, c.state.commit
	case bytes.HasPrefix(key, []byte(prefixChunk)):
		var data []byte
		data, ok = c.codec.parseChunk(key, value)
		if ok {
			ok = c.chunk(key, data)
		}
	}
	return ok
}

// chunk keeps data if it is the next one of the snapshot in force.
func (c *contents) chunk(key, data []byte) bool {
	gen, index := chunkOfKey(key)
	if m := c.recovered.Snapshot; m == nil || gen != m.Gen {
		c.leftovers = true
		return m == nil || gen > m.Gen
	}
	if index != uint32(len(c.chunks)) {
		return false
	}
	c.chunks = append(c.chunks, data)
	return true
}

// check holds the records against each other.
func (c *contents) check(dir string) error {
	if c.state.batch == 0 || c.identity == nil {
		return damaged(dir, "the records of its state and identity are missing")
	}
	var base consensus.Slot
	if m := c.recovered.Snapshot; m != nil {
		base = m.Slot
		var size uint64
		for _, data := range c.chunks {
			size += uint64(len(data))
		}
		if m.Gen != c.state.gen || uint32(len(c.chunks)) != m.Chunks || size != m.Bytes {
			return damaged(dir, "of snapshot %d there are %d of %d chunks and %d of %d bytes, and %d should be in force",
				m.Gen, len(c.chunks), m.Chunks, size, m.Bytes, c.state.gen)
		}
	} else if c.state.gen != 0 {
		return damaged(dir, "snapshot %d is missing", c.state.gen)
	}
	for _, e := range c.recovered.Entries {
		if e.Slot != base+1 {
			return damaged(dir, "the log goes from slot %d to %d", base, e.Slot)
		}
		base = e.Slot
	}
	if base != c.state.last {
		return damaged(dir, "the log ends at slot %d and should end at %d", base, c.state.last)
	}
	return nil
}

// progress is where writing goes on.
func (c *contents) progress() progress {
	p := progress{state: c.state, building: map[uint64]*building{}}
	if m := c.recovered.Snapshot; m != nil {
		p.snapSlot = m.Slot
	}
	return p
}
