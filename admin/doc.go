// Package admin is the server's HTTP side: is it alive, is it ready, what does
// it count, who holds what.
//
// It never touches the replica or the store. What it shows it gets through the
// functions of a Source, which answer from wherever they must and within a time
// limit that this package sets: a request here can be slow or fail, and never
// holds up a lock.
//
// Start reading at handler.go.
package admin
