package storage

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"ticketing/storage/storagetest"
)

// smallMemTable makes the engine change its log and flush every few writes.
const smallMemTable = 64 << 10

func testOptions(fs vfs.FS) Options {
	return Options{
		Identity: Identity{Mode: ModeCluster, Cluster: "test", Node: 3, Members: []byte("members")},
		Create:   true,
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		OnFatal:  func(err error) { panic(err) },
		FS:       fs,
		memTable: smallMemTable,
	}
}

// crasher takes what a crash would leave, at every operation that changes the
// file system, and opens a store on it.
type crasher struct {
	t     *testing.T
	fs    *vfs.MemFS
	every int // on average, of the operations

	mu      sync.Mutex
	rng     *rand.Rand
	states  []*storagetest.Model // after each call of Write; the first is at Open
	acked   int                  // of states, that Write has returned for
	exists  bool                 // Open has returned: there must be a store
	id      ID
	crashes int
}

// MaybeError is called before each operation; it never injects an error.
func (c *crasher) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rng.IntN(c.every) > 0 {
		return nil
	}
	for _, percent := range []int{0, 50, 100} {
		c.crash(percent, fmt.Sprintf("%v %s", op.Kind, op.Path))
	}
	return nil
}

func (c *crasher) String() string { return "crasher" }

// crash opens what is left if the machine fails now and percent of what has
// not been synced happens to be on disk all the same. It returns the state
// found and where. The caller holds c.mu.
func (c *crasher) crash(percent int, where string) (*vfs.MemFS, *storagetest.Model) {
	c.crashes++
	left := c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: c.rng})
	copied := left.CrashClone(vfs.CrashCloneCfg{})
	o := testOptions(left)
	o.Create = !c.exists
	s, rec, chunks, err := Open("/data", o)
	if err != nil {
		c.t.Errorf("crash before %s, %d%%: %v", where, percent, err)
		return nil, nil
	}
	defer s.Close()
	if c.exists && s.Identity().Store != c.id {
		c.t.Errorf("crash before %s, %d%%: another identity", where, percent)
	}
	for _, m := range c.states[c.acked:] {
		m := m.Clone()
		m.Reopen()
		if m.Diff(rec, chunks) == "" {
			return copied, m
		}
	}
	c.t.Errorf("crash before %s, %d%%: after %d writes, %d acknowledged, the store holds none of those: %s",
		where, percent, len(c.states)-1, c.acked, c.states[c.acked].Diff(rec, chunks))
	return nil, nil
}

// run opens the store, writes n times, and closes it.
func (c *crasher) run(n int) {
	c.t.Helper()
	s, rec, chunks, err := Open("/data", testOptions(errorfs.Wrap(c.fs, c)))
	if err != nil {
		c.t.Fatal(err)
	}
	m := c.states[0].Clone()
	if diff := m.Diff(rec, chunks); diff != "" {
		c.t.Fatal(diff)
	}
	c.mu.Lock()
	c.exists, c.id = true, s.Identity().Store
	c.mu.Unlock()
	w := storagetest.NewWrites(c.rng, m, 20<<10)
	for range n {
		c.mu.Lock()
		ws := w.Next()
		c.states = append(c.states, m.Clone())
		c.mu.Unlock()
		if err := s.Write(ws); err != nil {
			c.t.Fatal(err)
		}
		c.mu.Lock()
		c.acked++
		c.mu.Unlock()
	}
	if err := s.Close(); err != nil {
		c.t.Fatal(err)
	}
}

func TestEveryCrashLeavesAPrefixWithAllThatWasAcknowledged(t *testing.T) {
	rng := rand.New(rand.NewPCG(storagetest.Seed(t, 1), 0))
	generations, writes, every := 2, 6, 1
	if testing.Short() {
		generations, writes, every = 2, 6, 8
	}
	fs, states := vfs.NewCrashableMem(), []*storagetest.Model{storagetest.NewModel()}
	for g := range generations {
		c := &crasher{t: t, fs: fs, every: every, rng: rng, states: states, exists: g > 0}
		if g > 0 {
			c.id = readID(t, fs)
		}
		c.run(writes)
		t.Logf("generation %d: %d crashes, %d writes", g, c.crashes, writes)
		left, m := c.crash(rng.IntN(101), "the end")
		if t.Failed() {
			return
		}
		fs, states = left, []*storagetest.Model{m}
	}
}

func readID(t *testing.T, fs vfs.FS) ID {
	t.Helper()
	id, err := readIdentity("/data", fs)
	if err != nil {
		t.Fatal(err)
	}
	return id.Store
}
