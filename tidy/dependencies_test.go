package tidy

import (
	"regexp"
	"slices"
	"testing"
)

var (
	required = regexp.MustCompile(`(?m)^\s*(?:require )?(\S+\.\S+/\S+) (v\S+)$`) // lines with // indirect have more
	listed   = regexp.MustCompile("(?m)^\\| `(\\S+\\.\\S+/\\S+)`.*? \\| (v\\S+) \\| \\S")
	tool     = regexp.MustCompile(`(?m)^STATICCHECK := (\S+)/cmd/staticcheck@(v\S+)$`)
)

// checkDependencies compares go.mod, and the tool that the Makefile pins, with
// the tables of docs/DEPENDENCIES.md.
func checkDependencies(t *tree) []string {
	const doc = "docs/DEPENDENCIES.md"
	pairs := func(re *regexp.Regexp, file string) []string {
		var out []string
		for _, m := range re.FindAllStringSubmatch(string(t.files[file]), -1) {
			out = append(out, m[1]+" "+m[2])
		}
		return out
	}
	uses := append(pairs(required, "go.mod"), pairs(tool, "Makefile")...)
	says := pairs(listed, doc)
	var findings []string
	for _, dependency := range uses {
		if !slices.Contains(says, dependency) {
			findings = append(findings, at(doc, 1, "does not list %s", dependency))
		}
	}
	for _, dependency := range says {
		if !slices.Contains(uses, dependency) {
			findings = append(findings, at(doc, 1, "lists %s, which nothing requires", dependency))
		}
	}
	return findings
}

func TestDependencyRule(t *testing.T) {
	files := map[string]string{
		"go.mod":               "require (\n\tgithub.com/a/b v1.2.3\n\tgithub.com/c/d v1.0.0 // indirect\n)\n",
		"Makefile":             "STATICCHECK := example.org/x/tools/cmd/staticcheck@v0.8.2\n",
		"docs/DEPENDENCIES.md": "| `github.com/a/b` | v1.2.3 | MIT |\n| `example.org/x/tools` (a tool) | v0.8.2 | MIT |\n",
	}
	if got := checkDependencies(plant(files)); len(got) != 0 {
		t.Errorf("want nothing, got %q", got)
	}
	files["docs/DEPENDENCIES.md"] = "| `github.com/a/b` | v1.2.4 | MIT |\n| `example.org/x/tools` | v0.8.2 | MIT |\n"
	if got := checkDependencies(plant(files)); len(got) != 2 {
		t.Errorf("another version: want two findings, got %q", got)
	}
	delete(files, "docs/DEPENDENCIES.md")
	if got := checkDependencies(plant(files)); len(got) != 2 {
		t.Errorf("no document: want two findings, got %q", got)
	}
}
