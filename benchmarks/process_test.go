package benchmarks

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	if s, err := StartTicketd(ticketdProgram, "--memory", "--max-keys=0"); err == nil || !strings.Contains(err.Error(), "--max-keys") {
		t.Errorf("got %v, error %v", s, err)
	}
	if _, err := StartTicketd("no-such-program"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestAServerIsStoppedOrKilled(t *testing.T) {
	s, err := StartTicketd(ticketdProgram, "--memory")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.ResidentBytes(); err != nil || n < 1<<20 || n > 1<<30 {
		t.Errorf("%d resident bytes, error %v", n, err)
	}
	if s.HTTP == "" || s.Addr == "" {
		t.Errorf("addresses %q and %q", s.Addr, s.HTTP)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err != nil {
		t.Error("stopping twice:", err)
	}
	if s, err = StartTicketd(ticketdProgram, "--memory"); err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err == nil {
		t.Error("nobody says that it was killed")
	}
}
