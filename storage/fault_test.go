package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"ticketing/storage/storagetest"
)

// faulty fails one operation that changes the file system, by its number.
type faulty struct {
	at  int
	err error

	mu    sync.Mutex
	count int
	kind  errorfs.OpKind // of the operation that failed
	where string         // and which it was
}

func (f *faulty) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.count != f.at {
		return nil
	}
	f.kind = op.Kind
	f.where = fmt.Sprintf("operation %d, of kind %d, on %s", f.at, op.Kind, op.Path)
	return fmt.Errorf("%s: %w", op.Path, f.err)
}

func (f *faulty) String() string { return "faulty" }

// outcome is how a run on a faulty disk ended.
type outcome struct {
	states []*storagetest.Model
	acked  int
	err    error // of Open, Write or Close
}

// runFaulty opens a store and writes to it until something fails. Where the
// failure went to OnFatal instead, the run never ends; done is not called.
func runFaulty(opt Options, seed uint64, writes int, done func(outcome), acked func(outcome)) {
	o := outcome{states: []*storagetest.Model{storagetest.NewModel()}}
	s, _, _, err := Open("/data", opt)
	if err != nil {
		o.err = err
		done(o)
		return
	}
	m := storagetest.NewModel()
	w := storagetest.NewWrites(rand.New(rand.NewPCG(seed, 0)), m, 20<<10)
	for range writes {
		ws := w.Next()
		o.states = append(o.states, m.Clone())
		acked(o)
		if o.err = s.Write(ws); o.err != nil {
			done(o)
			return
		}
		o.acked++
		acked(o)
	}
	o.err = s.Close()
	done(o)
}

// failAt runs with one failing operation. It returns false if there were not
// that many operations.
func failAt(t *testing.T, at int, kind error, seed uint64, writes int) bool {
	base := vfs.NewCrashableMem()
	inj := &faulty{at: at, err: kind}
	opt := testOptions(errorfs.Wrap(base, inj))
	fatal := make(chan error, 1)
	opt.OnFatal = func(err error) { fatal <- err }

	var mu sync.Mutex
	var last outcome
	acked := func(o outcome) {
		mu.Lock()
		defer mu.Unlock()
		last = o
	}
	done := make(chan outcome, 1)
	go runFaulty(opt, seed, writes, func(o outcome) { done <- o }, acked)
	var failure error
	select {
	case failure = <-fatal:
	case o := <-done:
		acked(o)
		failure = o.err
	}
	mu.Lock()
	o := last
	mu.Unlock()
	inj.mu.Lock()
	defer inj.mu.Unlock()
	if inj.where == "" {
		return false
	}
	if failure == nil && !harmless[inj.kind] {
		t.Errorf("%s: nobody heard of the failure", inj.where)
	}
	checkFailure(t, inj.where, kind, failure)
	checkRest(t, inj.where, base, o)
	return true
}

// harmless are operations whose failure the engine may live with.
var harmless = map[errorfs.OpKind]bool{
	errorfs.OpRemove:          true, // of a file that is not needed any more
	errorfs.OpFileClose:       true, // of a directory, or a file that was only read
	errorfs.OpFilePreallocate: true, // only makes the file grow later
	errorfs.OpFileSyncTo:      true, // promises nothing
}

// checkFailure makes sure that what an operator gets to read makes sense.
func checkFailure(t *testing.T, where string, kind, failure error) {
	var e *Error
	if failure == nil {
		return
	}
	if !errors.As(failure, &e) || !errors.Is(failure, kind) || !strings.HasPrefix(e.File, "/") || e.Advice == "" {
		t.Errorf("%s: the failure is %v", where, failure)
	}
}

// checkRest opens what is on the disk after the failure.
func checkRest(t *testing.T, where string, base *vfs.MemFS, o outcome) {
	for _, percent := range []int{0, 100} {
		left := base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(1, 1))})
		s, rec, chunks, err := Open("/data", testOptions(left))
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		found := len(o.states) == 0
		for _, m := range o.states[min(o.acked, len(o.states)):] {
			m = m.Clone()
			m.Reopen()
			found = found || m.Diff(rec, chunks) == ""
		}
		if !found {
			t.Errorf("%s: of %d writes, %d acknowledged, the store holds none of the states", where, len(o.states)-1, o.acked)
		}
		s.Close()
	}
}

func TestAfterAFailedWriteOrSyncNothingIsAcknowledged(t *testing.T) {
	seed := storagetest.Seed(t, 1)
	step, writes := 1, 6
	if testing.Short() {
		step = 7
	}
	kinds := []error{syscall.EIO, syscall.ENOSPC}
	n := 0
	for at := 1; failAt(t, at, kinds[at%2], seed, writes); at += step {
		n++
	}
	t.Logf("%d operations failed", n)
}
