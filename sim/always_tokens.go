package sim

import "ticketing/history"

// alwaysRisingTokens: no token is given twice, and a grant that was answered
// before another was asked for has the smaller token, whatever the keys.
type alwaysRisingTokens struct {
	seen map[uint64]bool
	// newest is the greatest token answered so far, by the order of answers.
	answers []answeredToken
}

type answeredToken struct {
	at  Time
	max uint64 // greatest token answered up to at
}

func (a *alwaysRisingTokens) granted(o *history.Op) {
	if a.seen == nil {
		a.seen = map[uint64]bool{}
	}
	if o.Token == 0 || a.seen[o.Token] {
		failf("token %d was given twice", o.Token)
	}
	a.seen[o.Token] = true
	if before := a.greatestBefore(Time(o.Call)); o.Token <= before {
		failf("token %d was granted after %d had been answered", o.Token, before)
	}
	most := o.Token
	if n := len(a.answers); n > 0 {
		most = max(most, a.answers[n-1].max)
	}
	a.answers = append(a.answers, answeredToken{Time(o.Return), most})
}

// greatestBefore is the greatest token answered strictly before t.
func (a *alwaysRisingTokens) greatestBefore(t Time) uint64 {
	lo, hi := 0, len(a.answers)
	for lo < hi {
		mid := (lo + hi) / 2
		if a.answers[mid].at < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0
	}
	return a.answers[lo-1].max
}
