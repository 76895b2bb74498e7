package lock

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// The containers beside simple ones, through growth and back to nothing.

func TestIndexFindsWhatAMapFinds(t *testing.T) {
	d := seeded(t)
	table := New()
	refs := map[string]uint32{}
	add := func(i int) {
		key := walkKey(i)
		if refs[string(key)] == 0 {
			refs[string(key)] = table.addHold(key, table.index.hash(key))
		}
	}
	remove := func(i int) {
		key := walkKey(i)
		if ref := refs[string(key)]; ref != 0 {
			table.index.remove(table.index.hash(key), ref)
			table.keys.remove(table.holds.at(ref).key)
			table.holds.give(ref)
			delete(refs, string(key))
		}
	}
	check := func() {
		t.Helper()
		for i := range 20_000 {
			if key := walkKey(i); table.find(key) != refs[string(key)] {
				t.Fatalf("key %q: %d, want %d", key, table.find(key), refs[string(key)])
			}
		}
	}
	for _, chance := range []int{90, 50, 10, 60, 5} { // in a hundred, of adding
		for range 60_000 {
			if i := d.IntN(20_000); d.IntN(100) < chance {
				add(i)
			} else {
				remove(i)
			}
		}
		check()
	}
	grown := len(table.index.segments)
	for i := range 20_000 {
		add(i)
	}
	check()
	if most := len(table.index.segments); most < 16 || most < grown {
		t.Errorf("%d segments for 20,000 keys", most)
	}
	for i := range 20_000 {
		remove(i)
	}
	check()
	if left := len(table.index.segments); left != 1 {
		t.Errorf("%d segments for no key", left)
	}
}

// Keys that come and go leave graves; they do not fill a segment up.
func TestGravesDoNotMakeTheIndexGrow(t *testing.T) {
	table := New()
	const live = 300
	for i := range 50_000 {
		key := fmt.Appendf(nil, "key-%d", i)
		table.addHold(key, table.index.hash(key))
		if i >= live {
			old := fmt.Appendf(nil, "key-%d", i-live)
			ref := table.find(old)
			table.index.remove(table.index.hash(old), ref)
			table.keys.remove(table.holds.at(ref).key)
			table.holds.give(ref)
		}
	}
	if n := len(table.index.segments); n != 1 {
		t.Errorf("%d segments for %d keys at a time", n, live)
	}
	if s := table.index.segments[0]; s.live != live || s.dead > segmentFull {
		t.Errorf("%d live, %d dead", s.live, s.dead)
	}
}

func TestHeapGivesTheLowestFirst(t *testing.T) {
	d := seeded(t)
	positions := map[uint32]uint32{}
	h := heap{moved: func(ref, position uint32) { positions[ref] = position }}
	items := map[uint32]heapItem{}
	random := func(ref uint32) heapItem {
		return heapItem{rank: uint64(d.IntN(50)), tie: uint64(ref), ref: ref, aux: ref * 2}
	}
	for i := range uint32(30_000) {
		old := uint32(d.IntN(int(i) + 1))
		_, there := items[old]
		switch what := d.IntN(3); {
		case there && what == 0:
			h.remove(positions[old])
			delete(items, old)
		case there && what == 1:
			items[old] = random(old)
			h.set(positions[old], items[old])
		default:
			items[i] = random(i)
			h.push(items[i])
		}
	}
	var want []heapItem
	for ref, item := range items {
		if *h.at(positions[ref]) != item {
			t.Fatalf("item %+v is not where it said, %+v is", item, *h.at(positions[ref]))
		}
		want = append(want, item)
	}
	slices.SortFunc(want, func(a, b heapItem) int {
		if a.less(&b) {
			return -1
		}
		return 1
	})
	for i, item := range want {
		if got := *h.at(0); got != item {
			t.Fatalf("%d: %+v, want %+v", i, got, item)
		}
		h.remove(0)
	}
	if h.len != 0 {
		t.Errorf("%d items are left", h.len)
	}
}

func TestKeysComeBackAtEachLength(t *testing.T) {
	var k keys
	var names []uint32
	for length := 1; length <= KeyMax; length++ {
		for i := range byte(3) {
			names = append(names, k.add(bytes.Repeat([]byte{i + 1}, length)))
		}
	}
	for n, name := range names {
		want := bytes.Repeat([]byte{byte(n%3) + 1}, n/3+1)
		if got := k.get(name); !bytes.Equal(got, want) || cap(got) != len(got) {
			t.Errorf("%q with capacity %d, want %q", got, cap(got), want)
		}
	}
}

// The lowest numbers are used first, and what is empty above is given back.
func TestASlabGivesBackWhatABurstLeft(t *testing.T) {
	var s slab[tie]
	const chunks = 100
	var refs []uint32
	for range chunks * chunkLen {
		refs = append(refs, s.take())
	}
	if got := s.take(); s.used() != len(refs)+1 {
		t.Fatalf("%d used after %d, the last is %d", s.used(), len(refs)+1, got)
	}
	for _, ref := range refs[100:] {
		s.give(ref)
	}
	exist := 0
	for _, chunk := range s.chunks {
		if chunk != nil {
			exist++
		}
	}
	if exist > sparesMax+2 || s.used() != 101 {
		t.Errorf("%d chunks for %d records", exist, s.used())
	}
	if ref := s.take(); ref != refs[100] {
		t.Errorf("record %d, want %d", ref, refs[100])
	}
}

func TestGivingBackTwiceIsABug(t *testing.T) {
	var s slab[tie]
	ref := s.take()
	s.give(ref)
	mustPanic(t, func() { s.give(ref) }, fmt.Sprintf("record %d is given back twice", ref))
}

// Load that swings by a few chunks makes and drops none.
func TestASwingOfAFewChunksAllocatesNothing(t *testing.T) {
	var s slab[tie]
	var refs [8 * chunkLen]uint32
	swing := func() {
		for i := range refs {
			refs[i] = s.take()
		}
		for _, ref := range refs {
			s.give(ref)
		}
	}
	swing()
	if n := testing.AllocsPerRun(5, swing); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A segment does not merge with a part of its other half: that part shares more
// bits than the two of them.
func TestIndexMergesOnlyWholeHalves(t *testing.T) {
	table := New()
	x := &table.index
	var keys [4][][]byte // by the two top bits of their hashes
	add := func(key []byte) {
		quarter := x.hash(key) >> 62
		keys[quarter] = append(keys[quarter], key)
		table.addHold(key, x.hash(key))
	}
	remove := func(quarter int) {
		n := len(keys[quarter]) - 1
		x.remove(x.hash(keys[quarter][n]), table.find(keys[quarter][n]))
		keys[quarter] = keys[quarter][:n]
	}
	lower := func() int { return len(keys[0]) + len(keys[1]) }
	// 200 keys below, and above so many that that half is split again.
	for i := 0; len(x.segments) < 4; i++ {
		if key := fmt.Appendf(nil, "key-%d", i); x.hash(key)>>63 == 1 || lower() < 200 {
			add(key)
		}
	}
	if x.segments[0] != x.segments[1] || x.segments[2] == x.segments[3] {
		t.Fatal("the lower half is split, or the upper is not")
	}
	for _, quarter := range []int{2, 3} {
		for len(keys[quarter]) > segmentMerged/2+1 {
			remove(quarter)
		}
	}
	for lower() > segmentSparse/2 {
		remove(lower() % 2 * min(1, len(keys[1])))
	}
	for _, quarter := range keys {
		for _, key := range quarter {
			if table.find(key) == 0 {
				t.Fatalf("key %q is lost", key)
			}
		}
	}
}
