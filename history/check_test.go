package history

import (
	"strings"
	"testing"
	"time"
)

// Rules of the stories.
var (
	strict = Rules{Slack: 100 * time.Millisecond}
	lazy   = Rules{Lazy: true, Slack: 100 * time.Millisecond}
	calm   = Rules{CalmFrom: 1, Slack: 100 * time.Millisecond}
)

// explained checks that a story is one that can have happened.
func explained(t *testing.T) func(name string, r Rules, story string) {
	return func(name string, r Rules, story string) {
		t.Helper()
		if got := Check(parseStory(t, story), r); got.Verdict != Explained {
			t.Errorf("%s: %v, key %q: %s", name, got.Verdict, got.Key, got.Why)
		}
	}
}

func TestRightStoriesAreExplained(t *testing.T) {
	f := explained(t)
	f("acquire, release, again", calm, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 1 k R/10  = R
		0.4 0.5 1 k R/10  = N
		0.6 0.7 2 k A/0/5 = A 11`)
	f("held, then timed out at once and after a wait", calm, `
		0.0 0.1 1 k A/0/9 = A 10
		0.2 0.3 2 k A/0/5 = T
		0.4 2.5 2 k A/2/5 = T
		2.6 2.7 1 k R/10  = R`)
	f("a waiter is served by the release; its lease runs from then", calm, `
		0.0 0.1 1 k A/0/9 = A 10
		0.2 4.1 2 k A/5/1 = A 11
		4.0 4.1 1 k R/10  = R
		4.5 4.6 3 k A/0/1 = T
		5.2 5.3 3 k A/0/1 = A 12`)
	f("a waiter is served when the lease is over", calm, `
		0.0 0.1 1 k A/0/2 = A 10
		0.2 2.1 2 k A/5/3 = A 11
		2.2 2.3 1 k R/10  = N
		2.4 2.5 1 k K/10/9 = N
		2.6 2.7 2 k R/11  = R`)
	f("kept longer, the lease is longer", calm, `
		0.0 0.1 1 k A/0/1 = A 10
		0.5 0.6 1 k K/10/3 = K
		3.0 3.1 2 k A/0/1 = T
		3.6 3.7 2 k A/0/1 = A 11`)
	f("a key past its lease may be held until somebody notices", strict, `
		0.0 0.1 1 k A/0/1 = A 10
		7.0 7.1 2 k A/0/1 = T
		8.0 8.1 1 k R/10  = R
		8.2 8.3 2 k A/0/1 = A 11`)
	f("in single mode the sweep may be late", Rules{Lazy: true, CalmFrom: 1, Slack: time.Second}, `
		0.0 0.1 1 k A/0/1 = A 10
		6.0 6.1 1 k R/10  = R`)
	f("an expired key is taken past the queue, in single mode", lazy, `
		0.0 0.1 1 k A/0/2 = A 10
		0.5 2.6 2 k A/9/5 = A 12
		0.6 0.7 2 k R/1   = N
		2.0 2.1 3 k A/0/5 = A 11
		2.4 2.5 3 k R/11  = R`)
	f("an unanswered acquire may hold the key", strict, `
		0.0 0.4 1 k A/0/5 = ?
		0.5 0.6 2 k A/0/5 = T
		0.7 0.8 2 k A/0/5 = A 11`)
	f("an unanswered release may have been one", strict, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 1 k R/10  = ?
		0.2 0.5 2 k A/0/5 = A 11
		0.6 0.7 1 k R/10  = N`)
}

func TestMoreRightStoriesAreExplained(t *testing.T) {
	f := explained(t)
	f("and may not have been one", strict, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 1 k R/10  = ?
		0.4 0.5 2 k A/0/5 = T
		0.6 0.7 1 k R/10  = R`)
	f("an unanswered keep may have been one", calm, `
		0.0 0.1 1 k A/0/1 = A 10
		0.5 0.6 1 k K/10/5 = ?
		3.0 3.1 2 k A/0/1 = T`)
	f("moved is as if it had never been", strict, `
		0.0 0.1 1 k A/0/5 = M
		0.2 0.3 2 k A/0/5 = A 10`)
	f("with the connection ends what it held, if so agreed", Rules{ReleaseOnGone: true}, `
		0.0 0.1 1 k A/0/5 = A 10
		0.5 0.5 1 k gone
		0.6 0.7 2 k A/0/5 = A 11`)
	f("busy where there are caps", Rules{Busy: true}, `
		0.0 0.1 1 k A/0/5 = B`)
	f("answers at one instant", calm, `
		1.0 1.0 1 k A/0/5 = A 10
		1.0 1.0 1 k R/10 = R
		1.0 1.0 2 k A/0/5 = A 11
		1.0 1.0 3 k A/0/5 = T`)
	f("tokens of other keys do not matter to the order of overlapping grants", strict, `
		0.0 1.0 1 k A/1/5 = A 11
		0.0 0.5 2 j A/1/5 = A 12
		0.6 1.0 3 i A/1/5 = A 13`)
	f("wait 0 may block", Rules{WaitZeroBlocks: true, CalmFrom: 1}, `
		0.0 0.0 1 k A/0/9 = A 10
		1.0 7.0 2 k A/0/9 = A 11
		7.0 7.0 1 k R/10 = R`)
	f("slow clocks let a lease last longer, fast ones shorter", Rules{Drift: 0.1, CalmFrom: 1, Slack: time.Millisecond}, `
		0.0 0.0 1 k A/0/10 = A 10
		0.0 9.2 2 k A/20/10 = A 11
		20.2 20.2 3 k A/0/10 = T`)
}

// Why a story is refused.
const (
	search   = "no order"
	held     = "granted while it was held"
	overtook = "overtook"
)

// refused checks that a story is one that can't have happened, and why.
func refused(t *testing.T) func(name string, r Rules, why, story string) {
	return func(name string, r Rules, why, story string) {
		t.Helper()
		got := Check(parseStory(t, story), r)
		if got.Verdict != Violated || !strings.Contains(got.Why, why) {
			t.Errorf("%s: %v (%s), want a violation with %q", name, got.Verdict, got.Why, why)
		}
	}
}

func TestWrongStoriesAreRefused(t *testing.T) {
	f := refused(t)
	f("two holders", strict, held, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 2 k A/0/5 = A 11`)
	f("two holders, the first kept", strict, held, `
		0.0 0.1 1 k A/0/1 = A 10
		0.5 0.6 1 k K/10/5 = K
		2.0 2.1 2 k A/0/5 = A 11`)
	f("the lease of a waiter counted from when it came", strict, search, `
		0.0 0.1 1 k A/0/9 = A 10
		0.2 4.1 2 k A/5/2 = A 11
		4.0 4.1 1 k R/10  = R
		4.5 4.6 3 k A/0/1 = A 12`)
	f("the lease of one who waited for the end of another's", strict, search, `
		0.0 0.0 1 k A/0/2 = A 10
		0.2 2.1 2 k A/5/2 = A 11
		3.5 3.6 3 k A/0/1 = A 12`)
	f("a lease that a clock too fast has shortened", Rules{Drift: 0.1}, held, `
		0.0 0.0 1 k A/0/10 = A 10
		9.0 9.0 3 k A/0/10 = A 11`)
	f("timed out on a free key", strict, search, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 1 k R/10  = R
		0.4 0.5 2 k A/0/5 = T`)
	f("timed out on a key that was never held", strict, search, `
		0.0 0.1 1 k A/0/5 = T`)
	f("timed out on a key long free, whatever an unanswered acquire did", calm, search, `
		0.0 0.4 1 k A/0/5 = ?
		9.0 9.1 2 k A/0/5 = T`)
	f("timed out too early", strict, "before its wait was over", `
		0.0 0.1 1 k A/0/9 = A 10
		0.2 1.1 2 k A/1/5 = T`)
	f("a wait that does not end", calm, "took too long", `
		0.0 0.1 1 k A/0/99 = A 10
		0.2 5.0 2 k A/1/5 = T`)
	f("a release that is not answered in time", calm, "took too long", `
		0.0 0.1 1 k A/0/99 = A 10
		0.2 1.0 1 k R/10 = R`)
	f("a lease that does not end", calm, search, `
		0.0 0.1 1 k A/0/1 = A 10
		3.0 3.1 2 k A/0/5 = T`)
	f("a lease that does not end for its holder", calm, search, `
		0.0 0.1 1 k A/0/1 = A 10
		3.0 3.1 1 k R/10 = R`)
	f("nor with the sweep", Rules{Lazy: true, CalmFrom: 1, Slack: 100 * time.Millisecond}, search, `
		0.0 0.1 1 k A/0/1 = A 10
		8.0 8.1 1 k R/10 = R`)
	f("kept after the end, in single mode too", Rules{Lazy: true, CalmFrom: 1, Slack: 100 * time.Millisecond}, search, `
		0.0 0.1 1 k A/0/1 = A 10
		3.0 3.1 1 k K/10/5 = K`)
	f("released twice", strict, search, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 1 k R/10  = R
		0.4 0.5 1 k R/10  = R`)
	f("released with a token that is nobody's", strict, search, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 1 k R/9   = R`)
}

func TestMoreWrongStoriesAreRefused(t *testing.T) {
	f := refused(t)
	f("released with the token of before", strict, search, `
		0.0 0.1 1 k A/0/1 = A 10
		2.0 2.1 2 k A/0/9 = A 11
		2.2 2.3 1 k R/10  = R`)
	f("kept with the token of before", strict, held, `
		0.0 0.1 1 k A/0/1 = A 10
		2.0 2.1 2 k A/0/9 = A 11
		2.2 2.3 1 k K/10/5 = K`)
	f("not held, though it is", strict, search, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 1 k R/10  = N`)
	f("not held to a keep, though it is", strict, search, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 1 k K/10/5 = N`)
	f("an unanswered release acts before it was sent", strict, held, `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 2 k A/0/5 = A 11
		0.4 0.5 1 k R/10  = ?`)
	f("the end of a connection frees what it held, though not agreed", strict, held, `
		0.0 0.1 1 k A/0/5 = A 10
		0.5 0.5 1 k gone
		0.6 0.7 2 k A/0/5 = A 11`)
	f("one token twice", strict, "granted before", `
		0.0 0.1 1 k A/0/5 = A 10
		0.2 0.3 2 j A/0/5 = A 10`)
	f("token 0", strict, "token 0", `
		0.0 0.1 1 k A/0/5 = A 0`)
	f("tokens of two keys in the wrong order", strict, "though before it there was", `
		0.0 0.1 1 k A/0/5 = A 11
		0.2 0.3 2 j A/0/5 = A 10`)
	f("busy without caps", strict, "no cap", `
		0.0 0.1 1 k A/0/5 = B`)
	f("answered before asked", strict, "before it was asked", `
		1.0 0.9 1 k A/0/5 = T`)
	f("overtaken in the queue", strict, overtook, `
		0.0 0.1 1 k A/0/1 = A 10
		0.1 4.0 2 k A/9/5 = A 12
		0.2 0.3 2 k R/1 = N
		0.4 1.5 3 k A/9/1 = A 11`)
	f("overtaken by one who did not even queue", strict, overtook, `
		0.0 0.1 1 k A/0/1 = A 10
		0.1 4.0 2 k A/9/5 = A 12
		0.2 0.3 2 k R/1 = N
		1.4 1.5 3 k A/0/1 = A 11`)
	f("overtaken in the queue of single mode", lazy, overtook, `
		0.0 0.1 1 k A/0/1 = A 10
		0.1 4.0 2 k A/9/5 = A 12
		0.2 0.3 2 k R/1 = N
		0.4 1.5 3 k A/9/1 = A 11
		0.5 0.6 3 k R/1 = N`)
	f("overtaken, and then the wait is over", strict, overtook, `
		0.0 0.1 1 k A/0/1 = A 10
		0.1 9.2 2 k A/9/5 = T
		0.2 0.3 2 k R/1 = N
		0.4 1.5 3 k A/9/99 = A 11`)
}
