package main

import (
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Decision 22: a signal stops the server within 5 s, with exit code 0; who
// waits is told, what is in flight is answered.
func TestSignalStopsTheServer(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			s := serve(t, "--data-dir", t.TempDir())
			holder, waiter := s.connect(), s.connect()
			must(t)(holder.ask(acquire(0, 600, 1, "k")))
			if _, err := waiter.Write(acquire(600, 600, 2, "k")); err != nil {
				t.Fatal(err)
			}
			s.waitFor("waiters", 1)
			began := time.Now()
			s.signal(sig)
			if got, err := waiter.next(); err != nil || got.op != 'E' || got.text != "no_leader" {
				t.Fatalf("the waiter got %+v, %v", got, err)
			}
			if code := s.exit(); code != 0 {
				t.Fatalf("exit code %d:\n%s", code, s.log)
			}
			if d := time.Since(began); d > 5*time.Second {
				t.Fatalf("took %v", d)
			}
			if log := s.log.String(); !strings.Contains(log, "msg=stopped") {
				t.Fatalf("log:\n%s", log)
			}
		})
	}
}

// A second signal ends it at once, even where the first would.
func TestSecondSignal(t *testing.T) {
	s := serve(t, "--memory")
	s.signal(syscall.SIGSTOP) // so that both are there when it goes on
	s.signal(syscall.SIGTERM)
	s.signal(syscall.SIGINT)
	s.signal(syscall.SIGCONT)
	s.exit()
	log := s.log.String()
	if !strings.Contains(log, "second signal; what") && !strings.Contains(log, "msg=stopped") {
		t.Fatalf("log:\n%s", log)
	}
}

// A port that is taken is exit code 1 and a message that names it.
func TestPortInUse(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	port := ln.Addr().String()
	for _, flags := range [][]string{
		{"--listen", port, "--http="},
		{"--listen", "127.0.0.1:0", "--http", port},
	} {
		code, _, stderr := outcome(t, command(append([]string{"serve", "--memory"}, flags...)...))
		if code != exitFailure || !strings.Contains(stderr, port) || !strings.Contains(stderr, "another server runs there") {
			t.Errorf("%s: exit code %d, %q", flags, code, stderr)
		}
	}
}

// After kill -9 the same port can be had again at once, with connections of
// before still in the kernel's tables.
func TestSamePortAfterAKill(t *testing.T) {
	s := serve(t, "--memory")
	addr := s.addr
	must(t)(s.connect().ask(acquire(0, 60, 1, "k")))
	s.kill()
	again := serve(t, "--memory", "--listen", addr)
	must(t)(again.connect().ask(acquire(0, 60, 1, "k")))
}
