package tidy

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
)

// checkPackageDocs wants one doc comment in each package, in the form that
// go doc expects.
func checkPackageDocs(t *tree) []string {
	var findings []string
	packages := t.packages()
	for _, dir := range sortedKeys(packages) {
		files := packages[dir]
		n := 0
		for _, s := range files {
			if opensPackage(s) {
				n++
			}
		}
		if n != 1 {
			findings = append(findings, at(files[0].path, 1, "%d doc comments in package %s, want one that begins with its name", n, dir))
		}
	}
	return findings
}

// opensPackage reports whether the file has the package's doc comment: it
// begins with "Package name", and for a program with its name.
func opensPackage(s *source) bool {
	text := s.ast.Doc.Text()
	if !s.isMain() {
		return strings.HasPrefix(text, "Package "+s.ast.Name.Name+" ")
	}
	program := path.Base(s.dir())
	return strings.HasPrefix(text, "Command "+program+" ") ||
		strings.HasPrefix(text, strings.ToUpper(program[:1])+program[1:]+" ")
}

func checkExportedDocs(t *tree) []string {
	var findings []string
	for _, s := range t.code {
		if s.isTest() || s.isMain() {
			continue
		}
		for _, decl := range s.ast.Decls {
			for _, name := range undocumented(decl) {
				findings = append(findings, at(s.path, t.line(decl.Pos()), "exported %s has no comment", name))
			}
		}
	}
	return findings
}

func undocumented(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && receiverExported(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		return undocumentedSpecs(d)
	}
	return nil
}

// undocumentedSpecs: a comment on a group speaks for each name in it, except
// for types. Constants of a type of ours are spoken for by the type.
func undocumentedSpecs(d *ast.GenDecl) []string {
	if first, ok := d.Specs[0].(*ast.ValueSpec); ok && first.Type != nil && d.Tok == token.CONST {
		if of, ok := first.Type.(*ast.Ident); ok && of.IsExported() {
			return nil
		}
	}
	var names []string
	said := "" // by the last comment, which may speak of several names
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			grouped := d.Lparen.IsValid()
			if spec.Name.IsExported() && spec.Doc == nil && spec.Comment == nil && (grouped || d.Doc == nil) {
				names = append(names, spec.Name.Name)
			}
		case *ast.ValueSpec:
			if spec.Doc != nil {
				said = spec.Doc.Text()
			}
			for _, name := range spec.Names {
				silent := spec.Doc == nil && spec.Comment == nil && d.Doc == nil && !strings.Contains(said, name.Name)
				if name.IsExported() && silent {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// receiverExported: methods of unexported types are seen by nobody.
func receiverExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	return ast.IsExported(receiverName(f))
}

// receiverName is the receiver's type without star and type parameters, or "".
func receiverName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	for {
		switch e := of.(type) {
		case *ast.StarExpr:
			of = e.X
		case *ast.IndexExpr:
			of = e.X
		case *ast.IndexListExpr:
			of = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

func TestPackageDocRule(t *testing.T) {
	catches(t, checkPackageDocs, "p/x.go", "package p", "want one")
	catches(t, checkPackageDocs, "p/x.go", "// Something.\npackage p", "want one")
	catches(t, checkPackageDocs, "cmd/tool/x.go", "package main", "want one")
	passes(t, checkPackageDocs, "p/x.go", "// Package p is.\npackage p")
	passes(t, checkPackageDocs, "cmd/tool/x.go", "// Command tool does.\npackage main")
	passes(t, checkPackageDocs, "cmd/tool/x.go", "// Tool does.\npackage main")
	two := plant(map[string]string{"p/x.go": "// Package p is.\npackage p", "p/y.go": "// Package p is.\npackage p"})
	if len(checkPackageDocs(two)) != 1 {
		t.Error("two package comments pass")
	}
}

func TestExportedDocRule(t *testing.T) {
	for name, text := range map[string]string{
		"F": "func F() {}", "M": "type t int\n// T is.\ntype T int\nfunc (t *T) M() {}\nfunc (t t) M() {}",
		"T": "type T int", "C": "const C = 1", "V": "// Both.\nvar a, b int\nvar V int",
		"U": "// Types.\ntype (\n// A is.\nA int\nU int\n)",
	} {
		catches(t, checkExportedDocs, "p/x.go", "package p\n"+text, "exported "+name+" ")
	}
	passes(t, checkExportedDocs, "p/x.go", "package p\n// Kinds.\nconst (\nA = 1\nB = 2\n)\nconst C = 3 // trailing\nfunc f() {}\n")
	passes(t, checkExportedDocs, "p/x.go", "package p\nconst (\n// A and B are.\nA = 1\nB = 2\n)")
	catches(t, checkExportedDocs, "p/x.go", "package p\nconst (\n// A is.\nA = 1\nB = 2\n)", "exported B ")
	passes(t, checkExportedDocs, "p/x.go", "package p\nconst (\nUp Side = iota\nDown\n)")
	passes(t, checkExportedDocs, "cmd/x/x.go", "package main\ntype Flags struct{}\n")
}
