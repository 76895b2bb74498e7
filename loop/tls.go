package loop

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"
)

// gnet knows no TLS. A TLS client has two goroutines instead: one reads, and
// hands what it got to the loop, waiting until that has been taken in; the
// other writes what the loop puts into the outbox. For all else it is a
// connection like any other.

const (
	// tlsHandshakesMax bounds how many TLS handshakes run at a time, before
	// anybody has shown a secret; the next waits to be accepted.
	tlsHandshakesMax = 256

	// tlsReadBytes is the most that is handed to the loop at a time. A frame
	// that is not whole fits with room to spare.
	tlsReadBytes = 8 << 10

	// tlsOutboxBytes make an outbox full.
	tlsOutboxBytes = 64 << 10
)

// secureConns is what goes on on the TLS listener.
type secureConns struct {
	handshakes chan struct{} // one for each that runs
	running    sync.WaitGroup
	writers    sync.WaitGroup

	mu      sync.Mutex
	raw     map[net.Conn]struct{} // from the accept on
	links   map[*secure]struct{}
	stopped bool // no more links
}

func newSecureConns() *secureConns {
	return &secureConns{
		handshakes: make(chan struct{}, tlsHandshakesMax),
		raw:        map[net.Conn]struct{}{},
		links:      map[*secure]struct{}{},
	}
}

// admitTLS returns as soon as the handshake may begin.
func (s *Server) admitTLS(raw net.Conn) {
	sc := s.secure
	select {
	case sc.handshakes <- struct{}{}:
	case <-s.ending:
		_ = raw.Close()
		return
	}
	sc.mu.Lock()
	sc.raw[raw] = struct{}{}
	sc.mu.Unlock()
	sc.running.Go(func() {
		s.serveTLS(raw)
		_ = raw.Close()
		sc.mu.Lock()
		delete(sc.raw, raw)
		sc.mu.Unlock()
	})
}

func (s *Server) serveTLS(raw net.Conn) {
	nc := tls.Server(raw, s.cfg.TLS)
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Limits.Handshake)
	err := nc.HandshakeContext(ctx)
	cancel()
	<-s.secure.handshakes
	if err != nil {
		s.metrics.tlsFailures.Inc()
		s.cfg.Log.Debug("TLS handshake failed", slog.Any("client", raw.RemoteAddr()), slog.Any("error", err))
		return
	}
	if why := s.refusal(); why != "" {
		s.turnAway(nc, why)
		return
	}
	l := &secure{s: s, c: newConn(), nc: nc, raw: raw, kick: make(chan struct{}, 1), written: make(chan struct{})}
	if !s.secure.start(l) {
		return
	}
	s.later(func() { l.write(s.opened(l.c, l)) })
	l.readAll()
	l.shut()
	<-l.written
	s.secure.remove(l)
}

// start starts the writer, unless it is too late for that.
func (sc *secureConns) start(l *secure) bool {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if !sc.stopped {
		sc.links[l] = struct{}{}
		sc.writers.Go(l.writeAll)
	}
	return !sc.stopped
}

func (sc *secureConns) remove(l *secure) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	delete(sc.links, l)
}

// stop ends all TLS connections. No round runs any more: what the outboxes
// hold is all there will be, and it is written if the clients take it in time.
func (sc *secureConns) stop(wait time.Duration) {
	sc.mu.Lock()
	sc.stopped = true
	for l := range sc.links {
		l.shut()
	}
	sc.mu.Unlock()
	written := make(chan struct{})
	go func() {
		sc.writers.Wait()
		close(written)
	}()
	select {
	case <-written:
	case <-time.After(wait):
	}
	sc.mu.Lock()
	for raw := range sc.raw {
		_ = raw.Close()
	}
	sc.mu.Unlock()
	sc.running.Wait()
	<-written
}

// secure is the link of a TLS connection.
type secure struct {
	s   *Server
	c   *conn
	nc  *tls.Conn
	raw net.Conn
	// kick holds at most one: the writer has something to look at.
	kick    chan struct{}
	written chan struct{} // closed when the writer has ended

	mu      sync.Mutex
	outbox  []byte
	writing int // bytes that the writer has taken and not got rid of
	// ending: nothing more will be put into the outbox. closed: what is in it
	// must not be written any more.
	ending, closed bool
}

func (l *secure) write(b []byte) {
	l.mu.Lock()
	l.outbox = append(l.outbox, b...)
	l.mu.Unlock()
	l.wake()
}

func (l *secure) wake() {
	select {
	case l.kick <- struct{}{}:
	default: // it will look again anyhow
	}
}

func (l *secure) full() bool { return l.buffered() > tlsOutboxBytes }

func (l *secure) buffered() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.outbox) + l.writing
}

// untaken is asked once the link is closed: what the writer never took begins
// at a frame, since it takes all there is.
func (l *secure) untaken() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.outbox
}

func (l *secure) shut() {
	l.mu.Lock()
	l.ending = true
	l.mu.Unlock()
	l.wake()
}

func (l *secure) close() {
	l.mu.Lock()
	l.ending, l.closed = true, true
	l.mu.Unlock()
	l.wake()
	_ = l.raw.Close()
	l.s.gone(l.c)
}

func (l *secure) remote() string { return l.raw.RemoteAddr().String() }

// take returns what is to be written now, and whether that is all there will
// be.
func (l *secure) take() (b []byte, last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = 0
	if l.closed {
		return nil, true
	}
	b, l.outbox = l.outbox, nil
	l.writing = len(b)
	return b, l.ending
}

// writeAll is the writer's goroutine.
func (l *secure) writeAll() {
	defer close(l.written)
	for range l.kick {
		b, last := l.take()
		if len(b) > 0 {
			_ = l.nc.SetWriteDeadline(time.Now().Add(userTimeout))
			if _, err := l.nc.Write(b); err != nil {
				_ = l.raw.Close() // the reader notices
				last = true
			}
			l.wake() // take says that it is done, and what has come meanwhile
		}
		if last {
			_ = l.nc.CloseWrite()
			return
		}
	}
}

// readAll is the reader's goroutine.
func (l *secure) readAll() {
	buf := make([]byte, tlsReadBytes)
	have := 0
	for {
		n, err := l.nc.Read(buf[have:])
		have += n
		if n > 0 {
			used, ok := l.feed(buf[:have])
			if !ok {
				return
			}
			have = copy(buf, buf[used:have])
		}
		if err != nil {
			l.s.later(func() {
				if l.c.phase != phaseGone {
					l.close()
				}
			})
			return
		}
	}
}

// feed hands b to the loop and waits until it has taken of it what it could.
func (l *secure) feed(b []byte) (used int, ok bool) {
	done := make(chan int, 1)
	l.s.later(func() {
		used := len(b)
		if l.c.phase != phaseGone {
			var closeNow bool
			if used, closeNow = l.s.take(l.c, b); closeNow {
				l.close()
			}
		}
		done <- used
	})
	select {
	case used = <-done:
		return used, true
	case <-l.s.ending:
		return 0, false
	}
}
