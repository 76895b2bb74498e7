package consensus

// Everything that is bounded in this package is bounded here.
const (
	// maxMembers is the largest cluster.
	maxMembers = 5

	// MaxPayload is the largest payload of one entry, in bytes. What waits
	// for a proposal must be cut to it.
	MaxPayload = 1 << 20

	// MaxChunk is the largest chunk of a snapshot, in bytes.
	MaxChunk = 1 << 20

	// MaxMessage is the largest body of a peer frame, in bytes.
	MaxMessage = 1<<20 + 1<<10

	// maxWriteBytes is where the entries of one Write are cut and a further
	// Write begins. One entry always fits.
	maxWriteBytes = 4 << 20

	// entryOverhead is what an entry is taken to cost besides its payload
	// when logs are measured, in bytes.
	entryOverhead = 64

	// maxInflightAlone is how many entries a single member has in flight:
	// with one write on its way, what waits becomes one entry.
	maxInflightAlone = 1

	// maxInflight is how many entries a leader with followers has in flight.
	maxInflight = 16

	// maxInflightBytes bounds the entries in flight.
	maxInflightBytes = 8 << 20

	// maxStreamMessages and maxStreamBytes bound what is on its way to one
	// follower and not acknowledged.
	maxStreamMessages = 64
	maxStreamBytes    = 8 << 20

	// snapshotGrowth is how many times the size of the last snapshot the log
	// may grow before the next is due, so that a large table is not written
	// out again after every few entries.
	snapshotGrowth = 4

	// maxChunksInFlight is how many chunks of a snapshot may wait for the
	// disk, or be on their way from another member.
	maxChunksInFlight = 4

	// defaultDriftPPM is how much the rate of two members' clocks is taken
	// to differ from true time at most, in parts per million.
	defaultDriftPPM = 1000
)

// Limits are the bounds that only a large log ever meets, so that a small world
// can have them small. A field that is 0 has its default.
type Limits struct {
	// MessageBytes is where the entries of one message are cut and a further
	// message begins. One entry always fits. At most, and by default, 1 MiB.
	MessageBytes uint64
	// LogBytes is what the log above the last snapshot may cost where it has
	// to be kept in memory, for other members: then the next snapshot is
	// due, whatever the last one's size. Default 256 MiB.
	LogBytes uint64
	// AwaitedBytes is what the log in memory may cost while a member that is
	// alive still needs its beginning. Default 64 MiB.
	AwaitedBytes uint64
	// KeptBytes is what the log in memory may cost in any case: it is kept
	// below the last snapshot so that a member which is a little behind
	// needs none. Default 4 MiB.
	KeptBytes uint64
}

func (l Limits) withDefaults() Limits {
	set := func(field *uint64, to uint64) {
		if *field == 0 {
			*field = to
		}
	}
	set(&l.MessageBytes, 1<<20)
	set(&l.LogBytes, 256<<20)
	set(&l.AwaitedBytes, 64<<20)
	set(&l.KeptBytes, 4<<20)
	return l
}

const (
	_ = uint(maxWriteBytes - MaxPayload - entryOverhead)
	_ = uint(MaxMessage - MaxPayload - entryOverhead - 128)
	_ = uint(MaxMessage - MaxChunk - 128)
	_ = uint(entryOverhead - entryBytes)
)
