package tidy

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	mdLink        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading     = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	namedFunction = regexp.MustCompile("`([\\w-]+/[\\w./-]+\\.(?:go|py|txt|md))(?::([A-Za-z_][\\w.]*))?`")
	makeTarget    = regexp.MustCompile("(?m)(?:`|^\\s*)make ([a-z][a-z-]*)")
	mdInComment   = regexp.MustCompile(`\b[\w/-]+\.md\b`)
	notSlug       = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// eachMatch calls f for each match of what in the Markdown files.
func eachMatch(t *tree, what *regexp.Regexp, f func(file string, groups []string) (complaint string)) []string {
	var findings []string
	for _, name := range t.withSuffix(".md") {
		text := string(t.files[name])
		for _, m := range what.FindAllStringSubmatchIndex(text, -1) {
			var groups []string
			for i := 2; i < len(m); i += 2 {
				groups = append(groups, text[max(m[i], 0):max(m[i+1], 0)]) // -1: it took no part
			}
			if complaint := f(name, groups); complaint != "" {
				findings = append(findings, at(name, 1+strings.Count(text[:m[2]], "\n"), "%s", complaint))
			}
		}
	}
	return findings
}

func checkLinks(t *tree) []string {
	return eachMatch(t, mdLink, func(file string, g []string) string {
		if strings.Contains(g[0], "://") || strings.HasPrefix(g[0], "mailto:") {
			return ""
		}
		to, anchor, _ := strings.Cut(g[0], "#")
		target := file
		if to != "" {
			target = path.Join(path.Dir(file), to)
		}
		if !t.exists(target) {
			return "broken link to " + g[0]
		}
		if anchor != "" && !slices.Contains(slugs(string(t.files[target])), anchor) {
			return "no heading for " + g[0]
		}
		return ""
	})
}

// checkDocumentsInCode: a comment that sends its reader to a document must not
// send them nowhere.
func checkDocumentsInCode(t *tree) []string {
	var findings []string
	for _, s := range t.code {
		for _, group := range s.ast.Comments {
			for _, name := range mdInComment.FindAllString(group.Text(), -1) {
				if !t.exists(name) && !t.exists(path.Join(s.dir(), name)) {
					findings = append(findings, at(s.path, t.line(group.Pos()), "there is no %s", name))
				}
			}
		}
	}
	return findings
}

// exists reports whether name is a file or a folder of the tree.
func (t *tree) exists(name string) bool {
	return slices.ContainsFunc(t.names(), func(file string) bool {
		return file == name || strings.HasPrefix(file, strings.TrimSuffix(name, "/")+"/")
	})
}

// slugs are the anchors of a document's headings, as forges make them.
func slugs(text string) []string {
	var out []string
	for _, m := range mdHeading.FindAllStringSubmatch(text, -1) {
		slug := notSlug.ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(slug, " ", "-"))
	}
	return out
}

// checkNamedFunctions keeps `folder/file.go`, `folder/file.go:Name` and
// `folder/file.go:Type.Name` true: Name is declared in that file.
func checkNamedFunctions(t *tree) []string {
	declared := map[string][]string{}
	for _, s := range t.code {
		declared[s.path] = declaredNames(s.ast)
	}
	return eachMatch(t, namedFunction, func(document string, g []string) string {
		switch file, name := g[0], g[1]; {
		case !t.exists(file):
			return "there is no " + file
		case name != "" && strings.HasSuffix(file, ".go") && !slices.Contains(declared[file], name):
			return "no " + name + " in " + file
		}
		return ""
	})
}

func declaredNames(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if on := receiverName(d); on != "" {
				name = on + "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

func checkMakeTargets(t *tree) []string {
	return eachMatch(t, makeTarget, func(_ string, g []string) string {
		target := regexp.MustCompile(`(?m)^([a-z -]+ )?` + regexp.QuoteMeta(g[0]) + `( [a-z -]+)?:`)
		if !target.Match(t.files["Makefile"]) {
			return "no target " + g[0] + " in the Makefile"
		}
		return ""
	})
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func TestLinkRule(t *testing.T) {
	catches(t, checkLinks, "docs/a.md", "x\n[b](B.md)", "a.md:2: broken link to B.md")
	catches(t, checkLinks, "docs/a.md", "# One\n[b](#two)", "no heading")
	passes(t, checkLinks, "docs/a.md", "# The one, and only\n[b](#the-one-and-only) [c](a.md) [d](../docs/) [e](https://example.org/x)")
}

func TestDocumentsInCodeRule(t *testing.T) {
	catches(t, checkDocumentsInCode, "p/x.go", "package p\n\n// See docs/GONE.md.", "there is no docs/GONE.md")
	p := plant(map[string]string{"p/x.go": "package p\n\n// See docs/HERE.md, NEAR.md.", "docs/HERE.md": "", "p/NEAR.md": ""})
	if got := checkDocumentsInCode(p); len(got) != 0 {
		t.Errorf("want no finding, got %q", got)
	}
}

func TestNamedFunctionRule(t *testing.T) {
	p := plant(map[string]string{
		"p/x.go": "package p\ntype T struct{}\nfunc (t *T) Run() {}\nfunc Free() {}\nvar V int",
		"a.md":   "`p/x.go:T.Run` `p/x.go:Free` `p/x.go:T` `p/x.go:V` `p/x.go`",
		"b.md":   "`p/x.go:Gone`",
		"c.md":   "`p/y.go:Free`",
		"d.md":   "`p/x.go:Run`",
	})
	if got := checkNamedFunctions(p); len(got) != 3 {
		t.Errorf("want findings in b.md, c.md and d.md, got %q", got)
	}
}

func TestMakeTargetRule(t *testing.T) {
	p := plant(map[string]string{
		"Makefile": ".PHONY: x\nsim demo: build\nrun: build ## run",
		"a.md":     "`make run`, `make sim`\n\n    make demo\n",
		"b.md":     "`make x`",
		"c.md":     "locks make sense",
	})
	if got := checkMakeTargets(p); len(got) != 1 {
		t.Errorf("want one finding, in b.md, got %q", got)
	}
}
