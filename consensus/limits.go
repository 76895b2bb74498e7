package consensus

// Everything that is bounded in this package is bounded here.
const (
	// MaxPayload is the largest payload of one entry, in bytes. What waits
	// for a proposal must be cut to it.
	MaxPayload = 1 << 20

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

	// maxInflightBytes bounds the payloads of entries in flight.
	maxInflightBytes = 4 << 20

	// snapshotGrowth is how many times the size of the last snapshot the log
	// may grow before the next is due, so that a large table is not written
	// out again after every few entries.
	snapshotGrowth = 4

	// maxChunksInFlight is how many chunks of a snapshot may wait for the
	// disk before the next is asked for.
	maxChunksInFlight = 4
)

const _ = uint(maxWriteBytes - MaxPayload - entryOverhead)
