package storage

const (
	// formatVersion is the version of everything that this package writes
	// around and into the engine. A store of a newer one is refused.
	formatVersion = 1

	// maxRecordBytes bounds the payload of an entry and a chunk of a
	// snapshot. The consensus core stays far below it.
	maxRecordBytes = 32 << 20

	// maxMembersBytes and maxClusterBytes bound what an Identity carries.
	maxMembersBytes = 64 << 10
	maxClusterBytes = 255

	// memTableBytes is the size of the engine's write buffer, and nearly of
	// one log file. Buffers live on the Go heap, so each costs about twice
	// its size; a smaller one makes the pause of a change of log more frequent.
	memTableBytes = 16 << 20

	// maxMemTables is how many write buffers may wait to be flushed before
	// writes wait for them.
	maxMemTables = 4

	// blockCacheBytes is small because nothing is read after the start but
	// a snapshot on its way to another member.
	blockCacheBytes = 1 << 20

	// maxOpenTables bounds the file descriptors of the engine.
	maxOpenTables = 200
)
