// Package history judges what clients have seen of a server: each request with
// its answer and the times of both on one clock. It does not know how the
// history came about, so the simulator and a harness with real processes use
// the same judge.
//
// What the clients saw must have an explanation: an order of all answered
// requests, each at some instant between call and return, in which every answer
// is right (linearizability, found by Porcupine). A request without an answer
// may have taken effect or not, so it allows more and demands nothing. Beside
// the search there are checks that stay cheap with millions of requests and
// name what is wrong: tokens that rise, tenures that end before the next begins,
// queues that are fair, answers that come in time.
//
// It never talks to a server, reads no clock, and draws nothing at random.
//
// Start reading at Check in check.go, then model.go.
package history
