// Package consensus is the replicated log: Multi-Paxos over opaque payloads, for
// one, three or five members.
//
// It never touches a clock, a disk or a network, starts nothing, and draws no
// random number that was not seeded. A Core is fed events (Step, Persisted, Tick,
// Propose, ...) and hands back work (Take): writes, messages, chosen entries. The
// same events give the same work. Start reading at Core; docs/CONSENSUS.md has
// the rules with their reasons, and the proof of log time.
//
// # The protocol
//
// The log is a row of slots. In each slot a majority of members chooses one value,
// and never another. A leader has a ballot, a number that nobody else ever uses.
// In phase one it asks a majority to promise that they will accept nothing more
// below its ballot, and to tell what they have accepted; once, for all slots. What
// it is told may have been chosen, so it proposes that again, under its own ballot,
// in the same slots: in each the value of the highest ballot that any of them has
// accepted. Behind that it puts its LeaderStart and then whatever it is given. In
// phase two a member that has promised no more than the ballot accepts an entry by
// writing it to its disk; what a majority has accepted under one ballot is chosen.
//
// A follower's position k is how far it has everything under the leader's ballot.
// It acknowledges k, and where a message comes that begins behind k it says so and
// is sent the rest again: lost messages, a fresh disk and a follower that was down
// are one case. What is not in the leader's memory any more comes as a snapshot,
// which the receiver asks for chunk by chunk.
//
// Elections are kept rare: a candidate first asks whether it would be welcome
// (pre-vote), which changes nothing anywhere. A leader that has no answers from a
// majority steps down. None of this is needed for safety, which rests on promises
// and on the disk alone.
//
// # Messages
//
// Nothing leaves before what it says is durable: the column on the right. The gate
// (gate.go) keeps it inside until then.
//
//	message         from       to         means                            durable before
//	PreVote         candidate  all        would you promise this ballot?   -
//	PreVoteAnswer   any        candidate  yes or no, and my promise        -
//	Prepare         candidate  all        promise; what have you accepted? own promise
//	Promise         voter      candidate  one chunk of what I accepted     promise, entries
//	Accept          leader     follower   entries; how far is chosen       own promise (by then it is)
//	Accepted        follower   leader     I have all up to here            promise, entries
//	Accepted        leader     itself     its own vote, never sent         entries
//	Heartbeat       leader     all        I live; log time                 -
//	Alive           follower   leader     I heard that one; my position    promise
//	Nack            any        any        I have promised more             -
//	Nack            follower   leader     go on from this slot             -
//	Offer           any        any        that is gone; take my snapshot   the snapshot
//	Ask             receiver   any        the chunk of this index, please  -
//	Chunk           any        receiver   here                             the snapshot
//	HandOver        leader     follower   you have everything: take over   -
//	Hello           any        any        whose store I am (hello.go)      all of it
//
// # Files
//
//	core.go      Config, Core, New, Step, Take
//	types.go     slots, ballots, entries, writes: what the store and the state machine see
//	gate.go      durable before it leaves
//	window.go    the part of the log that is in memory
//	acceptor.go  promises, accepting, a follower's position
//	election.go  pre-vote, phase one; recovery.go puts promises together
//	leader.go    leading, proposing, counting votes; stream.go sends to followers
//	liveness.go  heartbeats, check-quorum, being outbid; timers.go dates events
//	logtime.go   which entries count, and what time it is; apply.go hands them out
//	snapshot.go  own snapshots; fetch.go and serve.go carry them to others
//	handover.go  giving leadership away
//	roster.go    whose stores these are; hello.go forms the cluster, replace.go changes it
//	message.go   messages; codec.go and decoder.go are their bytes
//	limits.go    every bound
package consensus
