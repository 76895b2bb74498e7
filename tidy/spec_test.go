package tidy

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// specDocument says in our own words what the server must do, a row for each
// rule, and which tests hold each row. Here it is held to that.
const specDocument = "docs/SPEC.md"

// specRows are the rows that must be there: the cells of the two tables, what
// is said below them, and the decisions on what they leave open.
var specRows = slices.Concat(
	numbered("A", 9),  // acquire
	numbered("R", 4),  // release
	numbered("E", 3),  // expiry
	numbered("D", 22), // decisions; those of the cluster come with it
)

func numbered(letter string, n int) []string {
	var ids []string
	for i := 1; i <= n; i++ {
		ids = append(ids, fmt.Sprintf("%s%d", letter, i))
	}
	return ids
}

var (
	specRow  = regexp.MustCompile(`(?m)^\| ([A-Z][0-9]+) \|(.*)\|$`)
	quoted   = regexp.MustCompile("`([^`]+)`")
	braces   = regexp.MustCompile(`\{(\w+),(\w+)\}`)
	goTest   = regexp.MustCompile(`^([\w/]+)\.((?:Test|Fuzz)\w+)(?:/(.+))?$`)
	fileTest = regexp.MustCompile(`^([\w/.-]+\.(?:py|txt))(?::(\w+))?$`)
)

// checkSpec wants each row once, with tests in its last cell, and each test to
// exist.
func checkSpec(t *tree, rows []string) []string {
	text := string(t.files[specDocument])
	seen := map[string]int{}
	var findings []string
	for _, m := range specRow.FindAllStringSubmatchIndex(text, -1) {
		id, line := text[m[2]:m[3]], 1+strings.Count(text[:m[0]], "\n")
		seen[id]++
		cells := strings.Split(text[m[4]:m[5]], "|")
		for _, complaint := range t.untested(id, testsNamed(cells[len(cells)-1])) {
			findings = append(findings, at(specDocument, line, "%s: %s", id, complaint))
		}
	}
	for _, id := range rows {
		if seen[id] != 1 {
			findings = append(findings, at(specDocument, 1, "%d rows for %s, want one", seen[id], id))
		}
	}
	return findings
}

// testsNamed returns the tests in a cell; a_{x,y} are two.
func testsNamed(cell string) []string {
	var names []string
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		b := braces.FindStringSubmatch(m[1])
		if b == nil {
			names = append(names, m[1])
			continue
		}
		for _, choice := range b[1:] {
			names = append(names, strings.Replace(m[1], b[0], choice, 1))
		}
	}
	return names
}

// untested says what is wrong with the tests of a row. What the two tables say
// is to be tested by the rules of single mode (lazy) and of the cluster (strict).
func (t *tree) untested(id string, names []string) []string {
	wants := []string{""}
	if id[0] == 'A' || id[0] == 'R' {
		wants = []string{"_lazy", "_strict"}
	}
	var complaints []string
	for _, want := range wants {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, want) }) {
			complaints = append(complaints, fmt.Sprintf("no test with %q is named", want))
		}
	}
	for _, name := range names {
		if !t.testExists(name) {
			complaints = append(complaints, "no test "+name)
		}
	}
	return complaints
}

// testExists understands `folder.TestName`, `folder.TestName/a part of it`,
// `folder/file.py:test_name` and `folder/testdata/scenario.txt`.
func (t *tree) testExists(name string) bool {
	if m := fileTest.FindStringSubmatch(name); m != nil {
		text, exists := t.files[m[1]]
		return exists && (m[2] == "" || strings.Contains(string(text), "def "+m[2]+"("))
	}
	m := goTest.FindStringSubmatch(name)
	if m == nil {
		return false
	}
	for _, s := range t.code {
		if s.dir() != m[1] || !s.isTest() {
			continue
		}
		for _, decl := range s.ast.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == m[2] && f.Recv == nil {
				return m[3] == "" || hasLiteral(s.ast, m[3])
			}
		}
	}
	return false
}

// hasLiteral reports whether the file says text in a string: the name of a
// part of a test stands beside it, or in a table above.
func hasLiteral(file *ast.File, text string) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value, err := strconv.Unquote(lit.Value)
			found = found || err == nil && value == text
		}
		return !found
	})
	return found
}

func TestEveryRuleOfTheSpecificationHasATest(t *testing.T) {
	for _, finding := range checkSpec(mustProject(t), specRows) {
		t.Error(finding)
	}
}

func TestSpecRuleCatches(t *testing.T) {
	good := "| A1 | what | `p/testdata/a_{lazy,strict}.txt`, `p.TestA/one part` |\n| D1 | what | `q.py:test_b` |\n"
	files := map[string]string{
		"p/a_test.go":             "package p\nfunc TestA(t *testing.T) { t.Run(\"one part\", nil) }",
		"p/testdata/a_lazy.txt":   "",
		"p/testdata/a_strict.txt": "",
		"q.py":                    "def test_b(self):",
	}
	for text, want := range map[string]string{
		good:                                     "",
		strings.Replace(good, "| D1", "| D2", 1): "0 rows for D1",
		good + good[strings.Index(good, "| D1"):]:              "2 rows for D1",
		strings.Replace(good, "TestA", "TestB", 1):             "no test p.TestB/one part",
		strings.Replace(good, "one part", "another part", 1):   "no test p.TestA/another part",
		strings.Replace(good, "`q.py:test_b`", "by reason", 1): `D1: no test with ""`,
		strings.Replace(good, "{lazy,strict}", "lazy", 1):      `A1: no test with "_strict"`,
		strings.Replace(good, "test_b", "test_c", 1):           "no test q.py:test_c",
	} {
		files[specDocument] = text
		got := checkSpec(plant(files), []string{"A1", "D1"})
		if want == "" && len(got) == 0 || want != "" && len(got) == 1 && strings.Contains(got[0], want) {
			continue
		}
		t.Errorf("of\n%swant %q, got %q", text, want, got)
	}
}
