// Package lockmodel is the rules of the lock table written a second time, as
// plainly as they can be: slices, linear scans, no heap, no hash. It is what
// package lock is compared with, command by command; the two were written from
// the specification without looking at each other.
//
// It is for tests, the simulator and checkers, never for serving: the cost of
// one command grows with everything that the table holds. It reads no clock
// and knows nothing of snapshots, digests or bytes.
//
// Start reading at Model.apply in model.go: one function per request of the
// matrix, one case per cell. types.go is the vocabulary, show.go what a reader
// of the state may ask.
package lockmodel
