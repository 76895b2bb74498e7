// Package consensus is the replicated log: Multi-Paxos over opaque payloads,
// for one, three or five members.
//
// It never touches a clock, a disk or a network. A Core is fed events (Step,
// Persisted, Tick, Propose) and hands back work (Take). Start reading at Core.
package consensus
