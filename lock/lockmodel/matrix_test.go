package lockmodel

import (
	"strings"
	"testing"
)

// One claim for each cell of the matrix and each decision that fills it in,
// written from the specification by hand. See script for the notation.

func claim(t *testing.T, name, text string) {
	t.Helper()
	t.Run(name, func(t *testing.T) { t.Helper(); script(t, text) })
}

// claimBoth makes a claim of both regimes.
func claimBoth(t *testing.T, name, text string) {
	t.Helper()
	for _, regime := range []string{"lazy", "strict"} {
		claim(t, name+", "+regime, strings.ReplaceAll(text, "REGIME", regime))
	}
}

func TestAcquire(t *testing.T) {
	claimBoth(t, "a key that is not registered is granted", `
		0s start REGIME
		1s A c1 o7 w0 l10 k = A c1 o7 t1 k
		show k t1 o7 1s..11s`)
	claim(t, "in the lazy regime an expired key is taken over with a new token", `
		0s start lazy
		0s A c1 o1 w0 l10 k  = A c1 o1 t1 k
		10s A c2 o2 w0 l5 k  = A c2 o2 t2 k
		show k t2 o2 10s..15s`)
	claimBoth(t, "a valid holder and wait 0 is a time-out", `
		0s start REGIME
		0s A c1 o1 w0 l10 k           = A c1 o1 t1 k
		9.999999999s A c2 o2 w0 l5 k  = T c2 o2 k
		show k t1 o1 0s..10s`)
	claimBoth(t, "a valid holder and a wait queues without an answer", `
		0s start REGIME
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		1s A c2 o2 w5 l3 k  =
		show k t1 o1 0s..10s <c2 until 6s`)
	claimBoth(t, "a waiter gets the key by a release, its lease from the grant on", `
		0s start REGIME
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		1s A c2 o2 w5 l3 k  =
		4s R c1 t1 k        = R c1 t1 k; A c2 o2 t2 k
		show k t2 o2 4s..7s`)
	claimBoth(t, "a waiter is timed out at the instant its wait is over", `
		0s start REGIME
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		1s A c2 o2 w5 l3 k  =
		5.999999999s        =
		6s                  = T c2 o2 k
		show k t1 o1 0s..10s`)
	claimBoth(t, "the same owner gets no special treatment", `
		0s start REGIME
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		1s A c1 o1 w0 l10 k = T c1 o1 k
		1s A c1 o1 w5 l10 k =
		2s R c1 t1 k        = R c1 t1 k; A c1 o1 t2 k`)
	claimBoth(t, "wait 0 waits without limit if the server says so", `
		0s start REGIME block
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		0s A c2 o2 w0 l10 k =
		show k t1 o1 0s..10s <c2 until never
		99999s              =
		99999s R c1 t1 k    = R c1 t1 k; A c2 o2 t2 k`)
	claimBoth(t, "the longest lease and wait are exact", `
		0s start REGIME
		0s A c1 o1 w0 l65535 k     = A c1 o1 t1 k
		0s A c2 o2 w65535 l65535 k =
		show k t1 o1 0s..18h12m15s <c2 until 18h12m15s
		65534.999999999s           =
		65535s                     = T c2 o2 k`)
}

func TestAcquireAtACap(t *testing.T) {
	claimBoth(t, "the queue of a key is full", `
		0s start REGIME perkey=1
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		0s A c2 o2 w5 l10 k; A c3 o3 w5 l10 k = B c3 o3 k
		show k t1 o1 0s..10s <c2 until 5s`)
	claimBoth(t, "the queues of all keys are full", `
		0s start REGIME waiters=1
		0s A c1 o1 w0 l10 k; A c1 o1 w0 l10 j = A c1 o1 t1 k; A c1 o1 t2 j
		0s A c2 o2 w5 l10 k; A c3 o3 w5 l10 j = B c3 o3 j`)
	claimBoth(t, "wait 0 is a time-out even where the queue is full", `
		0s start REGIME waiters=0 perkey=0
		0s A c1 o1 w0 l10 k; A c2 o2 w0 l10 k = A c1 o1 t1 k; T c2 o2 k`)
	claimBoth(t, "wait 0 is refused at a full queue where it waits without limit", `
		0s start REGIME block waiters=0
		0s A c1 o1 w0 l10 k; A c2 o2 w0 l10 k = A c1 o1 t1 k; B c2 o2 k`)
	claimBoth(t, "a new key is refused at the cap on keys", `
		0s start REGIME keys=1
		0s A c1 o1 w0 l10 k; A c2 o2 w0 l10 j; A c3 o3 w5 l10 j = A c1 o1 t1 k; B c2 o2 j; B c3 o3 j
		show k t1 o1 0s..10s`)
	claim(t, "in the lazy regime, at the cap, the key that expired first makes room, and no other", `
		0s start lazy keys=3
		0s A c1 o1 w0 l3 a; A c1 o1 w0 l2 b; A c1 o1 w0 l2 c = A c1 o1 t1 a; A c1 o1 t2 b; A c1 o1 t3 c
		3s A c2 o2 w0 l9 d = A c2 o2 t4 d
		show a t1 o1 0s..3s; c t3 o1 0s..2s; d t4 o2 3s..12s`)
	claim(t, "in the lazy regime as many make room as it takes after the cap was lowered", `
		0s start lazy keys=4
		0s A c1 o1 w0 l1 a; A c1 o1 w0 l1 b; A c1 o1 w0 l9 c = A c1 o1 t1 a; A c1 o1 t2 b; A c1 o1 t3 c
		1s start lazy keys=2
		1s A c2 o2 w0 l9 d = A c2 o2 t4 d
		show c t3 o1 0s..9s; d t4 o2 1s..10s`)
	claimBoth(t, "an expired key with waiters does not make room", `
		0s start REGIME keys=1
		0s A c1 o1 w0 l1 a; A c2 o2 w9 l1 a = A c1 o1 t1 a
		1s A c3 o3 w0 l9 b = B c3 o3 b`)
	claim(t, "in the strict regime an expired key does not make room", `
		0s start strict keys=1
		0s A c1 o1 w0 l1 a = A c1 o1 t1 a
		1s A c3 o3 w0 l9 b = B c3 o3 b`)
	claim(t, "a take-over is never refused for a cap", `
		0s start lazy keys=2 waiters=1
		0s A c1 o1 w0 l1 a; A c1 o1 w0 l1 b; A c2 o2 w9 l1 a = A c1 o1 t1 a; A c1 o1 t2 b
		1s start lazy keys=0 waiters=0 perkey=0
		1s A c3 o3 w0 l9 a; A c3 o3 w9 l9 b = A c3 o3 t3 a; A c3 o3 t4 b`)
	claimBoth(t, "a hand-off is never refused for a cap", `
		0s start REGIME keys=1
		0s A c1 o1 w0 l1 a; A c2 o2 w9 l1 a = A c1 o1 t1 a
		1s R c1 t1 a = R c1 t1 a; A c2 o2 t2 a`)
}

func TestRelease(t *testing.T) {
	claimBoth(t, "the right token hands the key to the front waiter", `
		0s start REGIME
		0s A c1 o1 w0 l10 k; A c2 o2 w9 l1 k; A c3 o3 w9 l1 k = A c1 o1 t1 k
		1s R c1 t1 k = R c1 t1 k; A c2 o2 t2 k
		show k t2 o2 1s..2s <c3 until 9s`)
	claimBoth(t, "the right token without waiters deletes the key", `
		0s start REGIME
		0s A c1 o1 w0 l10 k; R c1 t1 k = A c1 o1 t1 k; R c1 t1 k
		show`)
	claimBoth(t, "a wrong token changes nothing", `
		0s start REGIME
		0s A c1 o1 w0 l10 k; A c2 o2 w9 l1 k = A c1 o1 t1 k
		1s R c1 t2 k; R c1 t0 k = N c1 t2 k; N c1 t0 k
		show k t1 o1 0s..10s <c2 until 9s`)
	claimBoth(t, "a key that is not registered is not held", `
		0s start REGIME
		0s R c1 t1 k = N c1 t1 k
		0s A c1 o1 w0 l10 k; R c1 t1 k; R c1 t1 k = A c1 o1 t1 k; R c1 t1 k; N c1 t1 k`)
	claimBoth(t, "any connection may release", `
		0s start REGIME tie
		0s A c1 o1 w0 l10 k; R c2 t1 k = A c1 o1 t1 k; R c2 t1 k`)
	claimBoth(t, "those whose wait is over are passed over and told so", `
		0s start REGIME
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		0s A c2 o2 w1 l1 k; A c3 o3 w1 l1 k; A c4 o4 w1 l1 k; A c5 o5 w3 l1 k; A c6 o6 w1 l1 k =
		2s R c1 t1 k = T c2 o2 k; T c3 o3 k; R c1 t1 k; T c4 o4 k; A c5 o5 t2 k
		show k t2 o5 2s..3s <c6 until 1s`)
	claimBoth(t, "a key is free if every wait is over", `
		0s start REGIME
		0s A c1 o1 w0 l10 k; A c2 o2 w1 l1 k; A c3 o3 w1 l1 k; A c4 o4 w1 l1 k = A c1 o1 t1 k
		2s R c1 t1 k = T c2 o2 k; T c3 o3 k; R c1 t1 k; T c4 o4 k
		show`)
	claimBoth(t, "an expired key that nothing has freed is released", `
		0s start REGIME
		0s A c1 o1 w0 l1 k; A c2 o2 w9 l1 k = A c1 o1 t1 k
		5s R c1 t1 k = R c1 t1 k; A c2 o2 t2 k
		7s R c1 t2 k = R c1 t2 k`)
}

func TestKeep(t *testing.T) {
	claimBoth(t, "the deadline becomes the later one", `
		0s start REGIME
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		1s K c1 t1 l8 k     = K c1 t1 k
		show k t1 o1 0s..10s
		3s K c2 t1 l8 k     = K c2 t1 k
		show k t1 o1 0s..11s`)
	claimBoth(t, "a wrong token or a free key is not held", `
		0s start REGIME
		0s A c1 o1 w0 l10 k = A c1 o1 t1 k
		1s K c1 t2 l60 k; K c1 t1 l60 j = N c1 t2 k; N c1 t1 j
		show k t1 o1 0s..10s`)
	claimBoth(t, "an expired key is not held by its token", `
		0s start REGIME
		0s A c1 o1 w0 l1 k             = A c1 o1 t1 k
		0.999999999s K c1 t1 l1 k      = K c1 t1 k
		1.999999999s K c1 t1 l9 k      = N c1 t1 k
		show k t1 o1 0s..1.999999999s`)
}

func TestExpiry(t *testing.T) {
	claimBoth(t, "Expire hands an expired key to the front waiter", `
		0s start REGIME
		0s A c1 o1 w0 l1 k; A c2 o2 w9 l5 k = A c1 o1 t1 k
		1s E t1 k = A c2 o2 t2 k
		show k t2 o2 1s..6s`)
	claimBoth(t, "Expire frees an expired key that nobody waits for", `
		0s start REGIME
		0s A c1 o1 w0 l1 k = A c1 o1 t1 k
		1s E t1 k =
		show`)
	claimBoth(t, "Expire passes over those whose wait is over", `
		0s start REGIME
		0s A c1 o1 w0 l2 k; A c2 o2 w1 l5 k; A c3 o3 w1 l5 k; A c4 o4 w1 l5 k; A c5 o5 w9 l5 k = A c1 o1 t1 k
		2s E t1 k = T c2 o2 k; T c3 o3 k; T c4 o4 k; A c5 o5 t2 k`)
	claimBoth(t, "Expire does nothing early, for another token, or after a keep", `
		0s start REGIME
		0s A c1 o1 w0 l1 k; A c2 o2 w9 l5 k = A c1 o1 t1 k
		0.999999999s E t1 k =
		0.999999999s K c1 t1 l1 k = K c1 t1 k
		1s E t1 k; E t2 k; E t1 j =
		show k t1 o1 0s..1.999999999s <c2 until 9s`)
	claim(t, "lazy: who comes first takes over, the waiters keep their places", `
		0s start lazy
		0s A c1 o1 w0 l1 k; A c2 o2 w9 l5 k; A c3 o3 w9 l5 k = A c1 o1 t1 k
		1s A c4 o4 w7 l2 k = A c4 o4 t2 k
		show k t2 o4 1s..3s <c2 until 9s <c3 until 9s
		1s E t1 k =
		3s E t2 k = A c2 o2 t3 k`)
	claim(t, "strict: past its deadline a key is held until Expire", `
		0s start strict
		0s A c1 o1 w0 l1 k                     = A c1 o1 t1 k
		2s A c2 o2 w0 l5 k; A c3 o3 w9 l5 k    = T c2 o2 k
		show k t1 o1 0s..1s <c3 until 11s
		2s E t1 k                              = A c3 o3 t2 k`)
}

func TestTimeouts(t *testing.T) {
	claimBoth(t, "they come by deadline, then by arrival, so many an entry", `
		0s start REGIME
		0s A c1 o1 w0 l10 k; A c1 o1 w0 l10 j = A c1 o1 t1 k; A c1 o1 t2 j
		0s A c2 o2 w2 l1 k; A c3 o3 w1 l1 j; A c4 o4 w1 l1 k; A c5 o5 w1 l1 j =
		2s = T c3 o3 j; T c4 o4 k
		2s A c6 o6 w0 l1 k = T c5 o5 j; T c2 o2 k; T c6 o6 k
		2s =`)
	claimBoth(t, "a waiter that was timed out never holds the key", `
		0s start REGIME
		0s A c1 o1 w0 l1 k; A c2 o2 w1 l5 k = A c1 o1 t1 k
		1s E t1 k = T c2 o2 k
		show`)
	claimBoth(t, "a waiter that is overdue but not told still counts for the caps", `
		0s start REGIME perkey=3
		0s A c1 o1 w0 l9 k; A c2 o2 w1 l1 k; A c3 o3 w1 l1 k; A c4 o4 w1 l1 k = A c1 o1 t1 k
		1s A c5 o5 w9 l1 k; A c6 o6 w9 l1 k; A c7 o7 w9 l1 k = T c2 o2 k; T c3 o3 k; B c7 o7 k`)
}

func TestGone(t *testing.T) {
	claimBoth(t, "its waiters leave all queues without an answer", `
		0s start REGIME
		0s A c1 o1 w0 l9 k; A c1 o1 w0 l9 j = A c1 o1 t1 k; A c1 o1 t2 j
		0s A c2 o2 w9 l1 k; A c3 o3 w9 l1 k; A c2 o4 w9 l1 j; A c2 o5 w9 l1 k =
		1s G c2 =
		show k t1 o1 0s..9s <c3 until 9s; j t2 o1 0s..9s`)
	claimBoth(t, "its keys outlive it", `
		0s start REGIME
		0s A c1 o1 w0 l9 k; G c1 = A c1 o1 t1 k
		show k t1 o1 0s..9s`)
	claimBoth(t, "tied keys are handed on in the order of their grants, its own waiters left out", `
		0s start REGIME tie
		0s A c1 o1 w0 l9 b; A c1 o1 w0 l9 a; A c2 o2 w0 l9 d; A c1 o1 w0 l9 c = A c1 o1 t1 b; A c1 o1 t2 a; A c2 o2 t3 d; A c1 o1 t4 c
		0s A c1 o1 w9 l5 a; A c2 o2 w9 l5 a; A c2 o2 w9 l5 b =
		1s G c1 = A c2 o2 t5 b; A c2 o2 t6 a
		show d t3 o2 0s..9s; b t5 o2 1s..6s; a t6 o2 1s..6s`)
	claim(t, "a key is tied to the connection of its last grant", `
		0s start lazy tie
		0s A c1 o1 w0 l1 k; A c2 o2 w0 l9 j; A c3 o3 w9 l9 j = A c1 o1 t1 k; A c2 o2 t2 j
		1s A c4 o4 w0 l9 k; R c2 t2 j = A c4 o4 t3 k; R c2 t2 j; A c3 o3 t4 j
		2s G c1; G c2 =
		2s G c4; G c3 =
		show`)
}

func TestStart(t *testing.T) {
	claimBoth(t, "waiters leave, ties are cut, keys keep their deadlines", `
		0s start REGIME tie
		0s A c1 o1 w0 l9 k; A c2 o2 w1 l9 k = A c1 o1 t1 k
		5s start REGIME tie
		show k t1 o1 0s..9s
		6s G c1 =
		9s E t1 k =
		show`)
	claim(t, "its settings are in force", `
		0s start strict
		0s A c1 o1 w0 l1 k = A c1 o1 t1 k
		1s A c2 o2 w0 l1 k = T c2 o2 k
		1s start lazy
		1s A c2 o2 w0 l1 k = A c2 o2 t2 k`)
	claimBoth(t, "the seed counts until a token was issued", `
		0s start REGIME seed=100
		0s start REGIME seed=200
		0s A c1 o1 w0 l1 k; R c1 t201 k = A c1 o1 t201 k; R c1 t201 k
		0s start REGIME seed=900
		0s A c1 o1 w0 l1 k = A c1 o1 t202 k`)
	claim(t, "tokens rise over keys that were freed", `
		0s start lazy keys=1
		0s A c1 o1 w0 l1 k; R c1 t1 k; A c1 o1 w0 l1 k = A c1 o1 t1 k; R c1 t1 k; A c1 o1 t2 k
		1s A c1 o1 w0 l1 j = A c1 o1 t3 j`)
}

func TestShownDeadlines(t *testing.T) {
	m := New(2)
	m.Start(0, Settings{MaxKeys: 9, MaxWaiters: 9, MaxWaitersPerKey: 9})
	m.Apply(0, parseBatch(t, "A c1 o1 w0 l3 a; A c1 o1 w0 l2 b; A c1 o1 w0 l2 c; A c2 o2 w7 l1 a; A c3 o3 w6 l1 c"))
	type deadlines struct {
		wait, expiry, waited uint64
		all, some            string
	}
	var got deadlines
	got.wait, _ = m.NextWait()
	got.expiry, _ = m.NextExpiry(false)
	got.waited, _ = m.NextExpiry(true)
	got.all = joined(m.Expires(3*second, false, 2), commandText)
	got.some = joined(m.Expires(3*second, true, 9), commandText)
	want := deadlines{6 * second, 2 * second, 2 * second, "E t2 b; E t3 c", "E t3 c; E t1 a"}
	if got != want {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	m.Start(0, Settings{})
	if at, ok := m.NextWait(); ok {
		t.Fatalf("next wait %d without waiters", at)
	}
	if at, ok := m.NextExpiry(true); ok {
		t.Fatalf("next expiry with waiters %d without waiters", at)
	}
}
