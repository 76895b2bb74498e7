package storage

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// verify reads the whole store without changing anything.
func verify(dir string, opt Options, identity Identity, lock *pebble.Lock) (*contents, error) {
	f := &fatal{hook: opt.OnFatal}
	events := listener(opt.Logger, dir, f)
	o := engineOptions(frozenFS{opt.FS}, opt.memTable, engineLogger{opt.Logger, dir, f}, events)
	o.ReadOnly, o.ErrorIfNotExists, o.Lock = true, true, lock
	db, err := pebble.Open(dir, o)
	if err != nil {
		return nil, ioError(dir, "can't be opened", err)
	}
	defer db.Close()
	c, err := load(dir, db)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(c.identity, identityText(identity)) {
		return nil, damaged(opt.FS.PathJoin(dir, identityFile), "it is not the identity file of the store beside it")
	}
	return c, nil
}
