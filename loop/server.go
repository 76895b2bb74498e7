package loop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"

	"ticketing/consensus"
	"ticketing/node"
	"ticketing/proto"
)

// Server is a replica with its clients.
type Server struct {
	cfg     Config
	metrics *loopMetrics
	engine  *gnet.Client
	ring    net.Conn // the other end of the bell

	listeners []net.Listener
	accepting sync.WaitGroup
	secure    *secureConns
	// turningAway: whoever connects now is told that the server shuts down.
	turningAway atomic.Bool
	conns       atomic.Int64
	inbox       inbox
	rounds      poster

	// ending is closed when the server begins to end, done when it has; err is
	// why, and may be read after done.
	ending  chan struct{}
	endOnce sync.Once
	done    chan struct{}
	err     error
	over    atomic.Bool // ending is closed: no more rounds
	// bellFell: gnet's loop has ended.
	bellFell atomic.Bool

	// The rest belongs to the loop's goroutine.

	replica   Replica
	disk      disk
	alarm     *alarm
	deadlines deadlines
	backlog   backlog
	nonces    nonces
	byIndex   []*conn // by node.Conn.Index
	broken    []*conn
	held      int // connections in phaseHeld
	// nextTelling is when a wrong secret is worth a line in the log again.
	nextTelling consensus.Mono

	now       consensus.Mono
	looked    bool // now is of this round
	taken     int  // bytes of frames in this round
	requests  int  // in this round
	request   proto.Request
	out       node.Output
	written   uint64 // seq of the last write
	persisted uint64

	draining   bool
	settled    bool
	drainUntil consensus.Mono
}

// Start brings the replica to where it has nothing left to write, then opens
// the ports, and returns while the server runs. Its error says what to do, or
// which address can't be had.
func Start(cfg Config) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, replica: cfg.Replica,
		ending: make(chan struct{}), done: make(chan struct{}),
	}
	s.metrics = newLoopMetrics(cfg.Metrics, s)
	s.alarm = newAlarm(s.post)
	s.secure = newSecureConns()
	if err := s.settleReplica(); err != nil {
		return nil, err
	}
	if err := s.startEngine(); err != nil {
		return nil, err
	}
	s.startDisk()
	if err := s.startListening(); err != nil {
		s.end(nil)
		s.finishEnd()
		return nil, err
	}
	go s.supervise()
	s.post()
	return s, nil
}

// settleReplica carries out what the store's contents ask for, above all the
// first entry of this process: nobody is let in before it is durable.
func (s *Server) settleReplica() error {
	for {
		s.replica.Flush(s.cfg.Clock(), &s.out)
		if len(s.out.Writes) == 0 {
			return nil
		}
		if s.cfg.Store != nil {
			if err := s.cfg.Store.Write(s.out.Writes); err != nil {
				return fmt.Errorf("the store can't be written to: %w", err)
			}
		}
		s.written = s.out.Writes[len(s.out.Writes)-1].Seq
		s.persisted = s.written
		s.replica.Persisted(s.written)
	}
}

func (s *Server) startEngine() error {
	engine, err := gnet.NewClient(&events{s: s},
		gnet.WithNumEventLoop(1),
		gnet.WithReadBufferCap(readBytes),
		gnet.WithLogger(gnetLog{s.cfg.Log}))
	if err != nil {
		return fmt.Errorf("make the event loop: %w", err)
	}
	if err := engine.Start(); err != nil {
		return fmt.Errorf("start the event loop: %w", err)
	}
	s.engine = engine
	s.rounds.run = gnet.RunnableFunc(func(context.Context) error {
		s.round()
		return nil
	})
	return s.hangBell()
}

// hangBell gets hold of gnet's loop.
func (s *Server) hangBell() error {
	inner, outer, err := socketPair()
	if err != nil {
		return fmt.Errorf("make a socket pair for the event loop: %w", err)
	}
	b := &bell{ready: make(chan gnet.EventLoop, 1)}
	if _, err := s.engine.EnrollContext(inner, b); err != nil {
		return fmt.Errorf("enrol the first connection: %w", err)
	}
	s.rounds.loop, s.ring = <-b.ready, outer
	return nil
}

func socketPair() (a, b net.Conn, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	ends := [2]net.Conn{}
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "bell")
		c, errConn := net.FileConn(f) // has a descriptor of its own
		err = errors.Join(err, errConn, f.Close())
		ends[i] = c
	}
	return ends[0], ends[1], err
}

func (s *Server) startDisk() {
	switch {
	case s.cfg.Store == nil:
		s.disk = noDisk{}
	case s.cfg.WriteOnLoop:
		s.disk = diskOnLoop{newWriter(s)}
	default:
		s.disk = newDiskThread(newWriter(s), s.post)
	}
}

func (s *Server) startListening() error {
	if err := s.startListener(s.cfg.Listen, s.admitPlain); err != nil {
		return err
	}
	if s.cfg.ListenTLS == "" {
		return nil
	}
	return s.startListener(s.cfg.ListenTLS, s.admitTLS)
}

func (s *Server) startListener(address string, admit func(net.Conn)) error {
	ln, err := listen(address)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, ln)
	for range acceptors {
		s.accepting.Go(func() { s.accept(ln, admit) })
	}
	return nil
}

// Addr is where clients connect to. Any goroutine.
func (s *Server) Addr() net.Addr { return s.listeners[0].Addr() }

// AddrTLS is where clients connect to by TLS; nil if they can't. Any goroutine.
func (s *Server) AddrTLS() net.Addr {
	if len(s.listeners) < 2 {
		return nil
	}
	return s.listeners[1].Addr()
}

// Done is closed when the server has ended; Err then says why.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns nil if the server ended because it was told to. It may be called
// after Done.
func (s *Server) Err() error { return s.err }

// fail ends the server without another answer. Any goroutine.
func (s *Server) fail(err error) { s.end(err) }

// end begins the end, once. Any goroutine.
func (s *Server) end(err error) {
	s.endOnce.Do(func() {
		s.err = err
		s.over.Store(true)
		close(s.ending)
	})
}

func (s *Server) supervise() {
	<-s.ending
	s.finishEnd()
	close(s.done)
}

// finishEnd takes down what Start built, in reverse.
func (s *Server) finishEnd() {
	for _, ln := range s.listeners {
		_ = ln.Close()
	}
	if !s.bellFell.Load() { // else the loop will not take what they hold
		s.accepting.Wait()
	}
	s.secure.stop(s.cfg.Limits.DrainFlush)
	s.rounds.close()
	_ = s.engine.Stop()
	s.disk.stop()
	s.alarm.stop()
	_ = s.ring.Close()
}
