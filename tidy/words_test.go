package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The words are put together here so that this file does not hold them.
var (
	leftovers = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)
	outside   = regexp.MustCompile(strings.Join([]string{
		`\.\./sha` + `red\b`, `\bsha` + `red/(spec|design|cases)`, `\.lib` + `rary\b`, // folders beside the project
		`(^|[\s"'=(])/(wo` + `rk|ro` + `ot|ho` + `me)/`, // places on one machine
		`py` + `pi\.org`, `python` + `hosted`, `crates` + `\.io`, `proxy\.go` + `lang`, `sum\.go` + `lang`, `registry\.npm` + `js`, // hosts of registries
	}, "|"))
)

func checkLeftovers(t *tree) []string {
	return eachLine(t, func(line string) string {
		if word := leftovers.FindString(line); word != "" {
			return word + ": finish it, or write it down in docs/STATUS.md"
		}
		return ""
	})
}

func checkOutside(t *tree) []string {
	return eachLine(t, func(line string) string {
		if place := outside.FindString(line); place != "" {
			return "names something outside the project: " + strings.TrimSpace(place)
		}
		return ""
	})
}

// eachLine asks complain about each line of text in the project.
func eachLine(t *tree, complain func(line string) string) []string {
	var findings []string
	for _, name := range t.names() {
		text := string(t.files[name])
		if strings.Contains(text, "\x00") {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if complaint := complain(line); complaint != "" {
				findings = append(findings, at(name, i+1, "%s", complaint))
			}
		}
	}
	return findings
}

// checkDeadComments looks for comments that are code. A doc comment may show
// code as an example if it is indented, as gofmt does it.
func checkDeadComments(t *tree) []string {
	var findings []string
	for _, s := range t.code {
		for _, group := range s.ast.Comments {
			if isDeadCode(group) {
				findings = append(findings, at(s.path, t.line(group.Pos()), "commented-out code: delete it, git remembers"))
			}
		}
	}
	return findings
}

func isDeadCode(group *ast.CommentGroup) bool {
	var lines []string
	for _, comment := range group.List {
		text, ok := strings.CutPrefix(comment.Text, "//")
		if !ok || strings.HasPrefix(text, " \t") || strings.HasPrefix(text, "\t") {
			return false
		}
		lines = append(lines, text)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+strings.Join(lines, "\n")+"\n}", 0)
	if err != nil {
		return false
	}
	body := file.Decls[0].(*ast.FuncDecl).Body.List
	return slices.ContainsFunc(body, looksLikeCode)
}

// looksLikeCode: a word, a term or a return may be prose, these are not.
func looksLikeCode(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.GoStmt, *ast.DeferStmt, *ast.DeclStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			_, method := call.Fun.(*ast.SelectorExpr)
			return method
		}
	}
	return false
}

// checkTestHabits: a sleep makes a test slow or flaky, a skip makes it silent.
// A sleep is good as the pause of a loop that asks again, written so that it
// can be nothing else: for ...; ...; time.Sleep(pause). Under the fake clock of
// testing/synctest (in files named for it) it is exact and takes no time. A
// fuzz target may skip an input that it has no use for.
func checkTestHabits(t *tree) []string {
	var findings []string
	for _, s := range t.code {
		if !s.isTest() {
			continue
		}
		mayBe := ""
		switch {
		case strings.HasSuffix(s.path, "_synctest_test.go"):
			mayBe = "time.Sleep"
		case strings.HasSuffix(s.path, "_fuzz_test.go"):
			mayBe = "t.Skip"
		}
		for _, call := range badHabits(s.ast) {
			if name := nameOf(call.Fun); name != mayBe {
				findings = append(findings, at(s.path, t.line(call.Pos()), "a test may not %s", name))
			}
		}
	}
	return findings
}

func badHabits(file *ast.File) []*ast.CallExpr {
	var calls []*ast.CallExpr
	pauses := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if pause, ok := n.Post.(*ast.ExprStmt); ok {
				pauses[pause.X] = true
			}
		case *ast.CallExpr:
			switch nameOf(n.Fun) {
			case "time.Sleep", "t.Skip", "t.Skipf", "t.SkipNow", "b.Skip", "f.Skip":
				if !pauses[n] {
					calls = append(calls, n)
				}
			}
		}
		return true
	})
	return calls
}

// nameOf is x.y for a selector of two names, else "".
func nameOf(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if base, ok := sel.X.(*ast.Ident); ok {
			return base.Name + "." + sel.Sel.Name
		}
	}
	return ""
}

func TestWordRulesCatch(t *testing.T) {
	catches(t, checkLeftovers, "docs/a.md", "fine\nTO"+"DO later", "a.md:2: TO"+"DO")
	catches(t, checkLeftovers, "p/x.go", "package p // FIX"+"ME", "FIX"+"ME")
	passes(t, checkLeftovers, "docs/a.md", "nothing to do, XXXL")
	for _, text := range []string{"see ../sha" + "red/spec", "sha" + "red/design", "x .lib" + "rary y", "cd /wo" + "rk/main",
		"\"/ro" + "ot/go\"", "https://py" + "pi.org/x", "index.crates" + ".io"} {
		catches(t, checkOutside, "a.md", text, "outside the project")
	}
	passes(t, checkOutside, "a.md", "a shared lock; framework/main; library")
	passes(t, checkOutside, "logo.bin", "\x00 ../sha"+"red")
}

func TestDeadCommentRule(t *testing.T) {
	catches(t, checkDeadComments, "p/x.go", "package p\n\n//x := f(1)\n", "x.go:3: commented-out")
	catches(t, checkDeadComments, "p/x.go", "package p\n\n// if a {\n//   f(b)\n// }\n", "commented-out")
	passes(t, checkDeadComments, "p/x.go", "package p\n\n// Call f(1), then wait.\n")
	passes(t, checkDeadComments, "p/x.go", "package p\n\n// Use it so:\n//\n//\tx := f(1)\n")
	passes(t, checkDeadComments, "p/x.go", "package p\n\n//go:build linux\n")
	passes(t, checkDeadComments, "p/x.go", "package p\n\nvar k int // k(at)\n")
	catches(t, checkDeadComments, "p/x.go", "package p\n\nvar k int // n.step(1)\n", "commented-out")
}

func TestTestHabitRule(t *testing.T) {
	catches(t, checkTestHabits, "p/x_test.go", "package p\nfunc f() { time.Sleep(1) }", "time.Sleep")
	catches(t, checkTestHabits, "p/x_test.go", "package p\nfunc f() { for g() { time.Sleep(1) } }", "time.Sleep")
	passes(t, checkTestHabits, "p/x_test.go", "package p\nfunc f() { for ; g(); time.Sleep(1) { } }")
	catches(t, checkTestHabits, "p/x_test.go", "package p\nfunc f(t *testing.T) { t.Skip() }", "t.Skip")
	passes(t, checkTestHabits, "p/x_synctest_test.go", "package p\nfunc f() { time.Sleep(1) }")
	passes(t, checkTestHabits, "p/x_fuzz_test.go", "package p\nfunc f(t *testing.T) { t.Skip() }")
	passes(t, checkTestHabits, "p/x.go", "package p\nfunc f() { time.Sleep(1) }")
}
