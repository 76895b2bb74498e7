package storage_test

import (
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ticketing/consensus"
	"ticketing/storage"
	"ticketing/storage/storagetest"
)

func options(fs vfs.FS) storage.Options {
	return storage.Options{
		Identity: storage.Identity{Mode: storage.ModeSingle},
		Create:   true,
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		OnFatal:  func(err error) { panic(err) },
		FS:       fs,
	}
}

func disk(dir string, fs vfs.FS) storagetest.Disk {
	return func() (storagetest.Store, consensus.Recovered, [][]byte, error) {
		return storage.Open(dir, options(fs))
	}
}

func TestStoreOnDisk(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Disk {
		return disk(filepath.Join(t.TempDir(), "data"), nil)
	})
}

func TestStoreInMemory(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Disk { return disk("/data", vfs.NewMem()) })
}
