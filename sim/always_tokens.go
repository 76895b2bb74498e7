package sim

import (
	"sort"

	"ticketing/history"
)

// alwaysRisingTokens: no token is given twice, and a grant that was answered
// before another was asked for has the smaller token, whatever the keys.
type alwaysRisingTokens struct {
	seen    map[uint64]bool
	answers []answeredToken // in the order in which they came
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
	n := sort.Search(len(a.answers), func(i int) bool { return a.answers[i].at >= t })
	if n == 0 {
		return 0
	}
	return a.answers[n-1].max
}
