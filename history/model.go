package history

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// state is a key as the search for an explanation sees it. It holds the key
// until something is known to have ended that: a lease that is over changes
// nothing until somebody notices, and when that was is for the search to find.
type state struct {
	grants int   // how many there have been: the holder has the last of them
	held   bool  // by that one
	now    int64 // no earlier than this, judging by what came before
	end    int64 // the holder's lease is not over before
	over   int64 // and surely is from then on, in calm
}

// model explains the answers about one key. The grants of a key have an order,
// that of their tokens, and only answered requests take part: so there is
// little to search, and nothing that is done early forbids anything later.
func (k *keyLog) model(r *Rules) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{} },
		Step: func(s, input, _ any) (bool, any) {
			next, ok := k.step(r, s.(state), input.(*Op))
			return ok, next
		},
		DescribeOperation: func(input, _ any) string { return input.(*Op).String() },
		DescribeState:     func(s any) string { return fmt.Sprintf("%+v", s) },
	}
}

// step reports whether o can have got its answer in s, and the state after it.
func (k *keyLog) step(r *Rules, s state, o *Op) (state, bool) {
	mine := k.isHolder(s, o)
	switch o.Outcome {
	case Granted:
		return k.grant(r, s, o)
	case Released:
		ok := mine && !s.mustBeOver(o, r.unnoticed())
		s.held = false
		s.now = max(s.now, o.Call)
		return s, ok
	case Kept:
		ok := mine && !s.mustBeOver(o, 0)
		s.now = max(s.now, o.Call)
		s.end = max(s.end, s.now+r.least(o.Lease))
		s.over = max(s.over, r.by(o.Return, o.Lease))
		return s, ok
	case NotHeld:
		if !mine {
			return s, true
		}
		if o.Kind == Release {
			s.held = false
		}
		return s, k.mayEnd(s) <= o.Return
	case TimedOut:
		held := s.held && !s.mustBeOver(o, 0)
		return s, held || k.haunted(o)
	}
	panic(fmt.Sprintf("BUG: %v takes part in the search", o))
}

// isHolder reports whether o names the token that holds the key.
func (k *keyLog) isHolder(s state, o *Op) bool {
	place, known := k.place[o.Token]
	return known && s.held && place == s.grants-1
}

// mayEnd is from when on the holder's grant may be over.
func (k *keyLog) mayEnd(s state) int64 { return min(s.end, k.tenures[s.grants-1].freed) }

// mustBeOver reports whether the holder's lease had ended before o can have come,
// and more than late had passed since then.
func (s *state) mustBeOver(o *Op, late int64) bool {
	return s.over != never && max(s.now, o.Call) > s.over+late
}

func (k *keyLog) grant(r *Rules, s state, o *Op) (state, bool) {
	if k.place[o.Token] != s.grants {
		return s, false
	}
	at := max(s.now, o.Call)
	if s.held {
		end := k.mayEnd(s)
		if end > o.Return || k.tenures[s.grants-1].released {
			return s, false
		}
		at = max(at, end)
	}
	return state{
		grants: s.grants + 1,
		held:   true,
		now:    at,
		end:    at + r.least(o.Lease),
		over:   k.tenures[s.grants].over,
	}, true
}

// explain looks for an order that explains every answer about the key.
func (k *keyLog) explain(r *Rules) porcupine.CheckResult {
	var ops []porcupine.Operation
	for _, o := range k.ops {
		if o.Outcome != Busy { // which says nothing of the key
			ops = append(ops, porcupine.Operation{ClientId: o.Client, Input: o, Call: o.Call, Output: o.Outcome, Return: o.Return})
		}
	}
	return porcupine.CheckOperationsTimeout(k.model(r), ops, r.Search)
}
