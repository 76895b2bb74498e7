package sim

import "ticketing/proto"

// op is one request of a client and what became of it.
type op struct {
	client  int
	session *session
	kind    proto.Op
	key     int
	owner   uint64 // acquire
	token   uint64 // release, keep: asked for; acquire: granted
	wait    int    // seconds
	lease   int
	call    Time
	ret     Time // 0: no answer, or one that says nothing
	verdict byte // A T B R N K; 0: unknown outcome
	// noEffect: answered in a way that rules out any effect.
	noEffect bool
}

// hold is a key that a client believes to hold until a true time.
type hold struct {
	client int
	key    int
	token  uint64
	until  Time
	ended  bool // released by the client, or believed over
}
