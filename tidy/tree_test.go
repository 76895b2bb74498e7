package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tree is the files that a rule looks at: the project's own, or a few lines
// of a self-test.
type tree struct {
	root string // "" in a self-test
	fset *token.FileSet
	// files has every file that git would keep, by slash-separated path.
	files map[string][]byte
	code  []*source // the Go files among them, sorted by path
	// errs are files that do not parse.
	errs []string
}

// source is one Go file.
type source struct {
	path string
	ast  *ast.File
}

func (s *source) dir() string        { return path.Dir(s.path) }
func (s *source) isTest() bool       { return strings.HasSuffix(s.path, "_test.go") }
func (s *source) isMain() bool       { return s.ast.Name.Name == "main" }
func (t *tree) line(n token.Pos) int { return t.fset.Position(n).Line }

// plant makes a tree of what a self-test gives it.
func plant(files map[string]string) *tree {
	t := &tree{fset: token.NewFileSet(), files: map[string][]byte{}}
	for name, text := range files {
		t.files[name] = []byte(text)
	}
	t.parse()
	return t
}

func (t *tree) parse() {
	for _, name := range t.names() {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") {
			continue
		}
		file, err := parser.ParseFile(t.fset, name, t.files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.errs = append(t.errs, err.Error())
			continue
		}
		t.code = append(t.code, &source{path: name, ast: file})
	}
}

func (t *tree) names() []string {
	var names []string
	for name := range t.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// withSuffix lists the files whose names end so.
func (t *tree) withSuffix(suffix string) []string {
	return slices.DeleteFunc(t.names(), func(name string) bool { return !strings.HasSuffix(name, suffix) })
}

// packages maps each folder to its non-test Go files.
func (t *tree) packages() map[string][]*source {
	packages := map[string][]*source{}
	for _, s := range t.code {
		if !s.isTest() {
			packages[s.dir()] = append(packages[s.dir()], s)
		}
	}
	return packages
}

// project is the tree of the project itself, read once.
var project = sync.OnceValues(readProject)

func readProject() (*tree, error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, fset: token.NewFileSet(), files: map[string][]byte{}}
	names, err := listFiles(root)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, not committed yet
		}
		if err != nil {
			return nil, err
		}
		t.files[name] = text
	}
	t.parse()
	return t, nil
}

// listFiles asks git what belongs to the project, new files included.
func listFiles(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

func mustProject(t *testing.T) *tree {
	t.Helper()
	p, err := project()
	if err != nil {
		t.Fatalf("reading the project (is this a git work tree?): %v", err)
	}
	return p
}
