package tidy

import (
	"fmt"
	"strings"
	"testing"
)

// rules is every rule of the house. A finding is "file:line: what is wrong".
var rules = []struct {
	name  string
	check func(*tree) []string
}{
	{"every file parses", func(t *tree) []string { return t.errs }},
	{"imports follow the table", checkImports},
	{"pure packages import only harmless things", checkPureImports},
	{"pure packages have no goroutine or channel", checkPureSyntax},
	{"pure packages call nothing random or printing", checkPureCalls},
	{"pure packages see no map order", checkMapRanges},
	{"our own mistakes panic with BUG", checkPanics},
	{"functions are short", checkFunctionLength},
	{"files are short", checkFileLength},
	{"no large files", checkFileSize},
	{"no unfinished work", checkLeftovers},
	{"no commented-out code", checkDeadComments},
	{"nothing outside the project is named", checkOutside},
	{"tests neither sleep nor skip", checkTestHabits},
	{"packages are documented", checkPackageDocs},
	{"exported names are documented", checkExportedDocs},
	{"links in documents lead somewhere", checkLinks},
	{"documents named in code exist", checkDocumentsInCode},
	{"functions named in documents exist", checkNamedFunctions},
	{"make targets named in documents exist", checkMakeTargets},
	{"dependencies are accounted for", checkDependencies},
	{"flags and variables named in documents exist", checkFlags},
}

func TestTheProjectKeepsEveryRule(t *testing.T) {
	p := mustProject(t)
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, finding := range rule.check(p) {
				t.Error(finding)
			}
		})
	}
}

// A rule that finds nothing may be a rule that sees nothing.
func TestTheTreeIsSeen(t *testing.T) {
	p := mustProject(t)
	if len(p.code) < 10 || len(p.packages()) < 5 || len(p.withSuffix(".md")) == 0 {
		t.Fatalf("only %d Go files in %d packages and %d documents found below %s",
			len(p.code), len(p.packages()), len(p.withSuffix(".md")), p.root)
	}
}

// at makes a finding.
func at(path string, line int, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", path, line, fmt.Sprintf(format, args...))
}

// catches asserts that check finds exactly one thing in text, containing want.
func catches(t *testing.T, check func(*tree) []string, path, text, want string) {
	t.Helper()
	findings := check(plant(map[string]string{path: text}))
	if len(findings) != 1 || !strings.Contains(findings[0], want) {
		t.Errorf("in %s, of\n%s\nwant one finding with %q, got %q", path, text, want, findings)
	}
}

// passes asserts that check finds nothing in text.
func passes(t *testing.T, check func(*tree) []string, path, text string) {
	t.Helper()
	if findings := check(plant(map[string]string{path: text})); len(findings) != 0 {
		t.Errorf("in %s, of\n%s\nwant no finding, got %q", path, text, findings)
	}
}
