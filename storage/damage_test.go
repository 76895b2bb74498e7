package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"ticketing/storage/storagetest"
)

// image is a directory as a killed process left it, and what is in it.
type image struct {
	files map[string][]byte
	// whole is what the store holds, and shorter what it held before its last
	// write, which is at bytes [from, to) of the file newest.
	whole, shorter *storagetest.Model
	newest         string
	from, to       int
}

// plug holds up flushes, so that log files pile up.
type plug struct {
	mu   sync.Mutex
	cond *sync.Cond
	in   bool
}

func newPlug() *plug {
	p := &plug{}
	p.cond = sync.NewCond(&p.mu)
	return p
}

func (p *plug) set(in bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.in = in
	p.cond.Broadcast()
}

func (p *plug) MaybeError(op errorfs.Op) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.in && op.Kind == errorfs.OpCreate && strings.HasSuffix(op.Path, ".sst") {
		p.cond.Wait()
	}
	return nil
}

func (p *plug) String() string { return "plug" }

// makeImage makes an image with tables, older logs and a newest log of many
// records, the last of which has about lastBytes.
func makeImage(t *testing.T, lastBytes int) image {
	fs, p := vfs.NewCrashableMem(), newPlug()
	s, _, _, err := Open("/data", testOptions(errorfs.Wrap(fs, p)))
	if err != nil {
		t.Fatal(err)
	}
	img := image{whole: storagetest.NewModel()}
	write := func(rng *rand.Rand, n, size int) {
		w := storagetest.NewWrites(rng, img.whole, size)
		for range n {
			if err := s.Write(w.Next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	rng := rand.New(rand.NewPCG(storagetest.Seed(t, 1), 0))
	write(rng, 30, 20<<10)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	img.whole.Reopen()
	if s, _, _, err = Open("/data", testOptions(errorfs.Wrap(fs, p))); err != nil {
		t.Fatal(err)
	}
	p.set(true)
	write(rng, 8, 4<<10)
	write(rng, 40, 300)
	before := copyFiles(t, fs)
	img.shorter = img.whole.Clone()
	write(rng, 1, lastBytes)
	img.files = copyFiles(t, fs)
	for name, data := range img.files {
		if from, to := difference(before[name], data); from < to {
			img.newest, img.from, img.to = name, from, to
		}
	}
	p.set(false)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return img
}

func copyFiles(t *testing.T, fs vfs.FS) map[string][]byte {
	t.Helper()
	names, err := fs.List("/data")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		f, err := fs.Open("/data/" + name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
		f.Close()
	}
	return files
}

// difference returns the smallest range in which b differs from a.
func difference(a, b []byte) (from, to int) {
	for from < len(b) && from < len(a) && a[from] == b[from] {
		from++
	}
	for to = len(b); to > from && to <= len(a) && a[to-1] == b[to-1]; {
		to--
	}
	return from, to
}

func putFiles(t *testing.T, files map[string][]byte) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	if err := fs.MkdirAll("/data", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := fs.Create("/data/"+name, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(bytes.Clone(files[name])); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return fs
}

// tryOpen opens a store on files. It returns the error, or nil and which of
// the models the store holds. A refused directory must be as it was.
func (img image) tryOpen(t *testing.T, files map[string][]byte) (*storagetest.Model, error) {
	t.Helper()
	fs := putFiles(t, files)
	opt := testOptions(fs)
	s, rec, chunks, err := Open("/data", opt)
	if err != nil {
		if after := copyFiles(t, fs); !maps.EqualFunc(files, after, bytes.Equal) {
			t.Errorf("the refused directory was changed; the error is %v", err)
		}
		return nil, err
	}
	defer s.Close()
	for _, m := range []*storagetest.Model{img.whole, img.shorter} {
		m = m.Clone()
		m.Reopen()
		if m.Diff(rec, chunks) == "" {
			if m.Last() == img.whole.Last() && m.Promised == img.whole.Promised {
				return img.whole, nil
			}
			return img.shorter, nil
		}
	}
	return nil, nil
}

// damageFile opens img with one file changed, and says what must not be.
func (img image) damageFile(t *testing.T, name, what string, data []byte, mayBeShorter bool) (refused bool) {
	t.Helper()
	files := maps.Clone(img.files)
	files[name] = data
	m, err := img.tryOpen(t, files)
	switch {
	case err != nil:
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewer) {
			t.Errorf("%s: the refusal is of no known kind: %v", what, err)
		}
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error does not name the file: %v", what, err)
		}
	case m == nil:
		t.Errorf("%s: the store holds something else than was written", what)
	case m == img.shorter && !mayBeShorter:
		t.Errorf("%s: the last record is lost", what)
	}
	return err != nil
}

// inLast reports whether bytes [from, to) of a file touch the last record.
func (img image) inLast(name string, from, to int) bool {
	return name == img.newest && from < img.to && to > img.from
}

func TestOneDamagedByteIsRefusedOrHasNoMeaning(t *testing.T) {
	img := makeImage(t, 300)
	rng := rand.New(rand.NewPCG(storagetest.Seed(t, 1), 1))
	for _, name := range slices.Sorted(maps.Keys(img.files)) {
		data := img.files[name]
		refused, tried := 0, 0
		for _, at := range positions(rng, len(data)) {
			changed := bytes.Clone(data)
			changed[at] ^= byte(1 + rng.IntN(255))
			what := fmt.Sprintf("%s, byte %d of %d: %#x became %#x", name, at, len(data), data[at], changed[at])
			if img.damageFile(t, name, what, changed, img.inLast(name, at, at+1)) {
				refused++
			}
			tried++
		}
		t.Logf("%s: %d bytes, %d damaged, %d refused", name, len(data), tried, refused)
	}
}

// positions are all of a small file, and some of a large one.
func positions(rng *rand.Rand, size int) []int {
	limit := 120
	if testing.Short() {
		limit = 40
	}
	if size <= limit {
		all := make([]int, size)
		for i := range all {
			all[i] = i
		}
		return all
	}
	var some []int
	for i := range limit / 4 {
		some = append(some, i, size-1-i, rng.IntN(size), rng.IntN(size))
	}
	return some
}
