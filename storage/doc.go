// Package storage keeps what one replica must not forget: its identity, its
// promise, its log and its snapshot, on Pebble in one directory.
//
// A Store makes changes durable in the order in which they are given, and
// what is durable is always a prefix of that order. It does what it is told
// and decides nothing: what to write, and when a message may leave, is the
// business of package consensus.
//
// It never answers before the disk has, never tries again what the disk has
// refused, and never repairs damage. Open looks at everything before it
// changes anything: a damaged directory is refused as it was found.
//
// Start reading at keys.go (every byte on disk), then store.go (the way of a
// write), then verify.go (what Open insists on). docs/STORAGE.md says what is
// assumed of the disk, and what an operator does about each message.
package storage
