package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

const (
	markerPrefix   = "marker."
	formatMarker   = markerPrefix + "format-version."
	manifestMarker = markerPrefix + "manifest."
	optionsPrefix  = "OPTIONS-"
)

// logFile is a log file of the engine.
type logFile struct {
	number uint64
	path   string
	found  scanned
	runs   []run
}

// run is a sequence of batches without gaps.
type run struct{ first, last uint64 }

func logName(fsys vfs.FS, dir string, number uint64) string {
	return fsys.PathJoin(dir, fmt.Sprintf("%06d.log", number))
}

// checkNames makes sure that no kind of file is missing altogether, and that
// the engine's format is one that it knows.
func (v *verifier) checkNames() error {
	for _, prefix := range []string{formatMarker, manifestMarker, optionsPrefix} {
		if !slices.ContainsFunc(v.names, func(n string) bool { return strings.HasPrefix(n, prefix) }) {
			return damaged(v.opt.FS.PathJoin(v.dir, prefix+"*"), "missing")
		}
	}
	for _, name := range v.names {
		rest, ok := strings.CutPrefix(name, formatMarker)
		if !ok {
			continue
		}
		_, number, _ := strings.Cut(rest, ".")
		if n, err := strconv.ParseUint(number, 10, 32); err == nil && pebble.FormatMajorVersion(n) > pebble.FormatNewest {
			return &Error{File: v.opt.FS.PathJoin(v.dir, name), Kind: ErrNewer,
				What:   fmt.Sprintf("the engine's files are of format %d, and this version knows up to %d", n, pebble.FormatNewest),
				Advice: "run the version that wrote it, or a newer one"}
		}
	}
	return nil
}

// checkManifest reads the MANIFEST to its end. The engine stops at the first
// record that it can't read, as if nothing had ever followed.
func (v *verifier) checkManifest() error {
	desc, err := pebble.Peek(v.dir, frozenFS{v.opt.FS})
	if err != nil {
		return damaged(v.dir, "%v", err)
	}
	v.manifest = desc.ManifestFilename
	found, err := scan(v.opt.FS, v.manifest, 0, func([]byte) {})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return damaged(v.manifest, "missing")
	case err != nil:
		return ioError(v.manifest, "can't be read", err)
	case found.records == 0:
		return damaged(v.manifest, "nothing in it can be read")
	case found.hole >= 0:
		return damaged(v.manifest, "at byte %d: what follows can be read again", found.hole)
	}
	return nil
}

// readLogs reads all log files, those included that the engine only keeps to
// write over them.
func (v *verifier) readLogs() error {
	codec := newCodec(v.identity.Store)
	for _, name := range v.names {
		number, _, ok := wal.ParseLogFilename(name)
		if !ok {
			continue
		}
		l := &logFile{number: uint64(number), path: v.opt.FS.PathJoin(v.dir, name)}
		var err error
		l.found, err = scan(v.opt.FS, l.path, uint32(number), func(record []byte) {
			if batch, ok := codec.batchNumber(record); ok {
				l.add(batch)
			}
		})
		if err != nil {
			return ioError(l.path, "can't be read", err)
		}
		v.logs = append(v.logs, l)
	}
	slices.SortFunc(v.logs, func(a, b *logFile) int { return int(a.number) - int(b.number) })
	return nil
}

func (l *logFile) add(batch uint64) {
	if n := len(l.runs); n > 0 && l.runs[n-1].last+1 == batch {
		l.runs[n-1].last = batch
		return
	}
	l.runs = append(l.runs, run{batch, batch})
}

// log returns the log file with a number, or nil.
func (v *verifier) log(number uint64) *logFile {
	for _, l := range v.logs {
		if l.number == number {
			return l
		}
	}
	return nil
}
