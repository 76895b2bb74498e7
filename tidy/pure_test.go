package tidy

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pure packages are the deterministic ones: the same calls give the same
// results, on every machine and in the simulator.
var pure = []string{"proto", "lock", "lock/lockmodel", "consensus", "node", "planted"}

// harmless is what they may use of the standard library. Not in it: the clock,
// files, sockets, locks, logging, and whatever is seeded afresh in each process.
var harmless = []string{
	"bytes", "cmp", "container/heap", "crypto/sha256", "crypto/subtle", "encoding/base64",
	"encoding/binary", "encoding/hex", "errors", "fmt", "hash", "hash/crc32", "hash/fnv", "io",
	"iter", "maps", "math", "math/bits", "math/rand/v2", "slices", "sort", "strconv", "strings",
	"unicode", "unicode/utf8",
}

// harmlessParts narrows packages of which only some functions are harmless:
// the others are random, print, or show the order of a map.
var harmlessParts = map[string][]string{
	"math/rand/v2": {"New", "NewPCG", "NewChaCha8", "Rand", "PCG", "ChaCha8", "Source"},
	"maps":         {"Clone", "Copy", "DeleteFunc", "Equal", "EqualFunc"},
	"fmt":          {"Sprintf", "Sprint", "Sprintln", "Errorf", "Append", "Appendf", "Appendln", "Stringer", "Formatter", "State", "Fprintf"},
}

// excusedImports are the exceptions, file by file, each with its reason.
var excusedImports = map[string]string{
	// Seeded in each process, so that nobody can choose keys that collide; the
	// order of the table that it fills is seen nowhere.
	"lock/index.go": "hash/maphash",
}

func isPure(s *source) bool { return slices.Contains(pure, s.dir()) && !s.isTest() }

func (t *tree) pureFiles() []*source {
	return slices.DeleteFunc(slices.Clone(t.code), func(s *source) bool { return !isPure(s) })
}

func checkPureImports(t *tree) []string {
	var findings []string
	for _, s := range t.pureFiles() {
		for _, spec := range s.ast.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if !strings.HasPrefix(name, module+"/") && !slices.Contains(harmless, name) && excusedImports[s.path] != name {
				findings = append(findings, at(s.path, t.line(spec.Pos()), "a pure package may not import %s", name))
			}
		}
	}
	return findings
}

func checkPureSyntax(t *tree) []string {
	var findings []string
	for _, s := range t.pureFiles() {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if what := impure(n); what != "" {
				findings = append(findings, at(s.path, t.line(n.Pos()), "a pure package has no %s", what))
			}
			return true
		})
	}
	return findings
}

func impure(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "go statement"
	case *ast.SelectStmt:
		return "select"
	case *ast.ChanType:
		return "channel"
	case *ast.SendStmt:
		return "send on a channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "receive from a channel"
		}
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && (name.Name == "print" || name.Name == "println") {
			return "printing"
		}
	}
	return ""
}

func checkPureCalls(t *tree) []string {
	var findings []string
	for _, s := range t.pureFiles() {
		parts := importedParts(s)
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			base, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			allowed, narrowed := parts[base.Name]
			if narrowed && !slices.Contains(allowed, sel.Sel.Name) {
				findings = append(findings, at(s.path, t.line(n.Pos()), "a pure package may not use %s.%s", base.Name, sel.Sel.Name))
			}
			return true
		})
	}
	return findings
}

// importedParts maps the local name of each narrowed import to its harmless
// parts.
func importedParts(s *source) map[string][]string {
	parts := map[string][]string{}
	for _, spec := range s.ast.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		allowed, narrowed := harmlessParts[name]
		if !narrowed {
			continue
		}
		local := strings.TrimPrefix(name, "math/")
		local, _, _ = strings.Cut(local, "/")
		if spec.Name != nil {
			local = spec.Name.Name
		}
		parts[local] = allowed
	}
	return parts
}

// checkPanics wants every panic of a pure package to say whose fault it is.
func checkPanics(t *tree) []string {
	var findings []string
	for _, s := range t.pureFiles() {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := call.Fun.(*ast.Ident)
			if ok && name.Name == "panic" && !startsWithBug(call.Args[0]) {
				findings = append(findings, at(s.path, t.line(n.Pos()), "panic wants a text that starts with \"BUG: \""))
			}
			return true
		})
	}
	return findings
}

// startsWithBug looks at the leftmost string in e: a literal, the first
// operand of a sum, or the first argument of a call such as fmt.Sprintf.
func startsWithBug(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return err == nil && strings.HasPrefix(text, "BUG: ")
	case *ast.BinaryExpr:
		return startsWithBug(e.X)
	case *ast.CallExpr:
		return len(e.Args) > 0 && startsWithBug(e.Args[0])
	}
	return false
}

func TestPureRulesCatch(t *testing.T) {
	body := func(imports, stmt string) string {
		return "package lock\nimport (" + imports + ")\nfunc f() {\n" + stmt + "\n}\n"
	}
	for _, name := range []string{"time", "os", "net", "sync", "context", "log", "log/slog", "crypto/rand", "math/rand", "runtime", "hash/maphash"} {
		catches(t, checkPureImports, "lock/x.go", body(strconv.Quote(name), ""), "may not import "+name)
	}
	passes(t, checkPureImports, "lock/index.go", body(`"hash/maphash"`, ""))
	catches(t, checkPureSyntax, "node/x.go", body("", "go f()"), "go statement")
	catches(t, checkPureSyntax, "node/x.go", body("", "select {}"), "select")
	catches(t, checkPureSyntax, "node/x.go", body("", "var c chan int; _ = c"), "channel")
	catches(t, checkPureSyntax, "node/x.go", body("", "c <- 1"), "send")
	catches(t, checkPureSyntax, "node/x.go", body("", "<-c"), "receive")
	catches(t, checkPureSyntax, "node/x.go", body("", "println(1)"), "printing")
	catches(t, checkPureCalls, "lock/x.go", body(`"math/rand/v2"`, "rand.IntN(3)"), "rand.IntN")
	catches(t, checkPureCalls, "lock/x.go", body(`r "math/rand/v2"`, "r.IntN(3)"), "r.IntN")
	catches(t, checkPureCalls, "lock/x.go", body(`"maps"`, "maps.Keys(m)"), "maps.Keys")
	catches(t, checkPureCalls, "lock/x.go", body(`"fmt"`, "fmt.Println(1)"), "fmt.Println")
	catches(t, checkPanics, "lock/x.go", body("", `panic("no such key")`), "BUG")
	catches(t, checkPanics, "lock/x.go", body("", `panic(err)`), "BUG")
}

func TestPureRulesPass(t *testing.T) {
	good := `package consensus
import ("bytes"; "fmt"; "math/rand/v2")
func f(n int) {
	r := rand.New(rand.NewPCG(1, 2))
	if n < 0 { panic(fmt.Sprintf("BUG: n is %d", n)) }
	if n > 9 { panic("BUG: n is " + fmt.Sprint(n)) }
	bytes.Clone(nil); r.IntN(3)
}`
	for _, check := range []func(*tree) []string{checkPureImports, checkPureSyntax, checkPureCalls, checkPanics} {
		passes(t, check, "consensus/x.go", good)
		passes(t, check, "loop/x.go", "package loop\nimport \"time\"\nfunc f() { go f(); panic(time.Now()) }")
		passes(t, check, "lock/x_test.go", "package lock\nimport \"os\"\nfunc f() { go f(); panic(os.Args) }")
	}
}
