package storage

import (
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options say how to open a store, and which.
type Options struct {
	// Identity is whose store it has to be: Mode and Cluster must match.
	// Create writes all of it.
	Identity Identity
	// Create lets Open make the store where there is none.
	Create bool
	// Logger gets warnings; slog.Default if nil.
	Logger *slog.Logger
	// OnFatal gets the first failure after which the process must end: a
	// write or sync that failed, damage that was found while running. It
	// must not return; if it does, the goroutine that met the failure stops
	// for ever. Any goroutine may call it. If nil, the failure is logged and
	// the process exits with 1.
	OnFatal func(error)
	// FS is the file system; the operating system's if nil.
	FS vfs.FS

	memTable uint64 // bytes; memTableBytes if 0
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.OnFatal == nil {
		log := o.Logger
		o.OnFatal = func(err error) {
			log.Error("the store has failed", "error", err)
			os.Exit(1)
		}
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.memTable == 0 {
		o.memTable = memTableBytes
	}
	return o
}

// engineOptions are the same for every open of the engine but for the file
// system and who hears of failures.
func engineOptions(fs vfs.FS, memTable uint64, logger pebble.Logger, events *pebble.EventListener) *pebble.Options {
	o := &pebble.Options{
		FS:                          fs,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		Logger:                      logger,
		EventListener:               events,
		CacheSize:                   blockCacheBytes,
		MaxOpenFiles:                maxOpenTables,
		MemTableSize:                memTable,
		MemTableStopWritesThreshold: maxMemTables,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       1000, // never let readers' comfort stop a write
		CompactionConcurrencyRange:  func() (int, int) { return 1, 1 },
	}
	o.Experimental.ReadSamplingMultiplier = -1 // no compactions for the sake of reads
	for i := range o.Levels {
		o.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	}
	return o
}
