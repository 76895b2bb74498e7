package history

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// Verdict is what became of a history under judgement.
type Verdict uint8

const (
	// Explained: every answer can have been right.
	Explained Verdict = iota
	// Violated: no server that keeps its promises can have answered so.
	Violated
	// Inconclusive: the search for an explanation did not end in time. That is
	// no pass.
	Inconclusive
)

// String returns "explained", "violated" or "inconclusive".
func (v Verdict) String() string {
	return [...]string{"explained", "violated", "inconclusive"}[v]
}

// Finding is a verdict and, unless all is well, its reason.
type Finding struct {
	Verdict Verdict
	Key     string // that it is about, if it is about one
	Why     string
}

// Check judges a history: first by the cheap checks, then, key by key, by the
// search. It neither changes nor keeps ops.
func Check(ops []Op, r Rules) Finding {
	keys := byKey(ops, &r)
	if f := checkCheaply(ops, keys, &r); f.Verdict != Explained {
		return f
	}
	var undecided Finding
	for _, k := range keys {
		switch k.explain(&r) {
		case porcupine.Illegal:
			return Finding{Violated, k.name, fmt.Sprintf("no order of its %d answered requests explains their answers", len(k.ops))}
		case porcupine.Unknown:
			undecided = Finding{Inconclusive, k.name, fmt.Sprintf("no verdict on %d requests within %v", len(k.ops), r.Search)}
		}
	}
	return undecided
}

// CheckCheaply judges a history by everything but the search. It takes little
// more time than sorting.
func CheckCheaply(ops []Op, r Rules) Finding { return checkCheaply(ops, byKey(ops, &r), &r) }

func checkCheaply(ops []Op, keys []*keyLog, r *Rules) Finding {
	for i := range ops {
		if why := oddAnswer(&ops[i], r); why != "" {
			return Finding{Violated, ops[i].Key, why}
		}
	}
	if why := tokensOutOfOrder(ops); why != "" {
		return Finding{Violated, "", why}
	}
	queued := queuedSince(ops)
	for _, k := range keys {
		why := k.tenuresOverlap(r)
		if why == "" {
			why = k.unfair(r, queued)
		}
		if why != "" {
			return Finding{Violated, k.name, why}
		}
	}
	return Finding{}
}
