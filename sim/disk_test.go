package sim

import (
	"reflect"
	"testing"

	"ticketing/consensus"
)

func entriesFrom(first consensus.Slot, payloads ...string) []consensus.Entry {
	var list []consensus.Entry
	for i, p := range payloads {
		list = append(list, consensus.Entry{Slot: first + consensus.Slot(i), Payload: []byte(p)})
	}
	return list
}

func payloads(list []consensus.Entry) string {
	all := ""
	for _, e := range list {
		all += string(e.Payload)
	}
	return all
}

// A crash keeps some writes from the front and none behind a gap, and never
// what was not being written yet.
func TestACrashKeepsAPrefixOfWhatWasBeingWritten(t *testing.T) {
	r := newStream(*firstSeed, streamDisk)
	kept := map[string]int{}
	for range 300 {
		var d disk
		d.image.apply(&consensus.Write{Entries: entriesFrom(1, "a")})
		d.syncing = []consensus.Write{{Entries: entriesFrom(2, "b")}, {Entries: entriesFrom(3, "c")}}
		d.queue = []consensus.Write{{Entries: entriesFrom(4, "d")}}
		d.crash(r)
		rec, _ := d.image.recovered()
		kept[payloads(rec.Entries)]++
		if len(d.syncing)+len(d.queue) != 0 || d.syncs != 1 {
			t.Fatalf("after the crash there is still something on its way: %+v", d)
		}
	}
	if len(kept) != 3 || kept["a"] == 0 || kept["ab"] == 0 || kept["abc"] == 0 {
		t.Errorf("seed %d: crashes kept %v, want some of each of a, ab, abc", *firstSeed, kept)
	}
}

func TestAPromiseOnTheDiskNeverGoesBack(t *testing.T) {
	var d image
	d.apply(&consensus.Write{Promised: consensus.Ballot{Round: 3, Node: 1}, Commit: 0})
	d.apply(&consensus.Write{Promised: consensus.Ballot{Round: 2, Node: 5}})
	d.apply(&consensus.Write{Entries: entriesFrom(1, "a")})
	rec, chunks := d.recovered()
	if rec.Promised != (consensus.Ballot{Round: 3, Node: 1}) || chunks != nil {
		t.Errorf("got %+v", rec)
	}
}

func TestWhatWasRecoveredDoesNotChangeWithLaterWrites(t *testing.T) {
	var d image
	d.apply(&consensus.Write{Entries: entriesFrom(1, "a", "b")})
	rec, _ := d.recovered()
	d.apply(&consensus.Write{Entries: entriesFrom(2, "x", "y")})
	if got := payloads(rec.Entries); got != "ab" {
		t.Errorf("the log recovered first is now %q", got)
	}
	if rec, _ = d.recovered(); payloads(rec.Entries) != "axy" {
		t.Errorf("the log is %q, want axy", payloads(rec.Entries))
	}
}

func TestASnapshotTakesThePlaceOfTheLogBelowIt(t *testing.T) {
	var d image
	d.apply(&consensus.Write{Entries: entriesFrom(1, "a", "b", "c")})
	for i, data := range []string{"p", "q"} {
		d.apply(&consensus.Write{Chunk: &consensus.Chunk{Gen: 1, Index: uint32(i), Data: []byte(data)}})
	}
	d.apply(&consensus.Write{Chunk: &consensus.Chunk{Gen: 2, Data: []byte("of another")}})
	meta := consensus.SnapshotMeta{Gen: 1, Slot: 2, Chunks: 2, Bytes: 2}
	d.apply(&consensus.Write{Snapshot: &meta})
	rec, chunks := d.recovered()
	if payloads(rec.Entries) != "c" || *rec.Snapshot != meta || !reflect.DeepEqual(chunks, [][]byte{{'p'}, {'q'}}) {
		t.Errorf("got %q, %+v, %q", payloads(rec.Entries), rec.Snapshot, chunks)
	}
	if _, ok := d.chunk(2, 0); ok {
		t.Error("the chunk of a snapshot that is not in force is still there")
	}
	above := consensus.SnapshotMeta{Gen: 3, Slot: 9, Chunks: 1, Bytes: 1}
	d.apply(&consensus.Write{Chunk: &consensus.Chunk{Gen: 3, Data: []byte("r")}})
	d.apply(&consensus.Write{Snapshot: &above})
	if rec, _ = d.recovered(); len(rec.Entries) != 0 || d.first() != 10 {
		t.Errorf("behind a snapshot at 9 there are %q, and the next slot is %d", payloads(rec.Entries), d.first())
	}
}

func TestAHoleInTheLogIsABug(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a write behind a hole was taken")
		}
	}()
	var d image
	d.apply(&consensus.Write{Entries: entriesFrom(2, "b")})
}
