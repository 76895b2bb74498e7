package sim

// alwaysOneAnswer: a request gets at most one answer, no wait ends before its
// time, and nobody waits where no wait was asked for.
type alwaysOneAnswer struct {
	answeredOps map[*op]bool
}

func (a *alwaysOneAnswer) answered(o *op) {
	if a.answeredOps == nil {
		a.answeredOps = map[*op]bool{}
	}
	if a.answeredOps[o] {
		failf("two answers for one request of c%d", o.client)
	}
	a.answeredOps[o] = true
}
