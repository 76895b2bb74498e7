package storage

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// checkTables reads every block of every table, whether anything in it is
// still in force or not: a later compaction would read it.
func (v *verifier) checkTables(db *pebble.DB) error {
	levels, err := db.SSTables()
	if err != nil {
		return v.explain(err)
	}
	for _, level := range levels {
		for _, t := range level {
			path := v.opt.FS.PathJoin(v.dir, t.BackingSSTNum.String()+".sst")
			if err := checkTable(v.opt.FS, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkTable(fsys vfs.FS, path string) error {
	f, err := fsys.Open(path)
	if err != nil {
		return ioError(path, "can't be read", err)
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(ioError(path, "can't be read", err), f.Close())
	}
	r, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{})
	if err != nil {
		return errors.Join(damaged(path, "%v", err), readable.Close())
	}
	return errors.Join(checkBlocks(f, path, r), r.Close())
}

// checkBlocks compares the checksums itself: the engine, when one differs,
// searches for the bit that would make it right, which takes it many seconds.
func checkBlocks(f vfs.File, path string, r *sstable.Reader) error {
	l, err := r.Layout()
	if err != nil {
		return damaged(path, "%v", err)
	}
	handles := []block.Handle{l.TopIndex, l.RangeDel, l.RangeKey, l.ValueIndex, l.Properties, l.MetaIndex, l.BlobReferenceIndex}
	handles = append(append(handles, l.Index...), l.ValueBlock...)
	for _, b := range l.Data {
		handles = append(handles, b.Handle)
	}
	for _, b := range l.Filter {
		handles = append(handles, b.Handle)
	}
	var buf []byte
	for _, h := range handles {
		if h.Length == 0 {
			continue // there is none of this kind
		}
		buf = append(buf[:0], make([]byte, h.Length+block.TrailerLen)...)
		if _, err := f.ReadAt(buf, int64(h.Offset)); err != nil {
			return ioError(path, "can't be read", err)
		}
		// A block is its contents, a byte, and the checksum of both.
		if engineChecksum(buf[:h.Length+1]) != binary.LittleEndian.Uint32(buf[h.Length+1:]) {
			return damaged(path, "the block at byte %d is not as it was written", h.Offset)
		}
	}
	return nil
}
