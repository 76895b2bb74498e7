// Package proto is the lock protocol as bytes: what a client and the server say
// to each other (wire 2 and the keep extension), read and written.
//
// It never does input or output, keeps no state between calls, draws no random
// numbers and knows nothing of locks: it turns bytes into values and back.
// docs/PROTOCOL.md tells the same protocol to someone who writes a client.
//
// Every parser works on a buffer that may hold less or more than one frame. It
// says how many bytes the first frame takes, or 0 while the frame is not whole;
// what it gives out aliases the buffer. However the bytes are cut on their way,
// the frames are the same. No input makes a parser panic or allocate. Nothing
// here shares anything, so any goroutine may call any function.
//
// Start reading at wire.go, which draws the frames; then request.go and
// reply.go, one file for each direction; then handshake.go.
package proto
