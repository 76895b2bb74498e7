package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ticketing/proto"
)

// The tests run this very binary as the server: with the race detector, if
// they have it.
const runAsServer = "RUN_AS_TICKETD"

func TestMain(m *testing.M) {
	if os.Getenv(runAsServer) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what should come at once.
const patience = 30 * time.Second

func command(args ...string) *exec.Cmd { return asServer(exec.Command(os.Args[0], args...)) }

func asServer(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(os.Environ(), runAsServer+"=1")
	return cmd
}

// outcome runs a command to its end.
func outcome(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// server is a running ticketd.
type server struct {
	t          *testing.T
	cmd        *exec.Cmd
	addr, http string
	tls        string
	log        *logLines
	ended      chan struct{} // closed when it has, with code
	code       int
}

var readyLine = regexp.MustCompile(`msg=ready listen=(\S+) tls=(\S+) http=(\S+) `)

func withEnv(cmd *exec.Cmd, env ...string) *exec.Cmd {
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// serve starts a server on free ports and waits until it is ready.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	return serveEnv(t, nil, args...)
}

func serveEnv(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	return serveCommand(t, withEnv(command(serveArgs(args...)...), env...))
}

func serveArgs(args ...string) []string {
	return append([]string{"serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"}, args...)
}

// serveCommand starts cmd, which runs a server, and waits until that is ready.
func serveCommand(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	s := launch(t, cmd)
	select {
	case line := <-s.log.ready:
		m := readyLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("the line that says it is ready: %q", line)
		}
		s.addr, s.tls, s.http = m[1], m[2], m[3]
	case <-s.ended:
		t.Fatalf("ended with %d:\n%s", s.code, s.log)
	case <-time.After(patience):
		t.Fatalf("not ready:\n%s", s.log)
	}
	return s
}

// launch starts a server and waits for nothing.
func launch(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, cmd: cmd, log: newLogLines(), ended: make(chan struct{})}
	cmd.Stderr = s.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		s.code = cmd.ProcessState.ExitCode()
		close(s.ended)
	}()
	t.Cleanup(s.kill)
	return s
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

func (s *server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// exit waits for the server's end.
func (s *server) exit() int {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("does not end:\n%s", s.log)
	}
	return s.code
}

// stop ends the server as an operator does.
func (s *server) stop() {
	s.t.Helper()
	s.signal(syscall.SIGTERM)
	if code := s.exit(); code != 0 {
		s.t.Fatalf("ended with %d:\n%s", code, s.log)
	}
}

// get returns what HTTP says.
func (s *server) get(path string) (status int, body string) {
	s.t.Helper()
	r, err := http.Get("http://" + s.http + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// logLines keeps what the server logs, and hands on the line that says ready.
type logLines struct {
	mu    sync.Mutex
	text  strings.Builder
	ready chan string
}

func newLogLines() *logLines { return &logLines{ready: make(chan string, 1)} }

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	for line := range strings.Lines(string(p)) {
		if strings.Contains(line, "msg=ready ") {
			l.ready <- line
		}
	}
	return len(p), nil
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// client is a connection that has answered the challenge.
type client struct {
	net.Conn
	in *bufio.Reader
}

func dial(addr, secret string) (*client, error) {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	_ = nc.SetDeadline(time.Now().Add(patience))
	return handshake(nc, secret)
}

func handshake(nc net.Conn, secret string) (*client, error) {
	c := &client{nc, bufio.NewReader(nc)}
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		nc.Close()
		return nil, err
	}
	var ch proto.Challenge
	if _, ok := proto.ParseChallenge(line, &ch); !ok || ch.Nonce == nil {
		nc.Close()
		return nil, errors.New("turned away: " + string(line))
	}
	_, err = c.Write(append(proto.Digest([]byte(secret), ch.Nonce), '\n'))
	return c, err
}

func (s *server) connect() *client {
	s.t.Helper()
	c, err := dial(s.addr, "")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

// reply is one reply with its own bytes.
type reply struct {
	op           byte
	token, owner uint64
	text         string
}

// next reads one reply, keep-alives passed over.
func (c *client) next() (reply, error) {
	for n := 1; ; {
		if _, err := c.in.Peek(n); err != nil {
			return reply{}, err
		}
		b, _ := c.in.Peek(c.in.Buffered())
		var r proto.Reply
		used, ok := proto.ParseReply(b, &r)
		if !ok {
			return reply{}, errors.New("not a reply: " + string(b))
		}
		got := reply{r.Op, r.Token, r.Owner, string(r.Text)}
		_, _ = c.in.Discard(used)
		switch {
		case used == 0:
			n = len(b) + 1
		case got.op != 0:
			return got, nil
		}
	}
}

// ask sends one request and reads one reply.
func (c *client) ask(request []byte) (reply, error) {
	if _, err := c.Write(request); err != nil {
		return reply{}, err
	}
	return c.next()
}

func acquire(wait, lease uint16, owner uint64, key string) []byte {
	return proto.AppendAcquire(nil, wait, lease, owner, []byte(key))
}

func release(token uint64, key string) []byte {
	return proto.AppendRelease(nil, token, []byte(key))
}

// must makes a failed ask the end of the test.
func must(t *testing.T) func(reply, error) reply {
	return func(r reply, err error) reply {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}
