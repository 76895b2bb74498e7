package tidy

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "ticketing"

const (
	gnet      = "github.com/panjf2000/gnet/v2"
	pebble    = "github.com/cockroachdb/pebble/v2"
	metrics   = "github.com/VictoriaMetrics/metrics"
	kong      = "github.com/alecthomas/kong"
	porcupine = "github.com/anishathalye/porcupine"
	sys       = "golang.org/x/sys"
)

// mayImport is the table of the rooms: which package of the project, and which
// module of others, each package may import beside the standard library. A
// package that is not in it may not exist. `pure` packages are narrowed
// further by checkPureImports.
var mayImport = map[string][]string{
	"planted":               {}, // constants in an ordinary build
	"proto":                 {},
	"lock":                  {"planted"},
	"lock/lockmodel":        {},
	"consensus":             {"planted"},
	"node":                  {"proto", "lock", "consensus", "planted"},
	"storage":               {"consensus", "planted", pebble},
	"storage/storagetest":   {"consensus"},
	"loop":                  {"node", "proto", "consensus", gnet, metrics, sys},
	"admin":                 {metrics},
	"client":                {"proto", sys},
	"history":               {"lock/lockmodel", porcupine},
	"sim":                   {"history", "node", "lock", "lock/lockmodel", "consensus", "proto", "storage", "planted", pebble, porcupine},
	"jepsen":                {"history", "client", "lock/lockmodel", porcupine},
	"benchmarks":            {"client", "proto"},
	"benchmarks/sidebyside": {"benchmarks"},
	"cmd/ticketd":           {"*"},
	"cmd/ticket":            {"client", kong},
	"cmd/ticketbench":       {"benchmarks", kong},
	"cmd/ticketsim":         {"sim", "planted", kong},
	"cmd/ticketjepsen":      {"jepsen", kong},
	"tidy":                  {},
}

// testsMayImport is what test files may use beside that.
var testsMayImport = []string{"pgregory.net/rapid", "go.uber.org/goleak"}

func checkImports(t *tree) []string {
	var findings []string
	for _, s := range t.code {
		allowed, known := mayImport[s.dir()]
		if !known {
			findings = append(findings, at(s.path, 1, "package %s has no row in the import table of tidy/imports_test.go", s.dir()))
			continue
		}
		for _, spec := range s.ast.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if !importAllowed(s, name, allowed) {
				findings = append(findings, at(s.path, t.line(spec.Pos()), "%s may not import %s", s.dir(), name))
			}
		}
	}
	return findings
}

func importAllowed(s *source, name string, allowed []string) bool {
	if slices.Contains(allowed, "*") {
		return true
	}
	if own, ok := strings.CutPrefix(name, module+"/"); ok {
		// Tests may look into any room but a program; what ships may not.
		return slices.Contains(allowed, own) || s.isTest() && !strings.HasPrefix(own, "cmd/")
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		return true // standard library
	}
	if s.isTest() && slices.ContainsFunc(testsMayImport, func(m string) bool { return within(name, m) }) {
		return true
	}
	return slices.ContainsFunc(allowed, func(m string) bool { return within(name, m) })
}

// within reports whether the package name is the module or a package of it.
func within(name, module string) bool {
	return name == module || strings.HasPrefix(name, module+"/")
}

// The rooms that are not built yet need no folder, but a row that names a
// package by mistake would allow nothing and forbid nothing.
func TestImportTableNamesRoomsThatItKnows(t *testing.T) {
	for room, allowed := range mayImport {
		for _, name := range allowed {
			_, known := mayImport[name]
			if !known && name != "*" && !strings.Contains(path.Dir(name), ".") {
				t.Errorf("row %s names %s, which has no row", room, name)
			}
		}
	}
}

func TestImportRuleCatches(t *testing.T) {
	catches(t, checkImports, "lock/x.go", "package lock\nimport \"ticketing/storage\"", "lock may not import ticketing/storage")
	catches(t, checkImports, "node/x.go", "package node\nimport \"ticketing/loop\"", "node may not import ticketing/loop")
	catches(t, checkImports, "client/x.go", "package client\nimport \"github.com/panjf2000/gnet/v2\"", "client may not import")
	catches(t, checkImports, "lock/x.go", "package lock\nimport \"go.uber.org/goleak\"", "may not import")
	catches(t, checkImports, "lock/x_test.go", "package lock\nimport \"ticketing/cmd/ticketd\"", "may not import")
	catches(t, checkImports, "helpers/x.go", "package helpers", "has no row")
	passes(t, checkImports, "node/x.go", "package node\nimport (\"fmt\"; \"ticketing/lock\")")
	passes(t, checkImports, "storage/x.go", "package storage\nimport \"github.com/cockroachdb/pebble/v2/vfs\"")
	passes(t, checkImports, "lock/x_test.go", "package lock\nimport (\"ticketing/lock/lockmodel\"; \"pgregory.net/rapid\")")
}
