package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ticketing/admin"
	"ticketing/proto"
)

// status is what /status says.
func (s *server) status() admin.Status {
	s.t.Helper()
	code, body := s.get("/status")
	var got admin.Status
	if err := json.Unmarshal([]byte(body), &got); err != nil || code != http.StatusOK {
		s.t.Fatalf("status %d, %q: %v", code, body, err)
	}
	return got
}

// waitFor waits until a field of /status has that value.
func (s *server) waitFor(field string, want int) {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		_, body := s.get("/status")
		if strings.Contains(body, fmt.Sprintf("%q: %d,", field, want)) {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s is not %d: %s", field, want, body)
		}
	}
}

// Interface: the paths of --http, each with what it promises.
func TestHTTP(t *testing.T) {
	s := serve(t, "--data-dir", t.TempDir())
	c := s.connect()
	ask := must(t)
	held := ask(c.ask(acquire(0, 600, 1<<63, "a/one")))
	ask(c.ask(acquire(0, 60, 2, "b/two")))
	if _, err := c.Write(acquire(600, 60, 3, "a/one")); err != nil {
		t.Fatal(err)
	}
	s.waitFor("waiters", 1)

	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
		if code, body := s.get(path); code != http.StatusOK || body != want {
			t.Errorf("%s: %d, %q", path, code, body)
		}
	}
	got := s.status()
	if got.Mode != "single" || got.Role != "single" || got.Leader != s.addr || !got.Durable || got.Keys != 2 ||
		got.Waiters != 1 || got.Conns != 1 || got.Applied == 0 || got.Commit < got.Applied || got.UptimeS <= 0 {
		t.Errorf("status %+v", got)
	}
	_, body := s.get("/locks?prefix=a/")
	var locks []map[string]any
	if err := json.Unmarshal([]byte(body), &locks); err != nil || len(locks) != 1 {
		t.Fatalf("locks %q: %v", body, err)
	}
	l := locks[0]
	if l["key"] != "a/one" || l["token"] != fmt.Sprint(held.token) || l["owner"] != "9223372036854775808" ||
		l["waiters"] != 1.0 || l["remaining_s"].(float64) > 600 || l["remaining_s"].(float64) < 500 || l["held_s"].(float64) < 0 {
		t.Errorf("lock %v", l)
	}
	for query, want := range map[string]int{"": 2, "?limit=1": 1, "?held_for=1h": 0, "?prefix=c": 0, "?held_for=0": 2} {
		var locks []admin.Lock
		_, body := s.get("/locks" + query)
		if err := json.Unmarshal([]byte(body), &locks); err != nil || len(locks) != want {
			t.Errorf("/locks%s: %q, want %d", query, body, want)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=x", "?held_for=-1s", "?perfix=a"} {
		if code, body := s.get("/locks" + query); code != http.StatusBadRequest {
			t.Errorf("/locks%s: %d, %q", query, code, body)
		}
	}
	_, page := s.get("/metrics")
	for _, want := range []string{"ticketd_grants_total 2", "ticketd_keys 2", "ticketd_waiters 1", "ticketd_connections 1",
		"ticketd_requests_total 3", "ticketd_write_seconds_count", "ticketd_store_bytes", "go_goroutines"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in /metrics", want)
		}
	}
	if code, _ := s.get("/debug/pprof/"); code != http.StatusNotFound {
		t.Errorf("profiles without --pprof: %d", code)
	}
}

// Interface: --admin-token-file is asked for, but by probes.
func TestAdminToken(t *testing.T) {
	file := t.TempDir() + "/tokens"
	write(t, file, "one\r\ntwo\n")
	s := serve(t, "--memory", "--admin-token-file", file, "--pprof")
	for _, tc := range []struct {
		path, token string
		want        int
	}{
		{"/healthz", "", 200}, {"/readyz", "", 200},
		{"/status", "", 401}, {"/status", "Bearer three", 401}, {"/status", "one", 401}, {"/status", "Bearer ", 401},
		{"/status", "Bearer one", 200}, {"/metrics", "Bearer two", 200}, {"/locks", "", 401},
		{"/debug/pprof/", "", 401}, {"/debug/pprof/", "Bearer one", 200},
	} {
		r, _ := http.NewRequest("GET", "http://"+s.http+tc.path, nil)
		r.Header.Set("Authorization", tc.token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != tc.want {
			t.Errorf("%s with %q: %d", tc.path, tc.token, answer.StatusCode)
		}
	}
}

// A list of very many locks is complete and in order, and nobody who locks is
// held up by it.
func TestListOfManyLocks(t *testing.T) {
	const keys = 100_000
	s := serve(t, "--memory", "--max-inflight", fmt.Sprint(keys))
	c := s.connect()
	var b []byte
	for i := range keys {
		b = proto.AppendAcquire(b, 0, 3600, uint64(i), fmt.Appendf(nil, "key-%06d", i))
	}
	go c.Write(b)
	for range keys {
		if got, err := c.next(); err != nil || got.op != 'A' {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	var locks []admin.Lock
	_, body := s.get("/locks?limit=10000&prefix=key-09")
	if err := json.Unmarshal([]byte(body), &locks); err != nil || len(locks) != 10_000 {
		t.Fatalf("%d locks: %v", len(locks), err)
	}
	for i, l := range locks {
		if want := fmt.Sprintf("key-%06d", 90_000+i); l.Key != want {
			t.Fatalf("lock %d is %s, want %s", i, l.Key, want)
		}
	}
	other := s.connect()
	listed := make(chan struct{})
	go func() {
		defer close(listed)
		for range 5 {
			s.get("/locks?limit=10&prefix=none-such")
		}
	}()
	var worst time.Duration
	for done := false; !done; {
		began := time.Now()
		got := must(t)(other.ask(acquire(0, 60, 1, "other")))
		must(t)(other.ask(release(got.token, "other")))
		worst = max(worst, time.Since(began))
		select {
		case <-listed:
			done = true
		default:
		}
	}
	if worst > time.Second {
		t.Fatalf("an acquire and release took %v at most, while %d locks were listed", worst, keys)
	}
}
