package consensus

import (
	"fmt"
	"strings"
)

// facts are what "expect" can ask of a member.
var facts = map[string]func(m *member) string{
	"role": func(m *member) string {
		return [...]string{"follower", "candidate", "leader", "learner"}[m.core.State().Role]
	},
	"leader":   func(m *member) string { return fmt.Sprint(m.core.State().Leader) },
	"leading":  func(m *member) string { return fmt.Sprint(m.core.Leading()) },
	"ready":    func(m *member) string { return fmt.Sprint(m.core.Ready()) },
	"promised": func(m *member) string { return printBallot(m.core.State().Ballot) },
	"durable":  func(m *member) string { return printBallot(m.disk.state.promised) },
	"commit":   func(m *member) string { return fmt.Sprint(m.core.State().Commit) },
	"applied":  func(m *member) string { return fmt.Sprint(m.core.State().Applied) },
	"last":     func(m *member) string { return fmt.Sprint(m.core.State().Last) },
	"mark":     func(m *member) string { return printBallot(m.core.State().Mark) },
	"now":      func(m *member) string { return printTime(uint64(m.core.State().Now)) },
	"snapshot": func(m *member) string { return fmt.Sprint(m.core.snapshot.inForce.Slot) },
	"first":    func(m *member) string { return fmt.Sprint(m.core.log.first) },
}

func (s *scenario) expect(args []string) error {
	m := s.member(args[0])
	for _, arg := range args[1:] {
		key, want, _ := strings.Cut(arg, "=")
		fact, known := facts[key]
		if !known {
			return fmt.Errorf("nothing is known of %s", key)
		}
		if got := fact(m); got != want {
			return fmt.Errorf("%s is %s%s", key, got, s.w.summary())
		}
	}
	return nil
}

func (s *scenario) expectLog(args []string) error {
	m := s.member(args[0])
	var got []string
	for slot := m.core.log.first; slot <= m.core.log.last(); slot++ {
		e := m.core.log.at(slot)
		got = append(got, fmt.Sprintf("%d:%s:%s", slot, printBallot(e.Ballot), strings.ReplaceAll(string(e.Payload), " ", "-")))
	}
	if want := strings.Join(args[1:], " "); strings.Join(got, " ") != want {
		return fmt.Errorf("the log is %s", strings.Join(got, " "))
	}
	return nil
}

func (s *scenario) expectPending(args []string) error {
	if n := len(s.w.net); n != number(args[0]) {
		return fmt.Errorf("%d messages are under way", n)
	}
	return nil
}
