// Package loop is the server's shell: sockets, the clock, the disk, and the one
// goroutine that drives a replica (package node).
//
// Everything that touches the replica happens on one gnet event loop. Its work
// comes in rounds: the frames of all sockets that were readable together go in,
// the clock is read, the replica is flushed once, what must be durable is
// written, and each connection gets its answers in one write. So all requests
// of a round become one log entry and one synced write.
//
//	acceptors ──enroll──▶ ┌────────── event loop ──────────┐
//	sockets   ──frames──▶ │ OnOpen OnTraffic OnClose       │ ──answers─▶ sockets
//	timer, TLS, Do ─post─▶│ round: calls, deadlines, flush │ ──writes──▶ disk
//	                      └────────────────────────────────┘
//
// What other goroutines want of the loop they queue (inbox.go) or publish, and
// then post a round. Only the loop's goroutine touches the replica, the
// connections and the deadlines; what is not marked otherwise belongs to it.
//
// It decides nothing about locks, holds no answer back and changes none, and
// knows of time only what bounds a connection: the handshake, the keep-alive,
// the slow reader.
//
// Start reading at round.go, then conn.go.
package loop
