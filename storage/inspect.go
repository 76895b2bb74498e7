package storage

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Summary is what a store says of itself without being opened.
type Summary struct {
	Identity Identity
	Format   int    // of everything of our own
	Engine   string // the engine's format
	Bytes    uint64 // size of all files
}

// Inspect reads what the store in dir says of itself. It changes nothing, and
// may be used on a store that a server has open.
func Inspect(dir string, opt Options) (Summary, error) {
	opt = opt.withDefaults()
	what, names, err := look(opt.FS, dir)
	if err != nil {
		return Summary{}, err
	}
	if what != present {
		return Summary{}, &Error{File: dir, What: "no store here", Kind: ErrMissing}
	}
	identity, err := readIdentity(dir, opt.FS)
	if err != nil {
		return Summary{}, err
	}
	desc, err := pebble.Peek(dir, frozenFS{opt.FS})
	if err != nil {
		return Summary{}, ioError(dir, "can't be read", err)
	}
	sum := Summary{Identity: identity, Format: formatVersion, Engine: fmt.Sprintf("pebble %d", desc.FormatMajorVersion)}
	for _, name := range names {
		if info, err := opt.FS.Stat(opt.FS.PathJoin(dir, name)); err == nil { // the server may have removed it
			sum.Bytes += uint64(info.Size())
		}
	}
	return sum, nil
}
