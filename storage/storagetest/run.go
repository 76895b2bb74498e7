package storagetest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"ticketing/consensus"
)

// Store is what a store must be able to do.
type Store interface {
	Write([]consensus.Write) error
	ReadChunk(gen uint64, index uint32) ([]byte, error)
	Close() error
}

// Disk is something to open a store on, again and again. It opens what the
// store before left, once that is closed.
type Disk func() (Store, consensus.Recovered, [][]byte, error)

// seedVar is the environment variable that repeats a random run.
const seedVar = "STORAGE_SEED"

// Seed returns the seed of a random test, from the environment or the given
// one, and has the test print it if it fails.
func Seed(t *testing.T, seed uint64) uint64 {
	t.Helper()
	if s := os.Getenv(seedVar); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", seedVar, err)
		}
		seed = n
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with %s=%d go test -run '%s'", seedVar, seed, t.Name())
		}
	})
	return seed
}

// Run runs the suite. newDisk returns an empty disk.
func Run(t *testing.T, newDisk func(t *testing.T) Disk) {
	tests := []struct {
		name string
		test func(t *testing.T, d *session)
	}{
		{"an empty store holds nothing", empty},
		{"what was written is there after reopening", reopen},
		{"a promise and a commit hint stay until they are replaced", promise},
		{"an entry replaces what its slot held and nothing else", overwrite},
		{"a snapshot drops the log up to its slot", snapshot},
		{"a snapshot above the log's end empties the log", snapshotAbove},
		{"a snapshot drops the chunks of all others", chunks},
		{"a snapshot that is not in force is gone after reopening", unfinished},
		{"the writes of one call take effect in their order", order},
		{"random writes", random},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			d := &session{t: t, disk: newDisk(t), model: NewModel()}
			d.open()
			tc.test(t, d)
			d.close()
		})
	}
}

// session is one disk with a store open on it, and what it must hold.
type session struct {
	t     *testing.T
	disk  Disk
	store Store
	model *Model
}

func (s *session) open() {
	s.t.Helper()
	store, rec, chunks, err := s.disk()
	if err != nil {
		s.t.Fatal(err)
	}
	s.store = store
	s.model.Reopen()
	if diff := s.model.Diff(rec, chunks); diff != "" {
		s.t.Fatal(diff)
	}
}

func (s *session) close() {
	s.t.Helper()
	if err := s.store.Close(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) reopen() {
	s.t.Helper()
	s.close()
	s.open()
}

func (s *session) write(ws ...consensus.Write) {
	s.t.Helper()
	s.model.Write(ws)
	if err := s.store.Write(ws); err != nil {
		s.t.Fatal(err)
	}
}

func entries(first consensus.Slot, payloads ...string) []consensus.Entry {
	var es []consensus.Entry
	for i, p := range payloads {
		es = append(es, consensus.Entry{Slot: first + consensus.Slot(i), Kind: consensus.KindCommands, Payload: []byte(p)})
	}
	return es
}

func chunk(gen uint64, index uint32, data string) consensus.Write {
	return consensus.Write{Chunk: &consensus.Chunk{Gen: gen, Index: index, Data: []byte(data)}}
}

func empty(_ *testing.T, d *session) {
	d.reopen()
	d.write()
	d.reopen()
}

func reopen(_ *testing.T, d *session) {
	d.write(consensus.Write{Entries: []consensus.Entry{{
		Slot: 1, Ballot: consensus.Ballot{Round: 7, Node: 2}, Origin: consensus.Ballot{Round: 3, Node: 1},
		Stamp: 1 << 63, Kind: consensus.KindLeaderStart, Payload: []byte("settings"),
	}}})
	d.write(consensus.Write{Entries: entries(2, "", "b", "c")})
	d.reopen()
	d.write(consensus.Write{Entries: entries(5, "d")})
	d.reopen()
}

func promise(_ *testing.T, d *session) {
	d.write(consensus.Write{Promised: consensus.Ballot{Round: 1 << 40, Node: 3}})
	d.write(consensus.Write{Entries: entries(1, "a", "b"), Commit: 2})
	d.reopen()
	d.write(consensus.Write{Entries: entries(3, "c")})
	d.reopen()
	d.write(consensus.Write{Promised: consensus.Ballot{Round: 1 << 40, Node: 3}})
	d.write(consensus.Write{Promised: consensus.Ballot{Round: 1 << 40, Node: 4}, Commit: 3})
	d.reopen()
}

func overwrite(_ *testing.T, d *session) {
	d.write(consensus.Write{Entries: entries(1, "a", "b", "c", "d")})
	d.write(consensus.Write{Entries: entries(2, "B", "C")})
	d.reopen()
	d.write(consensus.Write{Entries: entries(4, "D", "e")})
	d.reopen()
}

func snapshot(_ *testing.T, d *session) {
	d.write(consensus.Write{Entries: entries(1, "a", "b", "c")})
	d.write(chunk(1, 0, "x"), chunk(1, 1, "yz"))
	d.write(consensus.Write{Snapshot: &consensus.SnapshotMeta{
		Gen: 1, Slot: 2, Mark: consensus.Ballot{Round: 1, Node: 1}, Now: 99, Chunks: 2, Bytes: 3}})
	d.reopen()
	d.write(consensus.Write{Entries: entries(4, "d")})
	d.reopen()
}

func snapshotAbove(_ *testing.T, d *session) {
	d.write(consensus.Write{Entries: entries(1, "a", "b", "c")})
	d.write(chunk(1, 0, "x"), consensus.Write{Snapshot: &consensus.SnapshotMeta{Gen: 1, Slot: 10, Chunks: 1, Bytes: 1}})
	d.reopen()
	d.write(consensus.Write{Entries: entries(11, "k")})
	d.reopen()
}

func chunks(t *testing.T, d *session) {
	d.write(consensus.Write{Entries: entries(1, "a", "b", "c")})
	d.write(chunk(1, 0, "one"))
	d.write(consensus.Write{Snapshot: &consensus.SnapshotMeta{Gen: 1, Slot: 1, Chunks: 1, Bytes: 3}})
	d.write(chunk(2, 0, "given up"), chunk(3, 0, "thr"))
	d.wantChunk(1, 0, "one")
	d.write(chunk(3, 1, "ee"))
	d.write(consensus.Write{Snapshot: &consensus.SnapshotMeta{Gen: 3, Slot: 2, Chunks: 2, Bytes: 5}})
	d.wantChunk(3, 0, "thr")
	d.wantChunk(3, 1, "ee")
	for gen := range uint64(3) {
		if data, err := d.store.ReadChunk(gen, 0); err == nil {
			t.Errorf("chunk 0 of dropped snapshot %d is %q", gen, data)
		}
	}
	d.reopen()
	d.wantChunk(3, 1, "ee")
}

func (s *session) wantChunk(gen uint64, index uint32, want string) {
	s.t.Helper()
	data, err := s.store.ReadChunk(gen, index)
	if err != nil || string(data) != want {
		s.t.Errorf("chunk %d of %d: %q, %v; want %q", index, gen, data, err, want)
	}
}

func unfinished(t *testing.T, d *session) {
	d.write(chunk(1, 0, "never"), chunk(1, 1, "finished"))
	d.reopen()
	if data, err := d.store.ReadChunk(1, 0); err == nil {
		t.Errorf("a chunk of an unfinished snapshot is %q after reopening", data)
	}
	d.write(chunk(1, 0, "x"))
	d.write(consensus.Write{Snapshot: &consensus.SnapshotMeta{Gen: 1, Slot: 4, Chunks: 1, Bytes: 1}})
	d.reopen()
}

func order(_ *testing.T, d *session) {
	d.write(
		consensus.Write{Promised: consensus.Ballot{Round: 1, Node: 1}, Entries: entries(1, "a", "b", "c")},
		consensus.Write{Promised: consensus.Ballot{Round: 2, Node: 1}, Entries: entries(2, "B")},
		chunk(1, 0, "x"),
		consensus.Write{Snapshot: &consensus.SnapshotMeta{Gen: 1, Slot: 3, Chunks: 1, Bytes: 1}},
		consensus.Write{Entries: entries(4, "d", "e")},
		chunk(2, 0, "y"),
		consensus.Write{Snapshot: &consensus.SnapshotMeta{Gen: 2, Slot: 4, Chunks: 1, Bytes: 1}},
	)
	d.reopen()
}

func random(t *testing.T, d *session) {
	rng := rand.New(rand.NewPCG(Seed(t, 1), 0))
	for range 10 {
		w := NewWrites(rng, d.model, 3000)
		for range 40 {
			ws := w.Next()
			if err := d.store.Write(ws); err != nil {
				t.Fatal(err)
			}
			d.checkChunks(rng)
		}
		d.reopen()
	}
}

// checkChunks reads a chunk of the snapshot in force.
func (s *session) checkChunks(rng *rand.Rand) {
	m := s.model.Snapshot
	if m == nil {
		return
	}
	i := uint32(rng.IntN(int(m.Chunks)))
	data, err := s.store.ReadChunk(m.Gen, i)
	if err != nil || !bytes.Equal(data, s.model.Chunks[m.Gen][i]) {
		s.t.Fatalf("chunk %d of %d: %d bytes, %v", i, m.Gen, len(data), err)
	}
}
