package loop

import (
	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"
)

// link is the way to a client: a gnet connection, or a TLS one (tls.go).
type link interface {
	// write hands b over to the socket layer. The connection may end within
	// the call.
	write(b []byte)
	// full says to hand over no more for now.
	full() bool
	// buffered is how many bytes have been handed over and not yet been taken
	// by the socket.
	buffered() int
	// untaken is what was handed over last, if the socket has had no byte of
	// it.
	untaken() []byte
	// shut ends our side of the stream behind what was written.
	shut()
	// close ends the connection; Server.gone is called within it, or soon.
	close()
	remote() string
}

// plain is a gnet connection. gnet does not look whether one has been closed
// before it writes to its descriptor, which by then may be another client's:
// nothing here may be called in phaseGone.
type plain struct {
	sock    gnet.Conn
	writing []byte
}

func (p *plain) write(b []byte) {
	p.writing = b
	// An error has closed the connection already, in OnClose below us.
	_, _ = p.sock.Write(b)
	p.writing = nil
}

func (p *plain) full() bool     { return p.sock.OutboundBuffered() > 0 }
func (p *plain) buffered() int  { return p.sock.OutboundBuffered() }
func (p *plain) remote() string { return p.sock.RemoteAddr().String() }

// untaken is asked in OnClose: a write that failed at once has sent nothing,
// one that failed later has left the rest in gnet's buffer.
func (p *plain) untaken() []byte {
	if p.full() {
		return nil
	}
	return p.writing
}

func (p *plain) shut() {
	if !p.full() {
		_ = unix.Shutdown(p.sock.Fd(), unix.SHUT_WR) // if it is reset, OnClose follows
	}
}

func (p *plain) close() { _ = p.sock.EventLoop().Close(p.sock) }
