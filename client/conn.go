package client

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"ticketing/proto"
)

// conn is one connection, after the handshake. Requests go out in the order of
// send and come back in any; a call is matched to its answer by what the answer
// echoes. Two goroutines work for it, a reader and a writer. It ends once, by
// end, and then fails every call that is still open.
type conn struct {
	nc  net.Conn
	now func() time.Duration
	// onLeader is told the address of an L frame.
	onLeader func(addr string)
	// onEnd is told once that the connection is over, and whether the server had
	// answered a request on it, before the calls are failed.
	onEnd func(c *conn, cause error, answered bool)

	mu       sync.Mutex
	out      []byte            // frames that the writer has not taken yet
	calls    map[match][]*call // open calls, the oldest first
	open     int               // number of calls in calls
	answered bool              // the server decided a request
	asked    time.Time         // when the latest request was queued
	cause    error             // why the connection ended; nil while it lives
	wake     chan struct{}     // holds one when out is not empty
	ended    chan struct{}     // closed by end
}

// match is what an answer echoes of its request. A release and a keep of one
// token are answered in order, by frames that may look the same.
type match struct {
	acquire bool
	id      uint64 // the owner of an acquire, else the token
	key     string
}

// call is one request that was sent.
type call struct {
	request proto.Request
	sentAt  time.Duration // by the client's clock, before the bytes left
	// done is closed when answer or err is set.
	done   chan struct{}
	answer answer
	err    error
	// abandoned: nobody waits any more; if it is granted it is given back.
	abandoned bool
}

// answer is what a server decided.
type answer struct {
	op    byte
	token uint64
}

func (c *call) match() match {
	id := c.request.Token
	if c.request.Op == proto.OpAcquire {
		id = c.request.Owner
	}
	return match{c.request.Op == proto.OpAcquire, id, string(c.request.Key)}
}

// newConn takes over nc. The caller starts read and write, each on a goroutine
// of its own.
func newConn(nc net.Conn, now func() time.Duration, onLeader func(string), onEnd func(*conn, error, bool)) *conn {
	return &conn{
		nc: nc, now: now, onLeader: onLeader, onEnd: onEnd,
		calls: map[match][]*call{}, wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// send queues a request. On a connection that has ended the call fails at once.
func (c *conn) send(r proto.Request) *call {
	cl := &call{request: r, done: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		cl.err = abortedError{cause: c.cause}
		close(cl.done)
		return cl
	}
	c.queue(cl)
	return cl
}

// queue holds mu.
func (c *conn) queue(cl *call) {
	cl.sentAt = c.now()
	r := &cl.request
	switch r.Op {
	case proto.OpAcquire:
		c.out = proto.AppendAcquire(c.out, r.Wait, r.Lease, r.Owner, r.Key)
	case proto.OpRelease:
		c.out = proto.AppendRelease(c.out, r.Token, r.Key)
	case proto.OpKeep:
		c.out = proto.AppendKeep(c.out, r.Token, r.Lease, r.Key)
	default:
		panic(fmt.Sprintf("BUG: request with opcode %q", r.Op))
	}
	m := cl.match()
	c.calls[m] = append(c.calls[m], cl)
	c.open++
	c.asked = time.Now()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// abandon says that nobody waits for cl any more. A grant that comes all the
// same is given back, so that the key is not held by nobody.
func (c *conn) abandon(cl *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cl.abandoned = true
	c.giveBack(cl)
}

// giveBack releases what an abandoned call was granted. It holds mu.
func (c *conn) giveBack(cl *call) {
	if !cl.abandoned || cl.answer.op != proto.ReplyAcquired || c.cause != nil {
		return
	}
	r := proto.Request{Op: proto.OpRelease, Token: cl.answer.token, Key: cl.request.Key}
	c.queue(&call{request: r, done: make(chan struct{}), abandoned: true})
}

// end closes the connection and fails all open calls. Only the first cause
// counts.
func (c *conn) end(cause error) {
	c.mu.Lock()
	if c.cause != nil {
		c.mu.Unlock()
		return
	}
	c.cause = cause
	// An M answers one request and names none: it is known which only when
	// there is but one.
	_, moved := cause.(movedError)
	err := abortedError{cause: cause, open: !moved || c.open > 1}
	calls, answered := c.calls, c.answered
	c.calls, c.out, c.open = nil, nil, 0
	close(c.ended)
	c.mu.Unlock()

	c.nc.Close()
	c.onEnd(c, cause, answered)
	for _, queue := range calls {
		for _, cl := range queue {
			cl.err = err
			close(cl.done)
		}
	}
}

// write is the writer's goroutine: it sends what has gathered, in one piece.
func (c *conn) write() {
	idle := time.NewTimer(keepAliveEvery)
	defer idle.Stop()
	var buf []byte
	for {
		select {
		case <-c.ended:
			return
		case <-idle.C:
			buf = append(buf[:0], '\n')
		case <-c.wake:
			c.mu.Lock()
			buf, c.out = c.out, buf[:0]
			c.mu.Unlock()
		}
		err := c.nc.SetWriteDeadline(time.Now().Add(writeTimeout))
		if err == nil {
			_, err = c.nc.Write(buf)
		}
		if err != nil {
			c.end(err)
			return
		}
		idle.Reset(keepAliveEvery)
	}
}

// read is the reader's goroutine.
func (c *conn) read() {
	buf := make([]byte, 0, readBufferBytes)
	for {
		n, err := c.hear(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		taken, bad := c.frames(buf)
		switch {
		case bad != nil:
			c.end(bad)
			return
		case err != nil:
			c.end(readError(err))
			return
		}
		buf = buf[:copy(buf, buf[taken:])]
	}
}

// hear reads, for as long as a server may be silent. It counts from the latest
// request too: a server sends keep-alives only while nothing goes either way.
func (c *conn) hear(b []byte) (n int, err error) {
	for from := time.Now(); ; {
		until := from.Add(silenceLimit)
		if err := c.nc.SetReadDeadline(until); err != nil {
			return 0, err
		}
		n, err := c.nc.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		c.mu.Lock()
		from = c.asked
		c.mu.Unlock()
		if !from.Add(silenceLimit).After(until) {
			return 0, errSilent
		}
	}
}

func readError(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// frames takes in the whole frames that b begins with.
func (c *conn) frames(b []byte) (taken int, err error) {
	for {
		var r proto.Reply
		n, ok := proto.ParseReply(b[taken:], &r)
		if !ok {
			return taken, fmt.Errorf("%w: a frame that can't be read: %q", ErrProtocol, b[taken:])
		}
		if n == 0 {
			return taken, nil
		}
		taken += n
		if err := c.reply(&r); err != nil {
			return taken, err
		}
	}
}

// reply takes in one frame. An error ends the connection.
func (c *conn) reply(r *proto.Reply) error {
	switch r.Op {
	case 0:
		return nil
	case proto.ReplyMoved:
		return movedError{string(r.Text)}
	case proto.ReplyLeader:
		c.onLeader(string(r.Text))
		return nil
	case proto.ReplyError:
		return errorOfReason(proto.Reason(r.Text))
	case proto.ReplyAcquired, proto.ReplyTimedOut, proto.ReplyBusy:
		return c.decide(match{true, r.Owner, string(r.Text)}, r)
	}
	return c.decide(match{false, r.Token, string(r.Text)}, r)
}

// decide gives the oldest call that matches its answer.
func (c *conn) decide(m match, r *proto.Reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.calls[m]
	if len(queue) == 0 || !answers(r.Op, queue[0].request.Op) {
		return fmt.Errorf("%w: %q for key %q answers nothing that was asked", ErrProtocol, r.Op, r.Text)
	}
	cl := queue[0]
	if len(queue) == 1 {
		delete(c.calls, m)
	} else {
		c.calls[m] = queue[1:]
	}
	c.open--
	c.answered = true
	cl.answer = answer{r.Op, r.Token}
	close(cl.done)
	c.giveBack(cl)
	return nil
}

// answers reports whether a reply can be to a request, of those that match.
func answers(reply byte, request proto.Op) bool {
	switch reply {
	case proto.ReplyReleased:
		return request == proto.OpRelease
	case proto.ReplyKept:
		return request == proto.OpKeep
	}
	return true
}
