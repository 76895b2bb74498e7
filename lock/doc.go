// Package lock is the replicated lock table: which key is held by which token
// until when, and who waits for it. It is fed the entries of the log, in
// order, and tells the outcome of each request in them.
//
// It is a state machine and nothing else. It reads no clock (time comes with
// each entry), no settings but those that came through the log, and it draws
// no random number that could be seen from outside: the same entries give the
// same outcomes and the same Digest on every machine. It never starts anything
// by itself either: NextWait and NextExpiry say when something falls due, and
// it is up to the caller to put an entry (or an Expire in one) into the log.
//
// # Where to start reading
//
// table.go has the table and the way of an entry through it. Each command has
// its own file: acquire.go, release.go (with expire and keep), gone.go. What
// they are made of:
//
//	hold.go      a held key: its record, its term, the list in grant order
//	waiter.go    a waiting acquire: its queue, its connection, its deadline
//	conns.go     what belongs to a connection
//	deadlines.go what falls due when
//	digest.go    the running hash of all of it
//	snapshot.go  a frozen view of a table that goes on changing; restore.go
//	list.go      the held keys, as shown to people
//
// Below them are the containers: numbers.go and slab.go (records by number),
// chain.go (lists of them), keys.go (key bytes), index.go (key to record),
// heap.go. Nothing in them is a
// pointer to a record, so a million held keys are a few thousand objects to
// the garbage collector, and nothing in them is ever copied as a whole, so no
// request waits for a table that is being doubled.
package lock
