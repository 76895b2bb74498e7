package sim

import "ticketing/consensus"

// disk is one host's store, and writes on their way to it. It makes durable
// what waits as one batch, as the server's disk goroutine does.
type disk struct {
	image image
	// real, if there is one, gets the same writes and must come back with the
	// same after a crash.
	real *realStore

	queue   []consensus.Write // handed over, not being written
	syncing []consensus.Write // being written
	// syncs rises whenever a sync begins or ends, so that none ends twice, and
	// none after a crash.
	syncs int

	stalledUntil Time // nothing gets through
	failNext     bool // the next sync fails
	fullUntil    Time // whatever is written fails, and so does the start
	badUntil     Time // the store can't be opened
}

func newDisk(real bool, seed uint64) *disk {
	d := &disk{}
	if real {
		d.real = newRealStore(seed)
	}
	return d
}

// refuses says why no process can start on the store now, "" if one can.
func (d *disk) refuses(now Time) string {
	switch {
	case now < d.badUntil:
		return "the store is damaged"
	case now < d.fullUntil:
		return "the disk is full"
	}
	return ""
}

// open returns what a process finds when it starts.
func (d *disk) open() (consensus.Recovered, [][]byte) {
	d.image.dropLeftovers()
	rec, chunks := d.image.recovered()
	if d.real != nil {
		d.real.open(rec, chunks)
	}
	return rec, chunks
}

// write makes ws durable.
func (d *disk) write(ws []consensus.Write) {
	for i := range ws {
		d.image.apply(&ws[i])
	}
	if d.real != nil {
		d.real.write(ws)
	}
}

func (d *disk) chunk(gen uint64, index uint32) ([]byte, bool) {
	data, ok := d.image.chunk(gen, index)
	if d.real != nil {
		d.real.check(gen, index, data, ok)
	}
	return data, ok
}

// busy reports whether something is on its way to the store.
func (d *disk) busy() bool { return len(d.syncing)+len(d.queue) > 0 }

// crash keeps of what was being written a random part from the front, and
// forgets the rest.
func (d *disk) crash(r stream) {
	if kept := r.IntN(len(d.syncing) + 1); kept > 0 {
		d.write(d.syncing[:kept])
	}
	if d.real != nil {
		d.real.crash()
	}
	d.syncing, d.queue = nil, nil
	d.syncs++
	d.failNext = false
}

// heal ends what is wrong with the disk.
func (d *disk) heal() {
	d.stalledUntil, d.fullUntil, d.badUntil = 0, 0, 0
	d.failNext = false
}

// close gives back what the disk holds outside the world's own memory.
func (d *disk) close() {
	if d.real != nil {
		d.real.close()
	}
}
