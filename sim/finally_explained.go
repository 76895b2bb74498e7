package sim

import (
	"time"

	"ticketing/history"
)

// calmSlack is how long an answer may take after healing, beyond what it has to.
const calmSlack = 3 * time.Second

// searchTime bounds the search for an explanation of one key's answers.
const searchTime = 20 * time.Second

// finallyExplained: what the clients have seen has an explanation. It knows
// nothing of the log; always_replay.go compares with that.
func finallyExplained(w *World) (unjudged string) {
	p := &w.params
	var ops []history.Op
	for _, o := range w.history {
		if o.Outcome == history.Unknown {
			w.checks.stats.Unknown++
		}
		ops = append(ops, o.Op)
	}
	f := history.Check(ops, history.Rules{
		Drift:          p.Drift,
		Lazy:           p.Members == 1,
		Busy:           p.mayBeBusy(),
		WaitZeroBlocks: p.mayBlock(),
		ReleaseOnGone:  p.mayReleaseOnGone(),
		CalmFrom:       w.checks.calmFrom(),
		Slack:          calmSlack,
		Search:         searchTime,
	})
	switch f.Verdict {
	case history.Violated:
		failf("what the clients saw, key %q: %s", f.Key, f.Why)
	case history.Inconclusive:
		return "key " + f.Key + ": " + f.Why
	}
	return ""
}
