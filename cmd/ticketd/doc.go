// Ticketd is the lock server.
//
//	ticketd serve     runs it
//	ticketd version   says which one it is, and what a store says of itself
//
// This package only puts the parts together: flags (flags.go), what they mean
// (serve.go), the store and the replica (replica.go), the way from start to
// stop (run.go), and what HTTP shows (source.go). Exit codes: 0 stopped as
// asked, 1 failure while running, 2 bad usage.
//
// The garbage collector is left as it is: with GOGC from 100 to 800 neither
// throughput nor the slowest answers differed by more than the noise, and the
// memory doubled.
package main
