package node

import (
	"fmt"

	"ticketing/lock"
	"ticketing/proto"
)

// Conn names a client connection: a generation in the upper half, an index in
// the lower. No value is used twice in a process, and 0 is none.
type Conn uint64

// Index is small and dense, so that a shell may keep its own side of the
// connection in a slice. It is used again after Gone.
func (c Conn) Index() int { return int(uint32(c)) }

// conn is the node's side of a connection.
type conn struct {
	id Conn // 0 while the place is free
	// out holds the replies of this round.
	out []byte
	// inflight counts requests that were taken in and not answered.
	inflight int
	dirty    bool // is in conns.dirty
	drop     bool
}

// conns holds the open connections in places that are used again.
type conns struct {
	places []conn
	free   []uint32
	nextID uint64 // generation
	open   int
	// dirty are the places with replies in this round, in the order of their
	// first.
	dirty []uint32
}

// get returns the connection, or nil if it is gone.
func (cs *conns) get(id Conn) *conn {
	i := id.Index()
	if id == 0 || i >= len(cs.places) || cs.places[i].id != id {
		return nil
	}
	return &cs.places[i]
}

// must is get for the shell's own calls: it may only name what is open.
func (cs *conns) must(id Conn) *conn {
	c := cs.get(id)
	if c == nil {
		panic(fmt.Sprintf("BUG: connection %#x is not open", uint64(id)))
	}
	return c
}

func (cs *conns) add() Conn {
	if len(cs.free) == 0 {
		cs.free = append(cs.free, uint32(len(cs.places)))
		cs.places = append(cs.places, conn{})
	}
	i := cs.free[len(cs.free)-1]
	cs.free = cs.free[:len(cs.free)-1]
	cs.nextID++
	id := Conn(cs.nextID<<32 | uint64(i))
	cs.places[i] = conn{id: id, out: cs.places[i].out[:0]}
	cs.open++
	return id
}

func (cs *conns) remove(id Conn) {
	c := cs.must(id)
	*c = conn{out: keep(c.out)}
	cs.free = append(cs.free, uint32(id.Index()))
	cs.open--
}

// touch marks c as having replies in this round.
func (cs *conns) touch(c *conn) {
	if !c.dirty {
		c.dirty = true
		cs.dirty = append(cs.dirty, uint32(c.id.Index()))
	}
}

// keep returns an empty buffer for the next round: b's, unless it grew large.
func keep(b []byte) []byte {
	if cap(b) > replyBufferKeepBytes {
		return nil
	}
	return b[:0]
}

// Open admits a connection whose handshake is over.
func (n *Node) Open() Conn { return n.conns.add() }

// Gone says that a connection ended. unsent are replies that the shell never
// handed to the socket layer, beginning at a frame: the grants among them, and
// those of this round, go back to their queues, as by a release. What the
// connection still waits for leaves its queue; releases and keeps that were
// taken in take effect all the same.
func (n *Node) Gone(id Conn, unsent []byte) {
	c := n.conns.must(id)
	if n.reigning() {
		n.giveBack(unsent)
		n.giveBack(c.out)
		n.batch.appendGone(lock.Conn(id))
	}
	n.conns.remove(id)
}

// giveBack releases each grant in replies.
func (n *Node) giveBack(replies []byte) {
	var r proto.Reply
	for len(replies) > 0 {
		used, ok := proto.ParseReply(replies, &r)
		if used == 0 || !ok {
			panic(fmt.Sprintf("BUG: unsent replies do not begin at a frame or are cut: %q", replies))
		}
		if r.Op == 'A' {
			n.batch.appendRelease(0, r.Token, r.Text)
			n.counts.GivenBack++
		}
		replies = replies[used:]
	}
}
