package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ticketing/benchmarks"
	"ticketing/client"
)

// beTicket makes the test program be ticket itself.
const beTicket = "TICKET_TEST_IS_TICKET"

// patience is how long a test waits for what should come soon.
const patience = 30 * time.Second

var ticketdProgram string

func TestMain(m *testing.M) {
	if os.Getenv(beTicket) != "" {
		main()
	}
	dir, err := os.MkdirTemp("", "ticket-test-")
	if err == nil {
		ticketdProgram = filepath.Join(dir, "ticketd")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", ticketdProgram, "ticketing/cmd/ticketd").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// serve starts a server for one test.
func serve(t *testing.T, args ...string) *benchmarks.Server {
	t.Helper()
	s, err := benchmarks.StartTicketd(ticketdProgram, append([]string{"--memory"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Kill(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ticket is the program, to be started, with both ends of a server.
func ticket(t *testing.T, s *benchmarks.Server, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), beTicket+"=1")
	if s != nil {
		cmd.Env = append(cmd.Env, "TICKET_ADDR="+s.Addr, "TICKET_HTTP="+s.HTTP)
	}
	return cmd
}

// finish runs cmd to its end.
func finish(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func wantCode(t *testing.T, cmd *exec.Cmd, want int) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := finish(t, cmd)
	if code != want {
		t.Errorf("%q ended with %d, want %d; it said:\n%s%s", cmd.Args[1:], code, want, stdout, stderr)
	}
	return stdout, stderr
}

// running starts cmd and returns when it has printed a line, with that line.
func running(t *testing.T, cmd *exec.Cmd) (line string, stderr *bytes.Buffer) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = w, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { r.Close() })
	for b := make([]byte, 1); ; {
		if _, err := r.Read(b); err != nil {
			t.Fatalf("%q said %q and no more; errors: %s", cmd.Args[1:], line, stderr)
		}
		if b[0] == '\n' {
			return line, stderr
		}
		line += string(b)
	}
}

func waitFor(t *testing.T, cmd *exec.Cmd, wantCode int, stderr fmt.Stringer) {
	t.Helper()
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != wantCode {
		t.Errorf("%q ended with %d, want %d: %s", cmd.Args[1:], got, wantCode, stderr)
	}
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

// take acquires a key from outside; the test fails if it can't be had in time.
func take(t *testing.T, s *benchmarks.Server, key string, wait, lease time.Duration) *client.Lock {
	t.Helper()
	c, err := client.New(client.Config{Addrs: []string{s.Addr}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	lock, err := c.Acquire(context.Background(), key, wait, lease)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func TestBadUsage(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\nsecret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"", "fly", "run", "run k", "acquire", "acquire k --wait=1", "acquire k --wait=1500ms", "acquire k --lease=0s",
		"acquire k --wait=65536s", "acquire k --lease=-1s", "release k", "release k x", "release k -1",
		"acquire k --addr=nowhere", "run k --lease=0s -- true", "status --fly", "acquire k --auth-token-file=/does/not/exist",
		"acquire k --auth-token-file=" + empty, "status --admin-token-file=" + empty, "locks --limit=x",
	} {
		_, stderr := wantCode(t, ticket(t, nil, strings.Fields(args)...), exitUsage)
		if !strings.HasPrefix(stderr, "ticket: ") {
			t.Errorf("%q says %q", args, stderr)
		}
	}
	for _, key := range []string{"", "a b", "a\nb", strings.Repeat("k", 129)} {
		wantCode(t, ticket(t, nil, "acquire", key), exitUsage)
	}
}

func TestHelpNamesUnitsAndDefaults(t *testing.T) {
	t.Parallel()
	stdout, _ := wantCode(t, ticket(t, nil, "run", "--help"), 0)
	for _, want := range []string{"--wait", "30s", "--lease", "$TICKET_LEASE", "--no-keep", "TICKET_TOKEN", "75"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s in\n%s", want, stdout)
		}
	}
}
