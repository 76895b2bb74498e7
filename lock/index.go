package lock

import (
	"bytes"
	"hash/maphash"
)

// index finds the hold of a key. It is a directory of small open-addressing
// segments, chosen by the top bits of the key's hash: a full segment splits in
// two by one more bit, two nearly empty ones become one again, and nothing
// ever has to move all at once (extendible hashing).
//
// The hash is seeded for each table, so that nobody can choose keys that meet
// in one segment. Nothing outside can see the order in it.
type index struct {
	seed     maphash.Seed
	depth    uint // bits of the hash that choose in directory
	deepest  int  // segments with that many bits of their own
	holds    *slab[hold]
	keys     *keys
	segments []*segment // 1<<depth of them; neighbours may be the same
}

// segmentLen makes a segment 4 KiB: its own size class of the allocator.
const segmentLen = 1020

const (
	segmentFull   = segmentLen * 4 / 5 // slots in use, with graves: split
	segmentSparse = segmentLen / 8     // fewer keys: see whether to merge
	segmentMerged = segmentLen / 4     // at most as many keys after a merge
)

// segment is one open-addressing table with linear probing. A slot is 0, a
// grave, or a tag (some bits of the hash) above the ref of a hold: most
// probes that miss are settled without a look at the key.
type segment struct {
	slots [segmentLen]uint32
	live  uint16
	dead  uint16 // graves
	depth uint8  // bits of the hash that all keys in it share
}

// grave is a slot whose key has gone, with others probed past it.
const grave = 1 << refBits

func newIndex(holds *slab[hold], keys *keys) index {
	return index{
		seed: maphash.MakeSeed(), deepest: 1,
		holds: holds, keys: keys, segments: []*segment{new(segment)},
	}
}

// hash of a key: its top bits choose the segment, its lowest are the tag, and
// those between are where in the segment probing begins.
func (x *index) hash(key []byte) uint64 {
	return maphash.Bytes(x.seed, key)
}

func (x *index) hashOf(ref uint32) uint64 {
	return x.hash(x.keys.get(x.holds.at(ref).key))
}

func (x *index) segment(hash uint64) *segment {
	return x.segments[hash>>(64-x.depth)] // a shift by 64 gives 0
}

func home(hash uint64) uint32 {
	return uint32(uint64(uint32(hash>>8)) * segmentLen >> 32)
}

func tag(hash uint64) uint32 {
	return uint32(hash) << refBits
}

func after(slot uint32) uint32 {
	if slot+1 == segmentLen {
		return 0
	}
	return slot + 1
}

// find returns the hold of key, or 0.
func (x *index) find(hash uint64, key []byte) uint32 {
	s := x.segment(hash)
	for i := home(hash); ; i = after(i) {
		slot := s.slots[i]
		if slot == 0 {
			return 0
		}
		if slot&^refMask != tag(hash) || slot == grave {
			continue
		}
		if ref := slot & refMask; bytes.Equal(x.keys.get(x.holds.at(ref).key), key) {
			return ref
		}
	}
}

// add enters a hold whose key is not in the index.
func (x *index) add(hash uint64, ref uint32) {
	s := x.segment(hash)
	for s.live+s.dead >= segmentFull {
		x.split(hash, s)
		s = x.segment(hash)
	}
	s.add(hash, ref)
}

func (s *segment) add(hash uint64, ref uint32) {
	i := home(hash)
	for s.slots[i]&refMask != 0 {
		i = after(i)
	}
	if s.slots[i] == grave {
		s.dead--
	}
	s.slots[i] = tag(hash) | ref
	s.live++
}

// remove takes a hold out that is in the index.
func (x *index) remove(hash uint64, ref uint32) {
	s := x.segment(hash)
	i := home(hash)
	for s.slots[i] != tag(hash)|ref {
		i = after(i)
	}
	s.bury(i)
	if s.live < segmentSparse && s.depth > 0 {
		x.merge(hash, s)
	}
}

// bury empties slot i. It becomes a grave only where a probe may have to go on
// past it; graves that end in an empty slot vanish.
func (s *segment) bury(i uint32) {
	s.live--
	if s.slots[after(i)] != 0 {
		s.slots[i] = grave
		s.dead++
		return
	}
	s.slots[i] = 0
	for i = before(i); s.slots[i] == grave; i = before(i) {
		s.slots[i] = 0
		s.dead--
	}
}

func before(slot uint32) uint32 {
	if slot == 0 {
		return segmentLen - 1
	}
	return slot - 1
}
