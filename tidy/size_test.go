package tidy

import (
	"bytes"
	"go/ast"
	"strings"
	"testing"
)

const (
	maxFunctionLines = 70
	maxFileLines     = 500
	maxFileKiB       = 256
)

func checkFunctionLength(t *tree) []string {
	var findings []string
	for _, s := range t.code {
		for _, decl := range s.ast.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := t.line(f.End()) - t.line(f.Pos()) + 1; n > maxFunctionLines {
				findings = append(findings, at(s.path, t.line(f.Pos()), "%s is %d lines long, over %d", f.Name.Name, n, maxFunctionLines))
			}
		}
	}
	return findings
}

func checkFileLength(t *tree) []string {
	var findings []string
	for _, name := range t.names() {
		if !isCode(name) {
			continue
		}
		if n := bytes.Count(t.files[name], []byte("\n")); n > maxFileLines {
			findings = append(findings, at(name, n, "the file has %d lines, over %d", n, maxFileLines))
		}
	}
	return findings
}

// isCode reports whether people write and read the file as code.
func isCode(name string) bool {
	for _, suffix := range []string{".go", ".py", ".rs", ".sh", ".js", ".css", ".html", "Makefile"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

func checkFileSize(t *tree) []string {
	var findings []string
	for _, name := range t.names() {
		if n := len(t.files[name]); n > maxFileKiB<<10 {
			findings = append(findings, at(name, 1, "%d KiB, over %d", n>>10, maxFileKiB))
		}
	}
	return findings
}

func TestSizeRulesCatch(t *testing.T) {
	function := func(lines int) string {
		return "package p\n\nfunc f() {\n" + strings.Repeat("\tf()\n", lines-2) + "}\n"
	}
	catches(t, checkFunctionLength, "p/x.go", function(71), "f is 71 lines long")
	passes(t, checkFunctionLength, "p/x.go", function(70))
	catches(t, checkFileLength, "p/x.py", strings.Repeat("\n", 501), "501 lines")
	passes(t, checkFileLength, "p/x.py", strings.Repeat("\n", 500))
	passes(t, checkFileLength, "p/x.jsonl", strings.Repeat("\n", 501))
	catches(t, checkFileSize, "a.bin", strings.Repeat("x", 256<<10+1), "256 KiB")
	passes(t, checkFileSize, "a.bin", strings.Repeat("x", 256<<10))
}
