// Package node is one replica as a single deterministic object: the log's core
// (consensus), the lock table (lock), the requests that wait for an answer, the
// deadlines that want an Expire, and the way of an answer back to its
// connection. It is fed events and hands back work; it never reads a clock,
// never touches a socket or a file, and starts no goroutine. The server (loop)
// and the simulator are two shells around this same object.
//
// Two rules hold here and nowhere else:
//
//  1. Nothing is decided before it is chosen. A request becomes a command in
//     the pending batch (request.go), the batch becomes one log entry at the end
//     of the round (flush.go), and only an entry that consensus hands back as
//     chosen changes the table and makes an answer (apply.go). The one answer
//     made without the log is B for a connection over its own in-flight cap:
//     it depends on no state of any key.
//  2. An answer goes out only for an entry of the reign in which its request
//     was taken in. When a reign ends, everything open is answered no_leader
//     (reign.go), and whatever the old entries decide later is told to nobody.
//
// Start reading at flush.go.
package node
