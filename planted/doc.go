// Package planted lets a bug be planted in the server on purpose, so that the
// simulator can show that it would be found. Each place that can be broken asks
// Is. In an ordinary build Is is the constant false and costs nothing: a bug can
// be planted only in a build with the tag canary, which no release has.
package planted

// Bug names one bug.
type Bug uint8

// The bugs.
const (
	None Bug = iota
	// ForgottenPromise: a promise is answered and not written.
	ForgottenPromise
	// AckBeforeSync: a vote leaves, or counts, before its own write is durable.
	AckBeforeSync
	// AckOverHole: a follower acknowledges its last slot, whatever is below it.
	AckOverHole
	// ZombieCommand: a batch of an old leader takes effect.
	ZombieCommand
	// ZombieLeaderStart: a LeaderStart of an old leader takes effect.
	ZombieLeaderStart
	// StaleClockLent: a leader that the log knows nothing of lends its clock.
	StaleClockLent
	// ExpireWithoutToken: an Expire ends whoever holds the key.
	ExpireWithoutToken
	// ExpireTooEarly: an Expire does not look at the deadline.
	ExpireTooEarly
	// KeepAfterExpiry: a keep revives a lease that has ended.
	KeepAfterExpiry
	// TakeOverInCluster: an acquire takes an expired key over in cluster mode too.
	TakeOverInCluster
	// AnswerOfOldReign: an entry of an earlier reign, or of another node, is answered.
	AnswerOfOldReign
	// NeverExpires: nobody proposes an Expire.
	NeverExpires
	count
)

var names = [count]string{
	ForgottenPromise:   "forgotten-promise",
	AckBeforeSync:      "ack-before-sync",
	AckOverHole:        "ack-over-hole",
	ZombieCommand:      "zombie-command",
	ZombieLeaderStart:  "zombie-leader-start",
	StaleClockLent:     "stale-clock-lent",
	ExpireWithoutToken: "expire-without-token",
	ExpireTooEarly:     "expire-too-early",
	KeepAfterExpiry:    "keep-after-expiry",
	TakeOverInCluster:  "take-over-in-cluster",
	AnswerOfOldReign:   "answer-of-old-reign",
	NeverExpires:       "never-expires",
}

// Names lists the bugs that can be planted.
func Names() []string { return names[1:] }
