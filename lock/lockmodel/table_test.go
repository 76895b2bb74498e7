package lockmodel

import (
	"bytes"
	"fmt"
	"strings"

	"ticketing/lock"
)

// table is package lock's side of a duel.
type table struct {
	t       *lock.Table
	reading *reading // nil: none
}

func newTable() subject { return &table{t: lock.New()} }

// reading is a snapshot that is being read, while the table goes on.
type reading struct {
	snapshot  *lock.Snapshot
	chunkSize int
	digest    uint64 // of the table when it began, as are
	records   int    // its keys and waiters
	chunks    [][]byte
	since     []step
}

func (b *table) play(s step) []Outcome {
	if s.snapshot > 0 {
		b.snapshot(s.snapshot)
	}
	outcomes := enter(b.t, s)
	if b.reading != nil {
		b.reading.since = append(b.reading.since, s)
		b.readOn()
	}
	return outcomes
}

// enter applies one step to t.
func enter(t *lock.Table, s step) (outcomes sink) {
	if s.start != nil {
		t.Start(lock.Time(s.now), settingsOf(*s.start))
		return nil
	}
	t.Apply(lock.Time(s.now), encode(nil, s.batch), &outcomes)
	return outcomes
}

func settingsOf(s Settings) lock.Settings {
	return lock.Settings{
		Version:          lock.Version,
		MaxKeys:          s.MaxKeys,
		MaxWaiters:       s.MaxWaiters,
		MaxWaitersPerKey: s.MaxWaitersPerKey,
		WaitZeroBlocks:   s.WaitZeroBlocks,
		ReleaseOnGone:    s.ReleaseOnGone,
		Lazy:             s.Lazy,
		TokenSeed:        s.TokenSeed,
	}
}

// encode appends commands as package lock puts them into a log entry.
func encode(b []byte, commands []Command) []byte {
	for _, c := range commands {
		key := []byte(c.Key)
		switch c.Op {
		case Acquire:
			b = lock.AppendAcquire(b, lock.Conn(c.Conn), c.Owner, c.Wait, c.Lease, key)
		case Release:
			b = lock.AppendRelease(b, lock.Conn(c.Conn), c.Token, key)
		case Keep:
			b = lock.AppendKeep(b, lock.Conn(c.Conn), c.Token, c.Lease, key)
		case Gone:
			b = lock.AppendGone(b, lock.Conn(c.Conn))
		case Expire:
			b = lock.AppendExpire(b, c.Token, key)
		}
	}
	return b
}

// decode is the way back.
func decode(batch []byte) (commands []Command) {
	decoded, err := lock.Decode(batch)
	if err != nil {
		panic(err)
	}
	for _, c := range decoded {
		op := Op(1 + strings.IndexByte("ARKGE", c.Op))
		commands = append(commands, Command{op, uint64(c.Conn), c.Owner, c.Token, c.Wait, c.Lease, c.Key})
	}
	return commands
}

// sink collects outcomes in the model's words.
type sink []Outcome

func (s *sink) Outcome(o *lock.Outcome) {
	*s = append(*s, Outcome{Verdict(o.Verdict), uint64(o.Conn), o.Owner, o.Token, string(o.Key)})
}

// snapshot begins one; one that is still being read is given up.
func (b *table) snapshot(chunkSize int) {
	if b.reading != nil {
		b.reading.snapshot.Close()
	}
	b.reading = &reading{
		snapshot:  b.t.Snapshot(),
		chunkSize: chunkSize,
		digest:    b.t.Digest(),
		records:   b.t.Keys() + b.t.Waiters(),
	}
}

// recordMax is more bytes than a chunk may have above what was asked for: one
// key and some numbers.
const recordMax = lock.KeyMax + 100

// readOn reads a chunk. After the last, the table that grows out of the chunks
// and of what was applied since takes the place of the old one.
func (b *table) readOn() {
	r := b.reading
	chunk, last := r.snapshot.Next(r.chunkSize)
	r.chunks = append(r.chunks, bytes.Clone(chunk))
	if len(chunk) > r.chunkSize+recordMax || len(r.chunks) > r.records+1 {
		panic(fmt.Sprintf("chunk %d of %d bytes, for %d records in chunks of %d", len(r.chunks), len(chunk), r.records, r.chunkSize))
	}
	if !last {
		return
	}
	grown := r.restore()
	for _, s := range r.since {
		enter(grown, s)
	}
	if grown.Digest() != b.t.Digest() {
		panic(fmt.Sprintf("the digest is %x after a restore and %d entries, %x without", grown.Digest(), len(r.since), b.t.Digest()))
	}
	b.t, b.reading = grown, nil
}

// restore makes a table of the chunks, and checks that it has the digest of
// the one they are of and gives the same chunks.
func (r *reading) restore() *lock.Table {
	restorer := lock.NewRestorer()
	for _, chunk := range r.chunks {
		if err := restorer.Add(chunk); err != nil {
			panic(err)
		}
	}
	t, err := restorer.Table()
	if err != nil {
		panic(err)
	}
	if t.Digest() != r.digest {
		panic(fmt.Sprintf("the digest is %x after a restore, %x before", t.Digest(), r.digest))
	}
	snapshot := t.Snapshot()
	for i, want := range r.chunks {
		got, last := snapshot.Next(r.chunkSize)
		if !bytes.Equal(got, want) || last != (i == len(r.chunks)-1) {
			panic(fmt.Sprintf("chunk %d of %d is %x, after a restore %x", i+1, len(r.chunks), want, got))
		}
	}
	return t
}

func (b *table) view(p probe) view {
	t := b.t
	v := view{
		Keys:             t.Keys(),
		Waiters:          t.Waiters(),
		LastToken:        t.LastToken(),
		NextWait:         instantOf(t.NextWait()),
		NextExpiry:       instantOf(t.NextExpiry(false)),
		NextWaitedExpiry: instantOf(t.NextExpiry(true)),
	}
	t.List(func(h *lock.Held) bool {
		v.Held = append(v.Held, held{h.Key, h.Token, h.Owner, uint64(h.Granted), uint64(h.Deadline), h.Waiters})
		return true
	})
	before := []byte("what was there")
	after, n := t.AppendExpires(before, lock.Time(p.now), p.onlyWaited, p.limit)
	expires, whole := bytes.CutPrefix(after, before)
	v.Expires = decode(expires)
	if !whole || n != len(v.Expires) {
		panic(fmt.Sprintf("AppendExpires says %d, gives %q", n, after))
	}
	return v
}

func instantOf(at lock.Time, known bool) instant { return instant{uint64(at), known} }
