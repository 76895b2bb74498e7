package tidy

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// unordered, on the line above a range over a map, says that the order can't
// be seen, and after it, why.
const unordered = "//tidy:unordered "

// checkMapRanges type-checks the pure packages, with and without the build tag
// of the costly checks, and looks at what is ranged over.
func checkMapRanges(t *tree) []string {
	var findings []string
	for _, tags := range [][]string{nil, {"invariants"}} {
		c := newTypeChecker(t, tags)
		for _, dir := range pure {
			c.check(dir)
		}
		findings = append(findings, c.findings...)
	}
	return dedup(findings)
}

// typeChecker checks packages of the tree on demand and notes ranges over maps.
type typeChecker struct {
	tree     *tree
	tags     build.Context
	done     map[string]*types.Package
	findings []string
}

// standard type-checks the standard library from its source, each package once.
var standard = sync.OnceValue(func() types.Importer {
	if build.Default.GOROOT == "" { // a test built with -trimpath
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			panic("go env GOROOT: " + err.Error())
		}
		build.Default.GOROOT = strings.TrimSpace(string(root))
	}
	return importer.ForCompiler(token.NewFileSet(), "source", nil)
})

func newTypeChecker(t *tree, tags []string) *typeChecker {
	c := &typeChecker{tree: t, tags: build.Default, done: map[string]*types.Package{}}
	c.tags.BuildTags = tags
	return c
}

// Import makes typeChecker a types.Importer.
func (c *typeChecker) Import(name string) (*types.Package, error) {
	if own, ok := strings.CutPrefix(name, module+"/"); ok {
		return c.check(own), nil
	}
	return standard().Import(name)
}

func (c *typeChecker) check(dir string) *types.Package {
	if p := c.done[dir]; p != nil {
		return p
	}
	var files []*ast.File
	var sources []*source
	for _, s := range c.tree.packages()[dir] {
		if c.matches(s) {
			files = append(files, s.ast)
			sources = append(sources, s)
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	// Errors are for the compiler to report; here an unknown type is a finding.
	conf := types.Config{Importer: c, Error: func(error) {}}
	p, _ := conf.Check(module+"/"+dir, c.tree.fset, files, info)
	c.done[dir] = p
	for _, s := range sources {
		if isPure(s) {
			c.ranges(s, info)
		}
	}
	return p
}

// matches reports whether the build tags select the file.
func (c *typeChecker) matches(s *source) bool {
	if c.tree.root == "" {
		return true
	}
	ok, err := c.tags.MatchFile(filepath.Join(c.tree.root, s.dir()), filepath.Base(s.path))
	return ok && err == nil
}

func (c *typeChecker) ranges(s *source, info *types.Info) {
	excused := excusedLines(c.tree.fset, s.ast)
	ast.Inspect(s.ast, func(n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		line := c.tree.line(r.Pos())
		of := info.TypeOf(r.X)
		switch {
		case of == nil || of == types.Typ[types.Invalid]:
			c.findings = append(c.findings, at(s.path, line, "can't tell what is ranged over (does it compile?)"))
		case isMap(of) && !excused[line]:
			c.findings = append(c.findings, at(s.path, line, "range over a map: sort the keys, or say why not with %swhy", unordered))
		}
		return true
	})
}

func isMap(of types.Type) bool {
	_, ok := of.Underlying().(*types.Map)
	return ok
}

// excusedLines are those below a comment with a reason.
func excusedLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := map[int]bool{}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if why, ok := strings.CutPrefix(comment.Text, unordered); ok && strings.TrimSpace(why) != "" {
				lines[fset.Position(group.End()).Line+1] = true
			}
		}
	}
	return lines
}

// dedup drops repeated findings and keeps their order.
func dedup(findings []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, f := range findings {
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}

func TestMapRangeRuleCatches(t *testing.T) {
	body := func(stmt string) string {
		return "package lock\ntype set map[string]int\nfunc f(m set, s []int) {\n" + stmt + "\n}\n"
	}
	catches(t, checkMapRanges, "lock/x.go", body("for k := range m { _ = k }"), "x.go:4: range over a map")
	catches(t, checkMapRanges, "lock/x.go", body("//tidy:unordered\nfor range m {}"), "range over a map")
	catches(t, checkMapRanges, "lock/x.go", body("//tidy:unordered a sum\n\nfor range m {}"), "range over a map")
	catches(t, checkMapRanges, "lock/x.go", body("for range nowhere {}"), "can't tell")
	passes(t, checkMapRanges, "lock/x.go", body("//tidy:unordered a sum\nfor range m {}"))
	passes(t, checkMapRanges, "lock/x.go", body("for range s {}; for range 3 {}"))
	passes(t, checkMapRanges, "loop/x.go", "package loop\nfunc f(m map[int]int) { for range m {} }")
}
