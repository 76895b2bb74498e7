package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// presence is what a directory holds, judged by names alone.
type presence int

const (
	absent     presence = iota // nothing, or no directory
	unfinished                 // a store whose making was cut short: nothing was ever in it
	present                    // a store, whole or damaged
	foreign                    // something else
)

// lockFile is the engine's, and empty.
const lockFile = "LOCK"

// lostAndFound is in the root of a freshly made file system.
const lostAndFound = "lost+found"

// look judges dir by the names in it.
func look(fsys vfs.FS, dir string) (presence, []string, error) {
	names, err := fsys.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return absent, nil, nil
	}
	if err != nil {
		return absent, nil, ioError(dir, "can't be read", err)
	}
	// An empty lock file is all that a Create leaves which was cut short at once.
	names = slices.DeleteFunc(names, func(n string) bool { return n == lostAndFound || n == lockFile })
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return absent, names, nil
	case slices.Contains(names, identityFile), slices.Contains(names, watermarkFile) && !slices.Contains(names, unfinishedFile):
		return present, names, nil
	case slices.Contains(names, unfinishedFile):
		return unfinished, names, nil
	}
	return foreign, names, nil
}

// Create makes a store in dir, which must be empty or missing. A store that is
// already there is not touched. It is made whole or not at all: what a crash
// leaves is cleared away by the next Create.
func Create(dir string, opt Options) error {
	opt = opt.withDefaults()
	what, names, err := look(opt.FS, dir)
	if err != nil {
		return err
	}
	switch what {
	case present:
		return &Error{File: dir, What: "there is a store already", Kind: ErrExists,
			Advice: "use it, or name another directory"}
	case foreign:
		return foreignError(dir, names)
	}
	return create(dir, opt)
}

func foreignError(dir string, names []string) error {
	return &Error{File: dir, Kind: ErrForeign,
		What:   fmt.Sprintf("holds %q, which is not a store's", names[0]),
		Advice: "name an empty directory, or the right one"}
}

// create makes a store where look found none, or an unfinished one.
func create(dir string, opt Options) error {
	opt.Identity.check()
	id := opt.Identity.complete()
	if err := makeDir(opt.FS, dir); err != nil {
		return err
	}
	lock, err := lockDir(dir, opt.FS)
	if err != nil {
		return err
	}
	err = build(dir, opt, id, lock)
	if err1 := lock.Close(); err == nil && err1 != nil {
		err = ioError(dir, "can't be unlocked", err1)
	}
	return err
}

// build writes everything under the name of an unfinished store and then
// gives it its own.
func build(dir string, opt Options, id Identity, lock *pebble.Lock) error {
	if err := clearUnfinished(dir, opt.FS); err != nil {
		return err
	}
	if err := writeMarker(opt.FS, opt.FS.PathJoin(dir, unfinishedFile), identityText(id)); err != nil {
		return err
	}
	if err := syncDir(opt.FS, dir); err != nil {
		return err
	}
	if err := buildEngine(dir, opt, id, lock); err != nil {
		return err
	}
	if err := writeMarker(opt.FS, opt.FS.PathJoin(dir, watermarkFile), watermarkText(watermark{batch: 1})); err != nil {
		return err
	}
	if err := syncDir(opt.FS, dir); err != nil {
		return err
	}
	return rename(opt.FS, dir, unfinishedFile, identityFile)
}

// makeDir makes dir and syncs all directories above it: an earlier attempt may
// have made some of them and not come that far.
func makeDir(fsys vfs.FS, dir string) error {
	if err := fsys.MkdirAll(dir, 0o700); err != nil {
		return ioError(dir, "can't be made", err)
	}
	for d := dir; ; {
		parent := fsys.PathDir(d)
		if parent == d {
			return nil
		}
		if err := syncDir(fsys, parent); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		d = parent
	}
}

// engineNames are the names that the engine gives to its files.
var engineNames = []string{"*.log", "*.sst", "*.dbtmp", "MANIFEST-*", "OPTIONS-*", "marker.*.*.*"}

// clearUnfinished removes what an earlier build left, and nothing else.
func clearUnfinished(dir string, fsys vfs.FS) error {
	names, err := fsys.List(dir)
	if err != nil {
		return ioError(dir, "can't be read", err)
	}
	for _, name := range names {
		ours := name == watermarkFile || slices.ContainsFunc(engineNames, func(pattern string) bool {
			ok, _ := path.Match(pattern, name) // the patterns are well-formed
			return ok
		})
		if !ours {
			continue
		}
		if err := fsys.Remove(fsys.PathJoin(dir, name)); err != nil {
			return ioError(fsys.PathJoin(dir, name), "can't be removed", err)
		}
	}
	return nil
}

// buildEngine makes the engine's files, with batch 1: the identity.
func buildEngine(dir string, opt Options, id Identity, lock *pebble.Lock) error {
	f := &fatal{hook: opt.OnFatal}
	o := engineOptions(guard(opt.FS, f), opt.memTable, engineLogger{opt.Logger, dir, f}, listener(opt.Logger, dir, f))
	o.ErrorIfExists, o.Lock = true, lock
	db, err := pebble.Open(dir, o)
	if err != nil {
		return ioError(dir, "can't be made a store", err)
	}
	b := db.NewBatch()
	putFirst(b, id)
	if err := b.Commit(pebble.Sync); err != nil {
		return ioError(dir, "can't be made a store", err)
	}
	if err := db.Close(); err != nil {
		return ioError(dir, "can't be made a store", err)
	}
	return nil
}

// putFirst fills batch 1.
func putFirst(b *pebble.Batch, id Identity) {
	codec, text := newCodec(id.Store), identityText(id)
	op := b.SetDeferred(len(keyState), stateLen)
	copy(op.Key, keyState)
	codec.putState(op.Value, state{batch: 1})
	op.Finish()
	op = b.SetDeferred(len(keyIdent), valueHeaderLen+len(text))
	copy(op.Key, keyIdent)
	copy(op.Value[valueHeaderLen:], text)
	codec.seal(keyIdent, op.Value)
	op.Finish()
}

// lockDir keeps other processes out of dir.
func lockDir(dir string, fsys vfs.FS) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(dir, fsys)
	if err == nil {
		return lock, nil
	}
	file := fsys.PathJoin(dir, lockFile)
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return nil, ioError(file, "can't be opened", err)
	}
	return nil, &Error{File: file, What: "another process uses this store", Kind: ErrLocked, Err: err,
		Advice: "stop that one first, or name another directory; don't remove the file"}
}
