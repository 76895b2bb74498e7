package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAKeyIsAcquiredAndReleased(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token, _ := wantCode(t, ticket(t, s, "acquire", "k"), 0)
	token = strings.TrimSpace(token)
	if _, err := strconv.ParseUint(token, 10, 64); err != nil {
		t.Fatalf("printed %q", token)
	}
	if _, stderr := wantCode(t, ticket(t, s, "acquire", "k", "--wait=0s"), exitNotAcquired); !strings.Contains(stderr, "k not acquired: the key is held") {
		t.Errorf("says %q", stderr)
	}
	wantCode(t, ticket(t, s, "release", "k", "1"), exitNo)
	wantCode(t, ticket(t, s, "release", "k", token), 0)
	if _, stderr := wantCode(t, ticket(t, s, "release", "k", token), exitNo); !strings.Contains(stderr, "the token does not hold the key") {
		t.Errorf("says %q", stderr)
	}
	stdout, _ := wantCode(t, ticket(t, s, "acquire", "k", "--lease=7s", "--json"), 0)
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	// A token needs all 64 bits, so it is text.
	second, err := strconv.ParseUint(got["token"].(string), 10, 64)
	first, _ := strconv.ParseUint(token, 10, 64)
	if err != nil || second <= first || got["key"] != "k" || got["lease_s"] != 7.0 {
		t.Errorf("printed %s after token %s", stdout, token)
	}
}

func TestAnAcquireWaitsItsTurn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	lock := take(t, s, "k", 0, time.Minute)
	cmd := ticket(t, s, "acquire", "k")
	done := make(chan int)
	go func() { code, _, _ := finish(t, cmd); done <- code }()
	eventually(t, "one waits", func() bool {
		stdout, _ := wantCode(t, ticket(t, s, "locks"), 0)
		return strings.HasSuffix(strings.TrimSpace(stdout), " 1")
	})
	if err := lock.Release(context.Background()); err != nil {
		t.Error(err)
	}
	if code := <-done; code != 0 {
		t.Errorf("ended with %d", code)
	}
}

func TestNoServerIsNotAcquired(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	_, stderr := wantCode(t, ticket(t, s, "acquire", "k", "--wait=0s"), exitNotAcquired)
	if !strings.Contains(stderr, "refused") {
		t.Errorf("says %q, and not why", stderr)
	}
	wantCode(t, ticket(t, s, "release", "k", "1"), exitNotAcquired)
	wantCode(t, ticket(t, s, "status"), exitNo)
}

func TestTheSecretIsTheFirstLineOfItsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := serve(t, "--auth-token-file="+file("server", "new\nold\n"), "--admin-token-file="+file("admin", "boss"))
	for text, want := range map[string]int{"new\nother\n": 0, "old\r\n": 0, "old": 0, "neither\n": exitNotAcquired} {
		wantCode(t, ticket(t, s, "acquire", strconv.Itoa(len(text)), "--auth-token-file="+file("client", text)), want)
	}
	wantCode(t, ticket(t, s, "acquire", "k"), exitNotAcquired)
	wantCode(t, ticket(t, s, "status"), exitNo)
	wantCode(t, ticket(t, s, "status", "--admin-token-file="+file("mine", "boss\n")), 0)
}

func TestStatusAndLocksAreShown(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := take(t, s, "jobs/nightly", 0, time.Minute).Token()
	take(t, s, "other\x1b[31m", 0, time.Minute)
	stdout, _ := wantCode(t, ticket(t, s, "status"), 0)
	for _, want := range []string{"role", "single", "keys", "durable", "false"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s in\n%s", want, stdout)
		}
	}
	stdout, _ = wantCode(t, ticket(t, s, "locks"), 0)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 3 {
		t.Fatalf("got\n%s", stdout)
	}
	if got := strings.Fields(lines[1]); len(got) != 6 || got[0] != "jobs/nightly" || got[1] != strconv.FormatUint(token, 10) || got[5] != "0" {
		t.Errorf("got %q", lines[1])
	}
	if got := strings.Fields(lines[2]); got[0] != `"other\x1b[31m"` {
		t.Errorf("got %q", lines[2])
	}
	stdout, _ = wantCode(t, ticket(t, s, "locks", "--prefix=jobs/", "--limit=5", "--held-for=0s", "--json"), 0)
	var locks []map[string]any
	if err := json.Unmarshal([]byte(stdout), &locks); err != nil || len(locks) != 1 || locks[0]["key"] != "jobs/nightly" {
		t.Errorf("got %s, error %v", stdout, err)
	}
	stdout, _ = wantCode(t, ticket(t, s, "locks", "--held-for=1h"), 0)
	if strings.Count(stdout, "\n") != 1 {
		t.Errorf("got\n%s", stdout)
	}
	stdout, _ = wantCode(t, ticket(t, s, "status", "--json"), 0)
	if !json.Valid([]byte(stdout)) {
		t.Errorf("got %s", stdout)
	}
	if _, stderr := wantCode(t, ticket(t, s, "locks", "--limit=0"), exitNo); !strings.Contains(stderr, "limit") {
		t.Errorf("says %q", stderr)
	}
}

// A signal ends the wait for a lock; the place in the queue is given up.
func TestASignalEndsTheWait(t *testing.T) {
	t.Parallel()
	s := serve(t)
	take(t, s, "k", 0, time.Minute)
	cmd := ticket(t, s, "run", "k", "--", "true")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waiting := func() bool {
		stdout, _ := wantCode(t, ticket(t, s, "locks"), 0)
		return strings.HasSuffix(strings.TrimSpace(stdout), " 1")
	}
	eventually(t, "one waits", waiting)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, cmd, exitSignal+int(syscall.SIGTERM), &said)
	eventually(t, "nobody waits", func() bool { return !waiting() })
}
