package node

import (
	"testing"

	"ticketing/consensus"
	"ticketing/lock"
	"ticketing/proto"
)

func TestAnAnswerWaitsForTheDisk_Decision19(t *testing.T) {
	r := newReplica(t)
	c := r.node.Open()
	r.acquire(c, "k", 0, 5, 7)
	r.flush()
	r.flush()
	r.expect(c, "")
	r.sync()
	r.flush()
	r.expect(c, "A 1001 7 k")
}

func TestWhatComesDuringAWriteBecomesOneEntry(t *testing.T) {
	r := newReplica(t)
	c := r.node.Open()
	r.acquire(c, "a", 0, 5, 1)
	r.flush()
	for i := range 5 {
		r.acquire(c, "b", 9, 5, uint64(i))
		r.flush()
	}
	r.sync()
	before := r.node.Digest().Slot
	r.settle()
	if got := r.node.Digest().Slot - before; got != 2 {
		t.Errorf("%d entries, want 2: the one that was on its way, and one for all that waited", got)
	}
}

func TestRepliesOfARoundAreOneBufferPerConnection(t *testing.T) {
	r := newReplica(t)
	a, b := r.node.Open(), r.node.Open()
	r.acquire(a, "x", 0, 5, 1)
	r.acquire(b, "x", 0, 5, 2)
	r.acquire(a, "y", 0, 5, 3)
	r.flush()
	r.sync()
	r.flush()
	if len(r.out.Replies) != 2 {
		t.Errorf("%d buffers for 2 connections", len(r.out.Replies))
	}
	r.expect(a, "A 1001 1 x, A 1002 3 y")
	r.expect(b, "T 2 x")
}

func TestAGrantToAConnectionThatIsGoneGoesBack_Decision12(t *testing.T) {
	r := newReplica(t)
	a, b := r.node.Open(), r.node.Open()
	r.acquire(a, "k", 0, 60, 1)
	r.flush()
	r.node.Gone(a, nil)
	r.acquire(b, "k", 5, 60, 2)
	r.settle()
	r.expect(b, "A 1002 2 k")
}

func TestAnUnsentGrantGoesBack_Decision12(t *testing.T) {
	r := newReplica(t)
	a, b := r.node.Open(), r.node.Open()
	r.acquire(a, "k", 0, 60, 1)
	r.settle()
	unsent := proto.AppendReleased([]byte("\n"), 5, []byte("other"))
	unsent = proto.AppendAcquired(unsent, 1001, 1, []byte("k"))
	r.node.Gone(a, unsent)
	r.acquire(b, "k", 0, 60, 2)
	r.settle()
	r.expect(b, "A 1002 2 k")
}

func TestADeliveredGrantOutlivesItsConnection_Decision13(t *testing.T) {
	r := newReplica(t)
	a, b := r.node.Open(), r.node.Open()
	r.acquire(a, "k", 0, 60, 1)
	r.settle()
	r.expect(a, "A 1001 1 k")
	r.node.Gone(a, nil)
	r.acquire(b, "k", 0, 60, 2)
	r.settle()
	r.expect(b, "T 2 k")
}

func TestWaitersLeaveWithTheirConnectionAndItsReleasesTakeEffect_Decision12(t *testing.T) {
	r := newReplica(t)
	a, b, c := r.node.Open(), r.node.Open(), r.node.Open()
	r.acquire(a, "k", 0, 60, 1)
	r.settle()
	r.acquire(b, "k", 60, 60, 2)
	r.settle()
	r.acquire(c, "k", 60, 60, 3)
	r.settle()
	r.node.Gone(b, nil)
	r.release(a, "k", 1001)
	r.node.Gone(a, nil)
	r.settle()
	r.expect(c, "A 1002 3 k")
}

func TestOverTheInflightCapAnAcquireIsBusyAndAReleaseIsTaken_Decision2(t *testing.T) {
	r := newReplica(t, func(c *Config) { c.MaxInflight = 2 })
	holder, c := r.node.Open(), r.node.Open()
	r.acquire(holder, "k", 0, 60, 1)
	r.settle()
	r.acquire(c, "k", 60, 60, 2)
	r.acquire(c, "k", 60, 60, 3)
	r.acquire(c, "k", 60, 60, 4)
	r.release(c, "k", 1001)
	r.flush()
	r.expect(c, "B 4 k")
	r.settle()
	r.expect(c, "R 1001 k, A 1002 2 k")
}

func TestAConnectionThatCostsTooMuchIsDropped_Decision14(t *testing.T) {
	r := newReplica(t, func(c *Config) { c.MaxInflight = 2 })
	c := r.node.Open()
	for range 2*dropFactor + 1 {
		r.release(c, "k", 9)
	}
	r.flush()
	r.expect(c, "drop")
}

func TestALeaseEndsAtItsDeadlineForAWaiter_Decision7(t *testing.T) {
	r := newReplica(t)
	a, b := r.node.Open(), r.node.Open()
	r.acquire(a, "k", 0, 3, 1)
	r.settle()
	r.acquire(b, "k", 60, 3, 2)
	r.settle()
	r.pass(3*second - 1)
	r.expect(b, "")
	r.pass(1)
	r.expect(b, "A 1002 2 k")
}

func TestAWaitEndsAtItsTime_Decision5(t *testing.T) {
	r := newReplica(t)
	a, b := r.node.Open(), r.node.Open()
	r.acquire(a, "k", 0, 60, 1)
	r.settle()
	r.acquire(b, "k", 2, 60, 2)
	r.settle()
	r.pass(2*second - 1)
	r.expect(b, "")
	r.pass(1)
	r.expect(b, "T 2 k")
}

func TestTheSweepComesEveryFiveSeconds_Decision17(t *testing.T) {
	r := newReplica(t) // at 50 s: the next sweeps are at 55 s, 60 s, …
	c := r.node.Open()
	r.acquire(c, "k", 0, 1, 1)
	r.settle()
	r.pass(4 * second)
	if keys := r.node.Status().Keys; keys != 1 {
		t.Fatalf("%d keys before the sweep", keys)
	}
	r.release(c, "k", 1001) // expired and not swept: R, as the matrix says
	r.settle()
	r.expect(c, "A 1001 1 k, R 1001 k")
	r.acquire(c, "l", 0, 1, 2)
	r.settle()
	r.pass(6 * second)
	if keys := r.node.Status().Keys; keys != 0 {
		t.Errorf("%d keys after the sweep", keys)
	}
	r.release(c, "l", 1002)
	r.settle()
	r.expect(c, "A 1002 2 l, N 1002 l")
}

func TestAMillionExpiredKeysAreSweptInSlices_Decision17(t *testing.T) {
	r := newReplica(t, func(c *Config) { c.Settings.MaxKeys = 1 << 20; c.MaxInflight = 1 << 20 })
	c := r.node.Open()
	keys := 3*expiresPerEntry + 17
	for i := range keys {
		r.acquire(c, string(rune('a'+i%26))+string(rune(0x4e00+i)), 0, 1, uint64(i))
	}
	r.settle()
	before := r.node.Digest().Slot
	r.pass(5 * second)
	if got := r.node.Status().Keys; got != 0 {
		t.Errorf("%d keys left", got)
	}
	if got := r.node.Digest().Slot - before; got < 4 {
		t.Errorf("all of them went in %d entries", got)
	}
}

func TestTimeIsLoggedOnceASecondWhileALeaseRuns_Decision16(t *testing.T) {
	r := newReplica(t)
	c := r.node.Open()
	before := r.node.Digest().Slot
	r.pass(10 * second)
	if got := r.node.Digest().Slot - before; got != 0 {
		t.Errorf("%d entries while nobody depends on time", got)
	}
	r.acquire(c, "k", 0, 60, 1)
	r.settle()
	before = r.node.Digest().Slot
	r.pass(10 * second)
	if got := r.node.Digest().Slot - before; got != 10 {
		t.Errorf("%d entries in 10 s, want 10", got)
	}
}

func TestARestartKeepsHoldersAndForgetsWaiters_Decision19(t *testing.T) {
	r := newReplica(t)
	a, b := r.node.Open(), r.node.Open()
	r.acquire(a, "k", 0, 10, 1)
	r.settle()
	r.acquire(b, "k", 60, 10, 2)
	r.settle()
	r.pass(4 * second)
	r.now += 1000 * second // the server is down: log time stands still
	r.reopen()
	if st := r.node.Status(); st.Keys != 1 || st.Waiters != 0 {
		t.Fatalf("after a restart there are %d keys and %d waiters", st.Keys, st.Waiters)
	}
	c := r.node.Open()
	r.acquire(c, "k", 60, 10, 3)
	r.settle()
	r.pass(5 * second)
	r.expect(c, "")
	r.pass(2 * second) // at most what passed since the last entry is added
	r.expect(c, "A 1002 3 k")
}

func TestSettingsChangeWithARestartAndNotInReplay_Decision3(t *testing.T) {
	r := newReplica(t)
	c := r.node.Open()
	r.acquire(c, "a", 0, 60, 1)
	r.acquire(c, "b", 0, 60, 2)
	r.settle()
	r.reopen(func(c *Config) { c.Settings.MaxKeys = 1 })
	if st := r.node.Status(); st.Keys != 2 {
		t.Fatalf("replay under other flags left %d keys of 2", st.Keys)
	}
	d := r.node.Open()
	r.acquire(d, "c", 0, 60, 3)
	r.settle()
	r.expect(d, "B 3 c")
}

func TestDrainAnswersWhatWasTakenInAndTurnsAwayTheRest_Decision22(t *testing.T) {
	r := newReplica(t)
	a, b, c := r.node.Open(), r.node.Open(), r.node.Open()
	r.acquire(a, "k", 0, 60, 1)
	r.settle()
	r.acquire(b, "k", 60, 60, 2) // will wait
	r.settle()
	r.acquire(a, "l", 0, 60, 3) // taken in, not proposed
	r.node.Drain()
	r.acquire(c, "m", 0, 60, 4)
	r.flush()
	if r.out.Idle {
		t.Error("idle with an entry on its way")
	}
	r.settle()
	r.expect(a, "A 1001 1 k, A 1002 3 l")
	r.expect(b, "E no_leader")
	r.expect(c, "E not_active")
	if !r.out.Idle {
		t.Error("not idle when all is done")
	}
}

func TestNoAnswerWithoutTheLead_Decision25(t *testing.T) {
	cfg := Config{
		Consensus:   consensus.Config{Node: 1, Members: 3, Heartbeat: second / 10, ElectionTimeout: second / 2},
		Settings:    lock.Settings{Version: 1, MaxKeys: 1, MaxWaiters: 1, MaxWaitersPerKey: 1},
		MaxInflight: 1, Addresses: []string{"a:1", "b:2", "c:3"},
	}
	n, err := New(cfg, consensus.Recovered{}, nil, second)
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{t: t, node: n, now: second, got: map[Conn][]string{}}
	c := n.Open()
	r.acquire(c, "k", 0, 5, 1)
	r.release(c, "k", 1)
	r.flush()
	r.expect(c, "E no_leader, E no_leader")
}

func TestEveryMultipleOf1024SlotsHasADigest_Decision29(t *testing.T) {
	r := newReplica(t)
	c := r.node.Open()
	for range 10 * digestInterval {
		r.release(c, "k", 1)
		r.settle()
	}
	d := r.node.Status().Digests
	if len(d) != digestsKept {
		t.Fatalf("%d digests kept", len(d))
	}
	for i := range d {
		if d[i].Slot%digestInterval != 0 || i > 0 && d[i].Slot != d[i-1].Slot+digestInterval {
			t.Errorf("digest of slot %d after that of %d", d[i].Slot, d[max(i-1, 0)].Slot)
		}
	}
}
