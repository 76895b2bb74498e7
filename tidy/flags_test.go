package tidy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	flagName    = regexp.MustCompile("(?:^|[\\s`(\\[|])--([a-z][a-z0-9-]*)")
	flagInHelp  = regexp.MustCompile(`--(?:\[no-\])?([a-z][a-z0-9-]*)`)
	envName     = regexp.MustCompile(`\b(TICKETD?_[A-Z0-9_]+)\b`)
	subcommand  = regexp.MustCompile(`(?m)^  ([a-z][a-z0-9-]*)`)
	otherTools  = regexp.MustCompile(`\b(git|cargo|pip|go (test|run|build)|redis-[a-z]+|curl|apt-get|prometheus)\b`)
	ourPrograms = []string{"cmd/ticketd", "cmd/ticket", "cmd/ticketbench", "cmd/ticketsim", "cmd/ticketjepsen"}
)

// checkFlags asks the programs themselves: a flag or an environment variable
// that a document names must be in some program's help.
func checkFlags(t *tree) []string {
	help, err := programHelp()
	if err != nil {
		return []string{err.Error()}
	}
	return namesMissingIn(t, help)
}

func namesMissingIn(t *tree, help string) []string {
	var flags []string
	for _, m := range flagInHelp.FindAllStringSubmatch(help, -1) {
		flags = append(flags, m[1])
	}
	envs := envName.FindAllString(help, -1)
	var findings []string
	for _, name := range t.withSuffix(".md") {
		for i, line := range strings.Split(string(t.files[name]), "\n") {
			if otherTools.MatchString(line) {
				continue
			}
			for _, m := range flagName.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(flags, strings.TrimPrefix(m[1], "no-")) && !slices.Contains(flags, m[1]) {
					findings = append(findings, at(name, i+1, "no program has a flag --%s", m[1]))
				}
			}
			for _, env := range envName.FindAllString(line, -1) {
				if !slices.Contains(envs, env) {
					findings = append(findings, at(name, i+1, "no program reads %s", env))
				}
			}
		}
	}
	return findings
}

// programHelp builds the programs and returns the help of each and of each of
// its commands.
var programHelp = sync.OnceValues(func() (string, error) {
	bin, err := os.MkdirTemp("", "tidy-bin-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(bin)
	build := exec.Command("go", "build", "-o", bin+"/", "./cmd/...")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/...: %v\n%s", err, out)
	}
	var all strings.Builder
	for _, dir := range ourPrograms {
		program := filepath.Join(bin, filepath.Base(dir))
		if _, err := os.Stat(program); err != nil {
			continue // not built yet in this state of the project
		}
		text, err := exec.Command(program, "--help").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%s --help: %v\n%s", dir, err, text)
		}
		all.Write(text)
		_, commands, _ := strings.Cut(string(text), "Commands:")
		for _, m := range subcommand.FindAllStringSubmatch(commands, -1) {
			text, err := exec.Command(program, m[1], "--help").CombinedOutput()
			if err != nil {
				return "", fmt.Errorf("%s %s --help: %v\n%s", dir, m[1], err, text)
			}
			all.Write(text)
		}
	}
	return all.String(), nil
})

func TestFlagRule(t *testing.T) {
	help := "  --max-keys=1000000   keys ($TICKETD_MAX_KEYS)\n  --[no-]keep\n"
	for text, want := range map[string]int{
		"`--max-keys 7` and `--no-keep`, TICKETD_MAX_KEYS": 0,
		"ticketd serve --max-locks=7":                      1,
		"`TICKETD_MAX_LOCKS`":                              1,
		"cargo test --release":                             0,
		"a dash -- and a rule\n---\n|--|":                  0,
		"([--fast|--slow])":                                2,
	} {
		if got := namesMissingIn(plant(map[string]string{"a.md": text}), help); len(got) != want {
			t.Errorf("of %q want %d findings, got %q", text, want, got)
		}
	}
}
