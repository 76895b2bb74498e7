package history

import (
	"cmp"
	"fmt"
	"slices"
)

// oddAnswer says what is wrong with an answer by itself: with the time it took,
// mostly.
func oddAnswer(o *Op, r *Rules) string {
	took := o.Return - o.Call
	switch {
	case !o.known():
		return ""
	case took < 0:
		return fmt.Sprintf("answered before it was asked: %v", o)
	case o.Outcome == Busy && !r.Busy:
		return fmt.Sprintf("busy, though there is no cap: %v", o)
	case o.Outcome == TimedOut && o.Wait == 0 && r.WaitZeroBlocks:
		return "" // it blocks from one restart to the next, maybe not in this one
	case o.Outcome == TimedOut && took < r.least(o.Wait):
		return fmt.Sprintf("timed out before its wait was over: %v", o)
	case r.CalmFrom == 0 || o.Call < r.CalmFrom || o.Outcome == Granted && o.Wait == 0 && r.WaitZeroBlocks:
		return ""
	case o.Kind == Acquire && took > r.most(o.Wait), o.Kind != Acquire && took > r.most(0):
		return fmt.Sprintf("the answer took too long: %v", o)
	}
	return ""
}

// tokensOutOfOrder: no token is granted twice, and of two grants of whatever
// keys the one that was answered before the other was asked for has the
// smaller token.
func tokensOutOfOrder(ops []Op) string {
	byReturn := grants(ops)
	seen := make(map[uint64]bool, len(byReturn))
	for _, o := range byReturn {
		if o.Token == 0 || seen[o.Token] {
			return fmt.Sprintf("token 0, or one that was granted before: %v", o)
		}
		seen[o.Token] = true
	}
	byCall := slices.Clone(byReturn)
	slices.SortStableFunc(byCall, func(a, b *Op) int { return cmp.Compare(a.Call, b.Call) })
	slices.SortStableFunc(byReturn, func(a, b *Op) int { return cmp.Compare(a.Return, b.Return) })
	var highest *Op // of those answered before the call of o
	for _, o := range byCall {
		for len(byReturn) > 0 && byReturn[0].Return < o.Call {
			if highest == nil || highest.Token < byReturn[0].Token {
				highest = byReturn[0]
			}
			byReturn = byReturn[1:]
		}
		if highest != nil && o.Token < highest.Token {
			return fmt.Sprintf("%v, though before it there was %v", o, highest)
		}
	}
	return ""
}

func grants(ops []Op) []*Op {
	var list []*Op
	for i := range ops {
		if ops[i].Kind == Acquire && ops[i].Outcome == Granted {
			list = append(list, &ops[i])
		}
	}
	return list
}

// tenuresOverlap: between two grants of a key with nothing known in between
// there is a release or the end of a lease.
func (k *keyLog) tenuresOverlap(r *Rules) string {
	freed := make([]int64, len(k.tenures)) // by an answered release too
	end := make([]int64, len(k.tenures))
	for i := range k.tenures {
		t := &k.tenures[i]
		freed[i] = t.freed
		end[i] = t.grant.Call + r.least(t.grant.Lease)
	}
	for _, o := range k.ops {
		i, ok := k.place[o.Token]
		switch {
		case !ok || o.Kind == Acquire:
		case o.Outcome == Released:
			freed[i] = min(freed[i], o.Call)
		case o.Outcome == Kept:
			end[i] = max(end[i], o.Call+r.least(o.Lease))
		}
	}
	for i := 1; i < len(k.tenures); i++ {
		before, after := k.tenures[i-1].grant, k.tenures[i].grant
		if min(freed[i-1], end[i-1]) > after.Return {
			return fmt.Sprintf("granted while it was held: %v, and then %v", before, after)
		}
	}
	return ""
}
