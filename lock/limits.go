package lock

// Version is the version of this state machine: of its rules, its commands
// and its snapshots. Settings carry the version that is in force.
const Version = 1

// KeyMax is the longest key, in bytes. The shortest has one.
const KeyMax = 128

// TimeoutsPerEntry is how many waiters whose wait is over one entry answers
// before its commands. The others keep until the next entry, so that however
// many waits end together, no request stands behind all of them.
const TimeoutsPerEntry = 4096

// CountMax is how many keys, and how many waiters, a table can hold: records
// are named by numbers of refBits bits. A cap in Settings above it means it.
const CountMax = refMask - 1

const (
	refBits = 25
	refMask = 1<<refBits - 1
)

// chunkLen is how many records are allocated together. With fewer, the table
// of chunks grows; with more, so does what a table with few keys costs.
const (
	chunkBits = 9
	chunkLen  = 1 << chunkBits
	chunkMask = chunkLen - 1
)

// sparesMax is how many empty chunks a container keeps before it gives them
// back, so that a load which swings a little allocates nothing.
const sparesMax = 16
