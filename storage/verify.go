package storage

import (
	"bytes"
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
)

// verifier looks at a whole store without changing anything. What it has to
// show is that no batch is missing. Batches are numbered from 1, and each
// number must be accounted for, in the tables that the MANIFEST names or in a
// log file, up to the highest that anything on disk speaks of.
type verifier struct {
	dir      string
	opt      Options
	identity Identity
	lock     *pebble.Lock
	names    []string // in dir

	mark     watermark
	manifest string     // path of the one in force
	logs     []*logFile // by number
}

// verify returns what the store holds.
func (v *verifier) verify() (*contents, error) {
	if err := v.checkFiles(); err != nil {
		return nil, err
	}
	logger := engineLogger{v.opt.Logger, v.dir, &fatal{hook: v.opt.OnFatal}}
	o := engineOptions(frozenFS{v.opt.FS}, v.opt.memTable, logger, quietListener())
	o.ReadOnly, o.ErrorIfNotExists, o.Lock = true, true, v.lock
	db, err := pebble.Open(v.dir, o)
	if err != nil {
		return nil, v.explain(err)
	}
	c, err := v.checkEngine(db)
	return c, errors.Join(err, db.Close())
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

// checkEngine reads everything through the engine, opened for reading.
func (v *verifier) checkEngine(db *pebble.DB) (*contents, error) {
	if err := v.checkTables(db); err != nil {
		return nil, err
	}
	codec := newCodec(v.identity.Store)
	c, err := load(v.dir, db, codec)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(c.identity, identityText(v.identity)) {
		return nil, damaged(v.opt.FS.PathJoin(v.dir, identityFile), "it is not the identity file of the store beside it")
	}
	flushed, err := flushedBatch(db, codec)
	if err != nil {
		return nil, ioError(v.dir, "can't be read", err)
	}
	return c, v.account(flushed, c.state.batch)
}

// account makes sure that no batch is missing between the last one in a table
// and the last one that anything speaks of.
func (v *verifier) account(flushed, read uint64) error {
	have, file := flushed, v.dir
	for _, l := range v.logs {
		for _, r := range l.runs {
			if r.first > have+1 {
				return damaged(file, "batches %d to %d are missing: the next that is there is in %s",
					have+1, r.first-1, l.path)
			}
			if r.last > have {
				have, file = r.last, l.path
			}
		}
	}
	newest := logName(v.opt.FS, v.dir, v.mark.log)
	switch {
	case v.mark.log != 0 && v.log(v.mark.log) == nil:
		return damaged(newest, "missing: it was the newest log file")
	case v.mark.batch > have:
		return damaged(file, "batches %d to %d are missing: %s speaks of them", have+1, v.mark.batch, watermarkFile)
	case read != have:
		return damaged(file, "the engine finds batches up to %d only, and %d is there", read, have)
	}
	return nil
}

// flushedBatch returns the number of the last batch that is in a table.
func flushedBatch(db *pebble.DB, codec codec) (uint64, error) {
	iter, err := db.NewIter(&pebble.IterOptions{
		LowerBound:                keyState,
		UpperBound:                append(bytes.Clone(keyState), 0),
		OnlyReadGuaranteedDurable: true, // skips what is only in log files
	})
	if err != nil {
		return 0, err
	}
	defer iter.Close()
	if !iter.First() {
		return 0, iter.Error()
	}
	st, _ := codec.parseState(iter.Value()) // load has checked the newest; an older one may be damaged
	return st.batch, nil
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
