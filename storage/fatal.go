package storage

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// fatal ends the process: the first failure calls the hook, which does not
// return in production. Where it does (in tests), whoever met a failure stops
// for ever, so that nothing goes on as if nothing had happened.
type fatal struct {
	hook func(error)
	once sync.Once
	err  atomic.Pointer[error]
}

// raise never returns.
func (f *fatal) raise(err error) {
	f.once.Do(func() {
		f.err.Store(&err)
		f.hook(err)
	})
	select {}
}

// failure returns the first failure, or nil.
func (f *fatal) failure() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// engineLogger passes what the engine says of itself to the server's log.
type engineLogger struct {
	log   *slog.Logger
	dir   string
	fatal *fatal
}

func (l engineLogger) Infof(format string, args ...any) {
	l.log.Debug("engine: " + fmt.Sprintf(format, args...))
}

func (l engineLogger) Errorf(format string, args ...any) {
	l.log.Error("engine: " + fmt.Sprintf(format, args...))
}

// Fatalf does not return: the engine counts on it.
func (l engineLogger) Fatalf(format string, args ...any) {
	l.fatal.raise(&Error{File: l.dir, What: fmt.Sprintf(format, args...), Advice: "check the disk, then start again"})
}

// listener turns the engine's events into log lines and failures.
func listener(log *slog.Logger, dir string, f *fatal) *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(err error) {
			f.raise(ioError(dir, "the engine could not write in the background", err))
		},
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			f.raise(&Error{File: info.Path, What: "damaged", Kind: ErrDamaged, Err: info.Details, Advice: restoreAdvice})
		},
		DiskSlow: func(info pebble.DiskSlowInfo) {
			log.Warn("disk is slow", "file", info.Path, "operation", info.OpType.String(), "for", info.Duration)
		},
		LowDiskSpace: func(info pebble.LowDiskSpaceInfo) {
			log.Warn("disk is filling up", "dir", dir, "free_bytes", info.AvailBytes, "total_bytes", info.TotalBytes)
		},
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) {
			log.Warn("writes wait for the disk", "dir", dir, "why", info.Reason)
		},
	}
}

// quietListener is for looking at a store without opening it: the one who
// looks gets the errors.
func quietListener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(error) {},
		DataCorruption:  func(pebble.DataCorruptionInfo) {},
	}
}
