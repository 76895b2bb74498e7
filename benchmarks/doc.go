// Package benchmarks measures how many locks a server can grant and take back:
// ours, and Redis as people use it for locks, by one generator.
//
// Run is one closed loop. Each of conns connections keeps pipeline pairs in
// flight; a pair is an acquire and, once granted, its release; when a pair is
// done the next begins. The generator shares a machine with the server that it
// measures, so it is made to cost little: as many threads as half the
// processors, each with many connections under one epoll, one read and one
// write for each connection and turn, no allocation in the loop. What differs
// between the targets is only how a request is spelled and how a reply is read
// (dialect.go).
//
// A closed loop slows down with its server: a server that stops for a second
// gets no requests in that second, so the percentiles are those of requests that
// were made, and not of a load that goes on.
//
// Start and its kin (process.go) run the servers for benchmarks and tests. The
// comparison itself is in sidebyside; its figures are in RESULTS.md. Start
// reading at run.go, then worker.go and conn.go.
package benchmarks
