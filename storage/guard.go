package storage

import (
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS ends the process at the first write or sync that fails. The engine
// would try some of them again, and a sync that failed once and is tried again
// succeeds without having stored anything.
type guardFS struct {
	vfs.FS
	fatal *fatal
}

func guard(fs vfs.FS, f *fatal) vfs.FS { return &guardFS{fs, f} }

func (g *guardFS) check(file, what string, err error) {
	if err != nil {
		g.fatal.raise(ioError(file, what, err))
	}
}

// Create syncs the directory before a marker is made: a marker names another
// new file, and must not be on disk without that.
func (g *guardFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasPrefix(g.PathBase(name), markerPrefix) {
		if err := syncDir(g.FS, g.PathDir(name)); err != nil {
			g.fatal.raise(err)
		}
	}
	f, err := g.FS.Create(name, category)
	g.check(name, "can't be made", err)
	return &guardFile{f, name, g}, nil
}

func (g *guardFS) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := g.FS.OpenReadWrite(name, category, opts...)
	g.check(name, "can't be opened for writing", err)
	return &guardFile{f, name, g}, nil
}

func (g *guardFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.ReuseForWrite(oldname, newname, category)
	g.check(oldname, "can't be made "+newname, err)
	return &guardFile{f, newname, g}, nil
}

func (g *guardFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &guardFile{f, name, g}, nil
}

func (g *guardFS) Rename(oldname, newname string) error {
	err := g.FS.Rename(oldname, newname)
	g.check(oldname, "can't be renamed to "+newname, err)
	return nil
}

// guardFile is a file or directory that was opened for writing or syncing.
type guardFile struct {
	vfs.File
	name string
	fs   *guardFS
}

func (f *guardFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.fs.check(f.name, "can't be written", err)
	return n, nil
}

func (f *guardFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.fs.check(f.name, "can't be written", err)
	return n, nil
}

func (f *guardFile) Sync() error {
	f.fs.check(f.name, "can't be synced", f.File.Sync())
	return nil
}

func (f *guardFile) SyncData() error {
	f.fs.check(f.name, "can't be synced", f.File.SyncData())
	return nil
}

func (f *guardFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	f.fs.check(f.name, "can't be synced", err)
	return full, nil
}

// Close may be the first to hear of a write that failed.
func (f *guardFile) Close() error {
	f.fs.check(f.name, "can't be closed", f.File.Close())
	return nil
}

// frozenFS refuses whatever would change something.
type frozenFS struct{ vfs.FS }

func frozen(op, name string) error {
	return &os.PathError{Op: op, Path: name, Err: syscall.EROFS}
}

func (frozenFS) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, frozen("create", name)
}

func (frozenFS) Link(_, newname string) error { return frozen("link", newname) }

func (frozenFS) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, frozen("open", name)
}

func (frozenFS) Remove(name string) error { return frozen("remove", name) }

func (frozenFS) RemoveAll(name string) error { return frozen("remove", name) }

func (frozenFS) Rename(oldname, _ string) error { return frozen("rename", oldname) }

func (frozenFS) ReuseForWrite(oldname, _ string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, frozen("reuse", oldname)
}

func (frozenFS) MkdirAll(dir string, _ os.FileMode) error { return frozen("mkdir", dir) }

func (frozenFS) Lock(name string) (io.Closer, error) { return nil, frozen("lock", name) }
