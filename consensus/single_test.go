package consensus

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// single is a log with one member and its disk.
type single struct {
	core *Core
	disk disk
	out  Output
	now  Mono
	got  []Chosen // everything handed out by this process
}

func newSingle(snapshotBytes uint64) *single {
	s := &single{now: 1000}
	s.start(snapshotBytes)
	return s
}

func (s *single) start(snapshotBytes uint64) {
	s.got = nil
	s.core = New(Config{Node: 1, Members: 1, Start: []byte("settings"), SnapshotBytes: snapshotBytes}, s.disk.crash(), s.now)
	s.take()
}

func (s *single) take() {
	s.core.Take(&s.out)
	s.disk.add(s.out.Writes)
	s.got = append(s.got, s.out.Chosen...)
}

// sync makes everything durable and takes what comes of it.
func (s *single) sync() {
	s.core.Persisted(s.disk.sync(len(s.disk.waiting)))
	s.take()
}

func (s *single) propose(payload string) Slot {
	s.now += 10
	s.core.Tick(s.now)
	slot := s.core.Propose([]byte(payload))
	s.take()
	return slot
}

func (s *single) log() string {
	var b bytes.Buffer
	for _, ch := range s.got {
		fmt.Fprintf(&b, "%d@%d:%s:%v ", ch.Slot, ch.Now, ch.Payload, ch.Effective)
	}
	return b.String()
}

func TestSingleAnswersNothingBeforeItIsDurable(t *testing.T) {
	s := newSingle(0)
	if !s.core.Leading() || s.core.Ready() {
		t.Fatal("a single member leads from the start, and waits for its first write")
	}
	if len(s.got) != 0 {
		t.Fatalf("handed out before anything was durable: %v", s.got)
	}
	s.sync()
	if got := s.log(); got != "1@0:settings:true " {
		t.Fatalf("after the first sync: %s", got)
	}
	s.propose("a")
	if s.core.Ready() || len(s.got) != 1 {
		t.Fatalf("one write at a time, and nothing out before it is durable: %s", s.log())
	}
	s.sync()
	if got := s.log(); got != "1@0:settings:true 2@10:a:true " {
		t.Fatalf("after the second sync: %s", got)
	}
}

func TestSingleTakesAHigherBallotAtEachStart(t *testing.T) {
	s := newSingle(0)
	var last Ballot
	for range 5 {
		b := s.core.State().Ballot
		if !last.Less(b) {
			t.Fatalf("ballot %v after %v", b, last)
		}
		last = b
		s.sync()
		if s.disk.state.promised != b {
			t.Fatalf("durable promise %v, ballot %v", s.disk.state.promised, b)
		}
		s.start(0)
	}
}

func TestSingleLosesOnlyWhatWasNotDurable(t *testing.T) {
	s := newSingle(0)
	s.sync()
	s.propose("kept")
	s.disk.sync(len(s.disk.waiting))
	s.start(0) // durable, but the process died before it heard so
	s.sync()
	if got := s.log(); got != "1@0:settings:true 2@10:kept:true 3@10:settings:true " {
		t.Fatalf("after the restart: %s", got)
	}
	s.propose("lost")
	s.start(0)
	s.sync()
	if got := s.log(); got != "1@0:settings:true 2@10:kept:true 3@10:settings:true 4@10:settings:true " {
		t.Fatalf("after the second restart: %s", got)
	}
}

func TestSingleRewritesWhatIsAboveTheHintUnderItsOwnBallot(t *testing.T) {
	s := newSingle(0)
	s.sync()
	s.propose("a")
	s.disk.sync(len(s.disk.waiting))
	s.start(0)
	b := s.core.State().Ballot
	s.sync()
	for _, e := range s.disk.state.entries[1:] {
		if e.Ballot != b {
			t.Fatalf("entry %d is at %v, the leader's ballot is %v", e.Slot, e.Ballot, b)
		}
	}
	if e := s.disk.state.entries[1]; e.Ballot != b || e.Origin == b || string(e.Payload) != "a" {
		t.Fatalf("a value keeps its origin: %+v", e)
	}
}

func TestSingleHandsOutCommittedEntriesWithTheFirstTake(t *testing.T) {
	s := newSingle(0)
	s.sync()
	for i := range 4 {
		s.propose(fmt.Sprint(i))
		s.sync()
	}
	s.start(0)
	// The hint that rode on the write of slot 5 covers 1..4.
	if n := len(s.got); n != 4 || s.got[3].Slot != 4 {
		t.Fatalf("%d entries handed out by the first Take: %s", n, s.log())
	}
	s.sync()
	if n := len(s.got); n != 6 {
		t.Fatalf("%d entries handed out in all: %s", n, s.log())
	}
}

func TestSingleKeepsNothingInMemoryOnceItIsHandedOut(t *testing.T) {
	s := newSingle(0)
	s.sync()
	for range 1000 {
		s.propose("x")
		s.sync()
	}
	if s.core.log.count != 0 || s.core.log.bytes != 0 || len(s.core.log.ring) > 16 {
		t.Fatalf("%d entries of %d bytes in a ring of %d", s.core.log.count, s.core.log.bytes, len(s.core.log.ring))
	}
}

func TestSingleLogTimeStandsStillWhileTheServerIsDown(t *testing.T) {
	s := newSingle(0)
	s.sync()
	s.now += 500
	s.core.Tick(s.now)
	if got := s.core.LogTime(s.now + 7); got != 507 {
		t.Fatalf("log time %d", got)
	}
	if got := s.core.MonoAt(600); s.core.LogTime(got) != 600 || s.core.LogTime(got-1) >= 600 {
		t.Fatalf("MonoAt(600) = %d", got)
	}
	s.propose("a") // stamped 510
	s.sync()
	s.now = 17 // another boot: the clock has nothing to do with the old one
	s.start(0)
	s.sync()
	if got := s.core.State().Now; got != 510 {
		t.Fatalf("log time %d after the restart", got)
	}
	s.propose("b")
	s.sync()
	if got := s.core.State().Now; got != 520 {
		t.Fatalf("log time %d ten later", got)
	}
	if got := s.core.MonoAt(3); got != 17 {
		t.Fatalf("what is past is due at once, at the start of the reign: %d", got)
	}
}

func TestSingleSnapshots(t *testing.T) {
	s := newSingle(3 * entryOverhead)
	s.sync()
	s.propose("a")
	s.sync()
	if s.out.WantSnapshot {
		t.Fatal("asked for a snapshot too early")
	}
	s.propose("b")
	s.sync()
	if !s.out.WantSnapshot {
		t.Fatal("three entries and no snapshot")
	}
	mark, at := s.core.State().Mark, s.core.State().Now
	s.core.SnapshotChunk([]byte("chunk 0"), false)
	s.propose("c") // the log goes on meanwhile
	s.core.SnapshotChunk([]byte("chunk 1"), true)
	s.take()
	if s.out.WantSnapshot {
		t.Fatal("asked again while one is on its way")
	}
	s.sync()
	want := SnapshotMeta{Gen: 1, Slot: 3, Mark: mark, Now: at, Chunks: 2, Bytes: 14}
	if got := s.disk.state.snapshot; got == nil || *got != want {
		t.Fatalf("in force: %+v, want %+v", got, want)
	}
	if n := len(s.disk.state.entries); n != 1 {
		t.Fatalf("%d entries are left above the snapshot", n)
	}
	s.start(3 * entryOverhead)
	s.sync()
	if got := s.log(); got != "4@30:c:true 5@30:settings:true " {
		t.Fatalf("handed out above the snapshot: %s", got)
	}
}

func TestSingleCrashBetweenChunksLeavesTheOldSnapshot(t *testing.T) {
	s := newSingle(entryOverhead)
	s.sync()
	if !s.out.WantSnapshot {
		t.Fatal("no snapshot asked for")
	}
	s.core.SnapshotChunk([]byte("half"), false)
	s.take()
	s.sync()
	s.start(entryOverhead)
	if s.disk.state.snapshot != nil {
		t.Fatal("half a snapshot is in force")
	}
	if !s.core.SnapshotReady() {
		t.Fatal("no snapshot asked for after the restart")
	}
	s.core.SnapshotChunk([]byte("whole"), true)
	s.take()
	s.sync()
	if got := s.disk.state.chunks[ChunkRead{1, 0}]; string(got) != "whole" {
		t.Fatalf("chunk 0 is %q", got)
	}
}

func TestSingleSnapshotWaitsForASlowDisk(t *testing.T) {
	s := newSingle(entryOverhead)
	s.sync()
	n := 0
	for s.core.SnapshotReady() {
		s.core.SnapshotChunk([]byte{byte(n)}, false)
		n++
	}
	if n != maxChunksInFlight {
		t.Fatalf("%d chunks went out to a disk that answers nothing", n)
	}
	s.take()
	s.sync()
	if !s.core.SnapshotReady() {
		t.Fatal("not ready though all is durable")
	}
}

func TestSingleRandomCrashes(t *testing.T) {
	rng, done := seeded(t)
	defer done()
	for range 200 {
		s := newSingle(uint64(rng.IntN(6)) * entryOverhead)
		limit := s.core.cfg.SnapshotBytes
		var acked []string // payloads handed out, once for each slot
		base := 0          // slots covered by the snapshot at the last start
		for range 60 {
			switch rng.IntN(5) {
			case 0, 1:
				if s.core.Ready() {
					s.propose(fmt.Sprint(rng.Uint32()))
				}
			case 2, 3:
				n := rng.IntN(len(s.disk.waiting) + 1)
				if n > 0 {
					s.core.Persisted(s.disk.sync(n))
					s.take()
				}
			case 4:
				s.disk.sync(rng.IntN(len(s.disk.waiting) + 1))
				base = int(s.disk.state.first() - 1)
				s.start(limit)
			}
			if s.core.SnapshotReady() {
				s.core.SnapshotChunk([]byte("state"), rng.IntN(2) == 0)
				s.take()
			}
			acked = checkHistory(t, acked, s.got, base)
		}
	}
}

// checkHistory checks that a process hands out what earlier ones did.
func checkHistory(t *testing.T, acked []string, got []Chosen, base int) []string {
	t.Helper()
	for i, ch := range got {
		if ch.Slot != Slot(base+i+1) {
			t.Fatalf("slot %d handed out in place %d above %d", ch.Slot, i, base)
		}
		if n := int(ch.Slot); n <= len(acked) {
			if acked[n-1] != string(ch.Payload) {
				t.Fatalf("slot %d was %q and is %q", n, acked[n-1], ch.Payload)
			}
			continue
		}
		acked = append(slices.Clip(acked), string(ch.Payload))
	}
	return acked
}

func BenchmarkSingle(b *testing.B) {
	c := New(Config{Node: 1, Members: 1}, Recovered{}, 0)
	var out Output
	payload := make([]byte, 64)
	c.Take(&out)
	c.Persisted(1)
	c.Take(&out)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Tick(Mono(i))
		c.Propose(payload)
		c.Take(&out)
		c.Persisted(out.Writes[0].Seq)
		c.Take(&out)
	}
}
