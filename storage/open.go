package storage

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"ticketing/consensus"
)

// Open opens the store in dir and returns what it holds: the snapshot's chunks
// in order come last, nil where there is no snapshot. It looks at everything
// before it changes anything: on an error the directory is as it was (but for
// an empty LOCK file that may have been missing), unless the error is the
// disk's own. With Options.Create it makes the store where there is none.
func Open(dir string, opt Options) (*Store, consensus.Recovered, [][]byte, error) {
	opt = opt.withDefaults()
	s, c, err := open(dir, opt)
	if err != nil {
		return nil, consensus.Recovered{}, nil, err
	}
	return s, c.recovered, c.chunks, nil
}

func open(dir string, opt Options) (*Store, *contents, error) {
	if err := find(dir, opt); err != nil {
		return nil, nil, err
	}
	identity, err := checkIdentity(dir, opt)
	if err != nil {
		return nil, nil, err
	}
	lock, err := lockDir(dir, opt.FS)
	if err != nil {
		return nil, nil, err
	}
	s := &Store{dir: dir, opt: opt, identity: identity, codec: newCodec(identity.Store),
		fatal: &fatal{hook: opt.OnFatal}, lock: lock}
	c, err := s.start()
	if err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	return s, c, nil
}

// find makes sure that dir holds a store, if need be by making it.
func find(dir string, opt Options) error {
	what, names, err := look(opt.FS, dir)
	switch {
	case err != nil:
		return err
	case what == foreign:
		return foreignError(dir, names)
	case what == present:
		return nil
	case opt.Create:
		return create(dir, opt)
	}
	e := &Error{File: dir, What: "no store here", Kind: ErrMissing}
	if opt.Identity.Mode == ModeCluster {
		e.Advice = "if the volume is not mounted, mount it; if this member is new, make its store with `ticketd init`"
	} else {
		e.Advice = "if the volume is not mounted, mount it; if this server is new, start it once without --require-store"
	}
	if what == unfinished {
		e.What = "the making of this store was cut short, and nothing was ever in it"
	}
	return e
}

// checkIdentity reads whose store it is and holds it against what is wanted.
func checkIdentity(dir string, opt Options) (Identity, error) {
	file := opt.FS.PathJoin(dir, identityFile)
	id, err := readIdentity(dir, opt.FS)
	if err != nil {
		return Identity{}, err
	}
	want := opt.Identity
	if want.Mode != id.Mode {
		return Identity{}, mismatch(file, fmt.Sprintf("the store of a %s server", id.Mode), id)
	}
	if want.Cluster != id.Cluster {
		return Identity{}, mismatch(file, fmt.Sprintf("the store of cluster %q", id.Cluster), id)
	}
	return id, nil
}

func mismatch(file, what string, id Identity) error {
	how := "without --cluster"
	if id.Mode == ModeCluster {
		how = fmt.Sprintf("with --cluster %s", id.Cluster)
	}
	return &Error{File: file, What: what, Kind: ErrMismatch,
		Advice: "start " + how + ", or name another directory"}
}

// start verifies what there is, opens the engine for writing, and clears away
// what is left of unfinished snapshots.
func (s *Store) start() (*contents, error) {
	v := verifier{dir: s.dir, opt: s.opt, identity: s.identity, lock: s.lock}
	c, err := v.verify()
	if err != nil {
		return nil, err
	}
	if err := s.clearName(v.names); err != nil {
		return nil, err
	}
	s.has, s.durable = c.progress(), c.state.batch
	// From here on log files come and go until the engine has begun a new one.
	if err := s.writeWatermark(watermark{batch: v.mark.batch}); err != nil {
		return nil, err
	}
	o := engineOptions(guard(s.opt.FS, s.fatal), s.opt.memTable, engineLogger{s.opt.Logger, s.dir, s.fatal}, s.listener())
	o.ErrorIfNotExists, o.Lock = true, s.lock
	if s.db, err = pebble.Open(s.dir, o); err != nil {
		return nil, ioError(s.dir, "can't be opened", err)
	}
	s.batch = s.db.NewBatch()
	return c, s.dropLeftovers(c)
}

// clearName removes the name that the identity file had at first, which a crash
// may have left: with the other one gone, the store would pass for unfinished.
func (s *Store) clearName(names []string) error {
	if !slices.Contains(names, unfinishedFile) {
		return nil
	}
	file := s.opt.FS.PathJoin(s.dir, unfinishedFile)
	if err := s.opt.FS.Remove(file); err != nil {
		return ioError(file, "can't be removed", err)
	}
	return syncDir(s.opt.FS, s.dir)
}

// listener adds to the events that end the process or warn those that the
// store itself needs.
func (s *Store) listener() *pebble.EventListener {
	l := listener(s.opt.Logger, s.dir, s.fatal)
	warn := l.WriteStallBegin
	l.WriteStallBegin = func(info pebble.WriteStallBeginInfo) {
		s.stalls.Add(1)
		warn(info)
	}
	// The engine calls this before the first record goes into the new log
	// file, and before anything can happen to the old one, on the goroutine of
	// Write or Open.
	l.WALCreated = func(info pebble.WALCreateInfo) {
		if info.Err != nil {
			return // the guard has heard of it
		}
		if err := s.writeWatermark(watermark{log: uint64(info.FileNum), batch: s.durable}); err != nil {
			s.fatal.raise(err)
		}
	}
	return l
}

func (s *Store) writeWatermark(w watermark) error {
	if err := writeMarker(s.opt.FS, s.opt.FS.PathJoin(s.dir, watermarkTemp), watermarkText(w)); err != nil {
		return err
	}
	return rename(s.opt.FS, s.dir, watermarkTemp, watermarkFile)
}
