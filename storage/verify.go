package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// verifier looks at a whole store without changing anything. What it has to
// show is that no batch is missing. Batches are numbered from 1, and each
// number must be accounted for, in the tables that the MANIFEST names or in a
// log file, up to the highest that anything on disk speaks of.
type verifier struct {
	dir      string
	opt      Options
	identity Identity
	codec    codec
	lock     *pebble.Lock
	names    []string // in dir

	mark     watermark
	manifest string     // path of the one in force
	logs     []*logFile // by number
}

// verify returns what the store holds. The engine gets to see its log files
// last, when they are known to be good: it would search damaged bytes for many
// seconds for the bit that makes them right.
func (v *verifier) verify() (*contents, error) {
	if err := v.checkFiles(); err != nil {
		return nil, err
	}
	var flushed uint64
	err := v.read(tablesFS{frozenFS{v.opt.FS}}, func(db *pebble.DB) (err error) {
		if err := v.checkTables(db); err != nil {
			return err
		}
		flushed, err = v.lastBatch(db)
		return err
	})
	if err != nil {
		return nil, err
	}
	last, err := v.account(flushed)
	if err != nil {
		return nil, err
	}
	var c *contents
	err = v.read(frozenFS{v.opt.FS}, func(db *pebble.DB) (err error) {
		c, err = load(v.dir, db, v.codec)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, v.checkContents(c, last)
}

// read calls f with the engine opened for reading.
func (v *verifier) read(fsys vfs.FS, f func(*pebble.DB) error) error {
	logger := engineLogger{v.opt.Logger, v.dir, &fatal{hook: v.opt.OnFatal}}
	o := engineOptions(fsys, v.opt.memTable, logger, quietListener())
	o.ReadOnly, o.ErrorIfNotExists, o.Lock = true, true, v.lock
	db, err := pebble.Open(v.dir, o)
	if err != nil {
		return v.explain(err)
	}
	return errors.Join(f(db), db.Close())
}

// checkFiles looks at everything that the engine would not look at, or not
// closely enough, before the engine does.
func (v *verifier) checkFiles() error {
	var err error
	if v.names, err = v.opt.FS.List(v.dir); err != nil {
		return ioError(v.dir, "can't be read", err)
	}
	file := v.opt.FS.PathJoin(v.dir, watermarkFile)
	text, err := readMarker(v.opt.FS, file)
	if err != nil {
		return err
	}
	if v.mark, err = parseWatermark(file, text); err != nil {
		return err
	}
	if err := v.checkNames(); err != nil {
		return err
	}
	if err := v.checkManifest(); err != nil {
		return err
	}
	return v.readLogs()
}

// lastBatch returns the number of the last batch that db holds, 0 for none.
func (v *verifier) lastBatch(db *pebble.DB) (uint64, error) {
	value, closer, err := db.Get(keyState)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, ioError(v.dir, "can't be read", err)
	}
	defer closer.Close()
	st, ok := v.codec.parseState(value)
	if !ok {
		return 0, damaged(v.dir, "the record %q is not as it was written", keyState)
	}
	return st.batch, nil
}

// account returns the number of the last batch there is, and makes sure that
// none is missing between that and the last one in a table.
func (v *verifier) account(flushed uint64) (last uint64, err error) {
	last = flushed
	var holder *logFile // of last; nil for the tables
	for _, l := range v.logs {
		for _, r := range l.runs {
			if r.first > last+1 {
				return 0, v.gap(last+1, r.first-1, holder, l)
			}
			if r.last > last {
				last, holder = r.last, l
			}
		}
	}
	if v.mark.log != 0 && v.log(v.mark.log) == nil {
		return 0, damaged(logName(v.opt.FS, v.dir, v.mark.log), "missing: it was the newest log file")
	}
	if v.mark.batch > last {
		return 0, v.gap(last+1, v.mark.batch, holder, nil)
	}
	return last, nil
}

// gap says where batches from to to have gone, between two log files; before
// is nil for the tables, after for the watermark.
func (v *verifier) gap(from, to uint64, before, after *logFile) error {
	missing := fmt.Sprintf("batches %d to %d are missing", from, to)
	switch {
	case after != nil && after.found.hole >= 0:
		return damaged(after.path, "at byte %d; %s", after.found.hole, missing)
	case before != nil && !before.found.closed:
		return damaged(before.path, "at byte %d; %s", before.found.suspect, missing)
	case before != nil && after != nil:
		return damaged(v.dir, "a log file between %s and %s is missing; %s", before.path, after.path, missing)
	case after != nil:
		return damaged(v.dir, "a log file before %s is missing; %s", after.path, missing)
	}
	return damaged(v.dir, "a log file is missing, or %s names an old state; %s, and %s speaks of them",
		manifestMarker+"*", missing, watermarkFile)
}

// checkContents holds what the engine has read against what must be there.
func (v *verifier) checkContents(c *contents, last uint64) error {
	if !bytes.Equal(c.identity, identityText(v.identity)) {
		return damaged(v.opt.FS.PathJoin(v.dir, identityFile), "it is not the identity file of the store beside it")
	}
	if c.state.batch != last {
		return damaged(v.dir, "the engine finds batches up to %d only, and %d is there", c.state.batch, last)
	}
	return nil
}

// missingTable finds the number of a table that the engine misses.
var missingTable = regexp.MustCompile(`file (\d+) \(type sstable\)`)

// explain turns an error of the engine into one that says which file.
func (v *verifier) explain(err error) error {
	var path *fs.PathError
	var errno syscall.Errno
	switch {
	case errors.As(err, &path) && !errors.Is(err, fs.ErrNotExist):
		return ioError(path.Path, "can't be read", err)
	case errors.As(err, &errno) && errno != syscall.ENOENT:
		return ioError(v.dir, "can't be read", err)
	}
	if m := missingTable.FindStringSubmatch(err.Error()); m != nil {
		return damaged(v.opt.FS.PathJoin(v.dir, m[1]+".sst"),
			"missing, unless it is the end of %s that is damaged", v.manifest)
	}
	if err := v.brokenLog(); err != nil {
		return err
	}
	if err := v.brokenOptions(); err != nil {
		return err
	}
	return damaged(v.dir, "the engine refuses it: %v", err)
}

// brokenLog says where a log file is broken that the engine has refused.
func (v *verifier) brokenLog() error {
	for _, l := range v.logs {
		if l.found.hole >= 0 {
			return damaged(l.path, "at byte %d: what follows can be read again", l.found.hole)
		}
	}
	for _, l := range v.logs[:max(0, len(v.logs)-1)] {
		if !l.found.closed {
			return damaged(l.path, "it breaks off, and only the newest log file may do that")
		}
	}
	return nil
}

// brokenOptions says which file of the engine's options it can't accept.
func (v *verifier) brokenOptions() error {
	for _, name := range v.names {
		if !strings.HasPrefix(name, optionsPrefix) {
			continue
		}
		path := v.opt.FS.PathJoin(v.dir, name)
		text, err := readMarker(v.opt.FS, path)
		if err != nil {
			return err
		}
		var o pebble.Options
		o.EnsureDefaults()
		if err := o.CheckCompatibility(v.dir, string(text)); err != nil {
			return damaged(path, "%v", err)
		}
		if err := o.Parse(string(text), nil); err != nil {
			return damaged(path, "%v", err)
		}
	}
	return nil
}
