package storage

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ticketing/consensus"
)

func single(fs vfs.FS) Options {
	return Options{Identity: Identity{Mode: ModeSingle}, Create: true, FS: fs}
}

func TestWhatWasWrittenIsThereAfterReopening(t *testing.T) {
	fs := vfs.NewMem()
	s, rec, chunks, err := Open("/x/data", single(fs))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Snapshot != nil || len(rec.Entries) != 0 || chunks != nil {
		t.Fatalf("a new store holds %+v", rec)
	}
	err = s.Write([]consensus.Write{{Promised: consensus.Ballot{Round: 3, Node: 1},
		Entries: []consensus.Entry{{Slot: 1, Payload: []byte("a")}, {Slot: 2, Payload: []byte("b")}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, rec, _, err = Open("/x/data", single(fs))
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Entries) != 2 || rec.Promised.Round != 3 {
		t.Fatalf("%+v", rec)
	}
	t.Logf("%+v", s.Figures())
	s.Close()
	d := t.TempDir() + "/a/b"
	s, _, _, err = Open(d, single(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", s.Figures())
	t.Log(Inspect(d, Options{}))
	s.Close()
}
