package consensus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A scenario is a text file in testdata: a story told as commands, each on a
// line of its own. After "----" stands what the members do in answer, up to an
// empty line; `go test -rewrite` writes it anew. Commands that begin with
// "expect" check something that rewriting does not change. "#" begins a
// comment. The commands are in scenario_commands_test.go; ghost watches each
// scenario as it watches a walk.

const separator = "----"

// scenario is a file that is being run.
type scenario struct {
	w      *world
	out    strings.Builder
	cuts   map[[2]NodeID]bool
	paused map[NodeID]bool
	kept   []packet
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runScenario(t, file) })
	}
}

func runScenario(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{cuts: map[[2]NodeID]bool{}, paused: map[NodeID]bool{}}
	var anew strings.Builder
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		fmt.Fprintln(&anew, line)
		command, _, _ := strings.Cut(line, "#")
		if strings.TrimSpace(command) == "" {
			continue
		}
		s.out.Reset()
		if err := s.run(strings.Fields(command)); err != nil {
			t.Fatalf("%s:%d: %s: %v\n%s", file, i+1, line, err, s.out.String())
		}
		got := s.out.String()
		want, skip := expected(lines[i+1:])
		if got != "" {
			fmt.Fprintf(&anew, "%s\n%s\n", separator, got)
		}
		if got != want && !*rewrite {
			t.Errorf("%s:%d: %s\ngives\n%swant\n%s", file, i+1, line, got, want)
		}
		i += skip
		if skip == 0 && got != "" && i+1 < len(lines) && lines[i+1] == "" {
			i++ // the block has brought its own empty line
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(anew.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// expected returns the block of results that follows a command, and how many
// lines it takes up.
func expected(rest []string) (want string, lines int) {
	if len(rest) == 0 || rest[0] != separator {
		return "", 0
	}
	lines = 1
	for _, line := range rest[1:] {
		lines++
		if line == "" {
			break
		}
		want += line + "\n"
	}
	return want, lines
}

// run executes one command. A panic is how a member, its disk or the ghost says
// that something is wrong.
func (s *scenario) run(words []string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	command, known := commands[words[0]]
	if !known {
		return fmt.Errorf("unknown command")
	}
	if s.w == nil && words[0] != "cluster" {
		return fmt.Errorf("there is no cluster")
	}
	return command(s, words[1:])
}

// show prints what the members have done since it was last called.
func (s *scenario) show() {
	for _, m := range s.w.members {
		for _, line := range m.did {
			fmt.Fprintln(&s.out, line)
		}
		m.did = nil
	}
}
