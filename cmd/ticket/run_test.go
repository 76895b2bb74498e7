package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ticketing/benchmarks"
)

// wantFree checks that nobody holds the key.
func wantFree(t *testing.T, acquire *exec.Cmd) {
	t.Helper()
	acquire.Args = append(acquire.Args, "acquire", "k", "--wait=0s")
	wantCode(t, acquire, 0)
}

func TestACommandRunsUnderTheLock(t *testing.T) {
	t.Parallel()
	s := serve(t)
	stdout, _ := wantCode(t, ticket(t, s, "run", "k", "--wait=1s", "--", "sh", "-c", `echo "$TICKET_TOKEN" "$1"; exit 7`, "sh", "--wait=x"), 7)
	token, rest, _ := strings.Cut(strings.TrimSpace(stdout), " ")
	if n, err := strconv.ParseUint(token, 10, 64); err != nil || n == 0 || rest != "--wait=x" {
		t.Errorf("the command saw %q", stdout)
	}
	wantFree(t, ticket(t, s))
}

func TestTheKeyIsHeldWhileTheCommandRuns(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cmd := ticket(t, s, "run", "k", "--lease=2s", "--", "sh", "-c", "echo on; read line; exit 0")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	_, stderr := running(t, cmd)
	// Twice the lease: without keeping, the key would be had.
	wantCode(t, ticket(t, s, "acquire", "k", "--wait=4s"), exitNotAcquired)
	wantCode(t, ticket(t, s, "run", "k", "--wait=0s", "--", "touch", "/nowhere/at/all"), exitNotAcquired)
	in.Close()
	waitFor(t, cmd, 0, stderr)
	wantFree(t, ticket(t, s))
}

func TestACommandThatCannotRun(t *testing.T) {
	t.Parallel()
	s := serve(t)
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantCode(t, ticket(t, s, "run", "k", "--", "no-such-command-anywhere"), exitNoCommand)
	wantCode(t, ticket(t, s, "run", "k", "--", "/no/such/file"), exitNoCommand)
	wantCode(t, ticket(t, s, "run", "k", "--", plain), exitCannotRun)
	wantFree(t, ticket(t, s))
}

func TestACommandThatASignalEnds(t *testing.T) {
	t.Parallel()
	s := serve(t)
	wantCode(t, ticket(t, s, "run", "k", "--", "sh", "-c", "kill -9 $$"), exitSignal+9)
	wantFree(t, ticket(t, s))
}

func TestSignalsArePassedOn(t *testing.T) {
	t.Parallel()
	// Whoever runs the tests in the background may have them ignore some of
	// these, and what is ignored is handed down, unless it is listened for.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT)
	s := serve(t)
	for i, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1} {
		cmd := ticket(t, s, "run", "k", "--", "sh", "-c",
			`trap "exit 20" TERM; trap "exit 21" INT; trap "exit 22" HUP; trap "exit 23" USR1; echo on; while :; do sleep 0.02; done`)
		_, stderr := running(t, cmd)
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		waitFor(t, cmd, 20+i, stderr)
	}
	wantFree(t, ticket(t, s))
}

// A process that was told to ignore a signal, as nohup does, goes on to.
func TestAnIgnoredSignalStaysIgnored(t *testing.T) {
	t.Parallel()
	s := serve(t)
	inner := ticket(t, s, "run", "k", "--", "sh", "-c", "echo on; read line; exit 5")
	cmd := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, inner.Args...)...)
	cmd.Env = inner.Env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	_, stderr := running(t, cmd)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	in.Close()
	waitFor(t, cmd, 5, stderr)
}

// The server is gone: when the lease is over the command is told to end, with
// all that it started.
func TestALostLockEndsTheCommand(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cmd := ticket(t, s, "run", "k", "--lease=1s", "--", "sh", "-c", `sleep 1000 & echo $!; wait`)
	line, stderr := running(t, cmd)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	child, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command's child has ended", func() bool { return gone(child) || zombie(child) })
	if took := time.Since(began); took > killAfter {
		t.Errorf("it took %v", took)
	}
	waitFor(t, cmd, exitLost, stderr)
	if !strings.Contains(stderr.String(), "the lock is lost: SIGTERM to the command") {
		t.Errorf("says %q", stderr)
	}
}

// The server is killed and comes back with what it had on disk: the lock is the
// same, is kept on, and is released.
func TestALockOutlivesTheServerThatGaveIt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	start := func(listen string) *benchmarks.Server {
		s, err := benchmarks.StartTicketd(ticketdProgram, "--data-dir="+dir, "--listen="+listen)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start("127.0.0.1:0")
	cmd := ticket(t, s, "run", "k", "--lease=3s", "--", "sh", "-c", "echo on; read line; exit 0")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	_, stderr := running(t, cmd)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	s = start(s.Addr)
	// A wait of more than the lease: it is kept at the new process.
	wantCode(t, ticket(t, s, "acquire", "k", "--wait=4s"), exitNotAcquired)
	in.Close()
	waitFor(t, cmd, 0, stderr)
	wantFree(t, ticket(t, s))
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// zombie: a child of ours that nobody has collected yet, as in a container
// without a first process that does.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// One that holds out against SIGTERM is killed, and its own exit code is not
// taken for success.
func TestALostLockEndsACommandThatHoldsOut(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cmd := ticket(t, s, "run", "k", "--lease=1s", "--no-keep", "--", "sh", "-c", `trap "" TERM; echo on; while :; do sleep 0.1; done`)
	began := time.Now()
	_, stderr := running(t, cmd)
	waitFor(t, cmd, exitLost, stderr)
	if took := time.Since(began); took < killAfter {
		t.Errorf("killed after %v", took)
	}
	cmd = ticket(t, s, "run", "k", "--lease=1s", "--no-keep", "--", "sh", "-c", `trap "exit 0" TERM; echo on; while :; do sleep 0.02; done`)
	_, stderr = running(t, cmd)
	waitFor(t, cmd, exitLost, stderr)
}

// When ticket itself is killed, its command is told to end, and the key is free
// after one lease.
func TestNothingKeepsTheLockOfADeadParent(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cmd := ticket(t, s, "run", "k", "--lease=2s", "--", "sh", "-c", `echo $$; exec sleep 1000`)
	line, _ := running(t, cmd)
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command has ended", func() bool { return gone(pid) || zombie(pid) })
	take(t, s, "k", 10*time.Second, time.Minute)
	cmd.Wait()
}

func TestTheTerminalIsReadFromStat(t *testing.T) {
	t.Parallel()
	for stat, want := range map[string]terminal{
		"7 (ticket) S 1 7 7 0 -1 4194304":       {},
		"7 (ticket) S 1 7 7 34816 7 4194304":    {there: true, foreground: true},
		"7 (ticket) S 1 7 7 34816 9 4194304":    {there: true},
		"7 (a) S 1 (b) R 1 7 7 34816 7 4194304": {there: true, foreground: true},
	} {
		if got, err := parseStat([]byte(stat)); err != nil || got != want {
			t.Errorf("of %q: %+v, error %v", stat, got, err)
		}
	}
	if _, err := parseStat([]byte("7 (ticket) S")); err == nil {
		t.Error("a line without these fields passes")
	}
	typed := terminal{there: true, foreground: true}
	if !typed.sent(syscall.SIGINT) || typed.sent(syscall.SIGTERM) || (terminal{there: true}).sent(syscall.SIGINT) {
		t.Error("wrong about who sent what")
	}
}
