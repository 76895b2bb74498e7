package benchmarks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	startTimeout = 20 * time.Second // until a server is ready
	stopTimeout  = 20 * time.Second // until it has ended after SIGTERM
	logKeptBytes = 8 << 10          // of what a server says, for error messages
)

// Server is a process that Start began. One goroutine at a time may use it.
type Server struct {
	Addr string // where clients connect
	HTTP string // ticketd's HTTP side

	cmd   *exec.Cmd
	said  tail
	ended chan struct{} // closed when the process is gone
	err   error         // how it ended
}

// StartTicketd starts program with serve, args, and free ports on loopback, and
// returns when it says that it is ready.
func StartTicketd(program string, args ...string) (*Server, error) {
	args = append([]string{"serve", "--listen=127.0.0.1:0", "--http=127.0.0.1:0", "--log-format=json"}, args...)
	s := &Server{cmd: exec.Command(program, args...), ended: make(chan struct{})}
	lines, err := s.start()
	if err != nil {
		return nil, err
	}
	ready := make(chan struct{})
	go s.follow(lines, ready)
	return s.await(ready)
}

// StartRedis starts redis-server with args, on a free port on loopback, and
// returns when it accepts connections. An error that is exec.ErrNotFound says
// that this machine has none.
func StartRedis(args ...string) (*Server, error) {
	addr, port, err := freePort()
	if err != nil {
		return nil, err
	}
	args = append([]string{"--bind", "127.0.0.1", "--port", port}, args...)
	s := &Server{Addr: addr, cmd: exec.Command("redis-server", args...), ended: make(chan struct{})}
	lines, err := s.start()
	if err != nil {
		return nil, err
	}
	ready := make(chan struct{})
	go s.follow(lines, nil)
	go s.knock(ready)
	return s.await(ready)
}

// freePort finds a port that nobody listens on at this moment.
func freePort() (addr, port string, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	defer ln.Close()
	a := ln.Addr().(*net.TCPAddr)
	return a.String(), strconv.Itoa(a.Port), nil
}

// start returns what the process writes.
func (s *Server) start() (io.Reader, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	s.cmd.Stdout, s.cmd.Stderr = w, w
	if err := s.cmd.Start(); err != nil {
		r.Close()
		return nil, fmt.Errorf("start: %w", err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	return r, nil
}

// follow reads what the process says, until it ends. It closes ready at
// ticketd's ready line, once it knows the addresses.
func (s *Server) follow(lines io.Reader, ready chan struct{}) {
	for scan := bufio.NewScanner(lines); scan.Scan(); {
		s.said.add(scan.Text())
		var line struct{ Msg, Listen, HTTP string }
		if ready == nil || json.Unmarshal(scan.Bytes(), &line) != nil || line.Msg != "ready" {
			continue
		}
		s.Addr, s.HTTP = line.Listen, line.HTTP
		close(ready)
		ready = nil
	}
}

// knock closes ready once a connection is taken.
func (s *Server) knock(ready chan struct{}) {
	for {
		nc, err := net.DialTimeout("tcp", s.Addr, openTimeout)
		if err == nil {
			nc.Close()
			close(ready)
			return
		}
		select {
		case <-s.ended:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *Server) await(ready chan struct{}) (*Server, error) {
	select {
	case <-ready:
		return s, nil
	case <-s.ended:
		return nil, fmt.Errorf("%s ended at once: %w; it said:\n%s", s.cmd.Path, s.err, s.said.text())
	case <-time.After(startTimeout):
		return nil, errors.Join(fmt.Errorf("%s was not ready within %v; it said:\n%s", s.cmd.Path, startTimeout, s.said.text()), s.Kill())
	}
}

// PID is that of the process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Stop ends the process in the orderly way (SIGTERM) and waits for that.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.ended:
	case <-time.After(stopTimeout):
		return errors.Join(fmt.Errorf("%s did not stop within %v; it said:\n%s", s.cmd.Path, stopTimeout, s.said.text()), s.Kill())
	}
	if s.err != nil {
		return fmt.Errorf("%s: %w; it said:\n%s", s.cmd.Path, s.err, s.said.text())
	}
	return nil
}

// Kill ends the process at once (SIGKILL).
func (s *Server) Kill() error {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.ended
	return nil
}

// ResidentBytes is how much memory the process has at this moment.
func (s *Server) ResidentBytes() (uint64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		return 0, err
	}
	_, rest, found := bytes.Cut(status, []byte("VmRSS:"))
	var kib uint64
	if _, err := fmt.Sscanf(string(rest), "%d kB", &kib); !found || err != nil {
		return 0, fmt.Errorf("no VmRSS for process %d: %w", s.PID(), err)
	}
	return kib << 10, nil
}

// tail is the end of what a process said.
type tail struct {
	mu    sync.Mutex
	lines []string
	bytes int
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	for t.bytes += len(line); t.bytes > logKeptBytes && len(t.lines) > 1; t.lines = t.lines[1:] {
		t.bytes -= len(t.lines[0])
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
