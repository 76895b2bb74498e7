package loop

import (
	"bytes"
	"slices"
	"sync"

	"ticketing/consensus"
	"ticketing/node"
	"ticketing/proto"
)

// fakeReplica answers every request, each round's after one write: acquires
// with rising tokens. A key that begins with "wait" is never answered, and one
// that begins with "huge" is answered a thousand times. It checks that the
// shell keeps to the rules of the replica's surface.
type fakeReplica struct {
	mu sync.Mutex // the tests look at what was told

	open     map[node.Conn]bool
	places   []uint32
	next     uint64
	free     []uint32
	asked    []asked // of this entry
	waiting  map[node.Conn]int
	deciding []asked
	seq      uint64
	inFlight bool
	token    uint64
	out      map[node.Conn][]byte
	order    []node.Conn
	draining bool

	// What the tests look at.
	gone    map[node.Conn][]byte
	log     []string // keys of all requests, in order
	largest int      // requests in one entry
	dropKey string   // whoever asks for it is dropped
	stuck   bool     // never Idle
	wake    consensus.Mono
	flushed []consensus.Mono
}

type asked struct {
	conn  node.Conn
	op    proto.Op
	owner uint64
	token uint64
	key   string
}

func newFakeReplica() *fakeReplica {
	return &fakeReplica{
		open:    map[node.Conn]bool{},
		waiting: map[node.Conn]int{},
		out:     map[node.Conn][]byte{},
		gone:    map[node.Conn][]byte{},
	}
}

func (f *fakeReplica) Open() node.Conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.free) == 0 {
		f.free = append(f.free, uint32(len(f.places)))
		f.places = append(f.places, 0)
	}
	i := f.free[len(f.free)-1]
	f.free = f.free[:len(f.free)-1]
	f.next++
	c := node.Conn(f.next<<32 | uint64(i))
	f.open[c] = true
	return c
}

func (f *fakeReplica) must(c node.Conn) {
	if !f.open[c] {
		panic("BUG: the shell names a connection that is not open")
	}
}

func (f *fakeReplica) Request(c node.Conn, r *proto.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.must(c)
	f.log = append(f.log, string(r.Key))
	switch {
	case f.draining:
		f.say(c, proto.AppendError(nil, proto.NotActive))
	case bytes.HasPrefix(r.Key, []byte("wait")):
		f.waiting[c]++
	default:
		f.asked = append(f.asked, asked{c, r.Op, r.Owner, r.Token, string(r.Key)})
	}
}

func (f *fakeReplica) Refuse(c node.Conn, reason proto.Reason) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.must(c)
	f.say(c, proto.AppendError(nil, reason))
}

func (f *fakeReplica) say(c node.Conn, frame []byte) {
	if len(f.out[c]) == 0 {
		f.order = append(f.order, c)
	}
	f.out[c] = append(f.out[c], frame...)
}

func (f *fakeReplica) Gone(c node.Conn, unsent []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.must(c)
	delete(f.open, c)
	delete(f.waiting, c)
	delete(f.out, c)
	f.gone[c] = bytes.Clone(unsent)
	f.free = append(f.free, uint32(c.Index()))
}

func (f *fakeReplica) Persisted(seq uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.inFlight || seq != f.seq {
		panic("BUG: Persisted for what is not in flight")
	}
	f.inFlight = false
	for _, a := range f.deciding {
		if f.open[a.conn] {
			f.answer(a)
		}
	}
	f.deciding = nil
}

func (f *fakeReplica) answer(a asked) {
	key := []byte(a.key)
	switch a.op {
	case proto.OpAcquire:
		times := 1
		if bytes.HasPrefix(key, []byte("huge")) {
			times = 1000
		}
		for range times {
			f.token++
			f.say(a.conn, proto.AppendAcquired(nil, f.token, a.owner, key))
		}
	case proto.OpRelease:
		f.say(a.conn, proto.AppendReleased(nil, a.token, key))
	case proto.OpKeep:
		f.say(a.conn, proto.AppendKept(nil, a.token, key))
	}
}

func (f *fakeReplica) Drain() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.draining = true
}

func (f *fakeReplica) Flush(now consensus.Mono, out *node.Output) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*out = node.Output{Wake: f.wake}
	f.flushed = append(f.flushed, now)
	if len(f.asked) > 0 && !f.inFlight {
		f.largest = max(f.largest, len(f.asked))
		f.deciding, f.asked = f.asked, nil
		f.seq++
		f.inFlight = true
		out.Writes = []consensus.Write{{Seq: f.seq}}
	}
	if f.draining && !f.inFlight && len(f.asked) == 0 && !f.stuck {
		for c := range f.waiting {
			f.say(c, proto.AppendError(nil, proto.NoLeader))
		}
		clear(f.waiting)
		out.Idle = true
	}
	for _, c := range f.order {
		if f.open[c] && len(f.out[c]) > 0 {
			out.Replies = append(out.Replies, node.Reply{Conn: c, Bytes: f.out[c]})
			delete(f.out, c)
		}
	}
	f.order = nil
	f.markDropped(out)
}

func (f *fakeReplica) markDropped(out *node.Output) {
	for i := range out.Replies {
		r := &out.Replies[i]
		r.Drop = f.dropKey != "" && bytes.Contains(r.Bytes, []byte(f.dropKey))
	}
}

// look returns what get reads, without a race.
func look[T any](f *fakeReplica, get func() T) T {
	f.mu.Lock()
	defer f.mu.Unlock()
	return get()
}

func (f *fakeReplica) keys() []string {
	return look(f, func() []string { return slices.Clone(f.log) })
}

// fakeStore remembers what was written; fail and hold change how.
type fakeStore struct {
	mu       sync.Mutex
	writes   int
	failures int
	lastSeq  uint64
	fail     error
	hold     chan struct{} // a write waits until it is closed
}

func (d *fakeStore) Write(ws []consensus.Write) error {
	d.mu.Lock()
	hold, fail := d.hold, d.fail
	d.mu.Unlock()
	if hold != nil {
		<-hold
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if fail != nil {
		d.failures++
		return fail
	}
	for i := range ws {
		if ws[i].Seq != d.lastSeq+1 {
			panic("BUG: writes out of order")
		}
		d.lastSeq = ws[i].Seq
	}
	d.writes++
	return nil
}
