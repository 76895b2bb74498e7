package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Interface: a wrong flag value is exit code 2 and a message that names it, and
// nothing has been touched.
func TestWrongUsage(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty, blank, blankLine := file("empty", ""), file("blank", "\n"), file("blank-line", "one\n\ntwo\n")
	data := filepath.Join(dir, "data")
	for _, tc := range []struct{ args, want string }{
		{"", "expected one of"},
		{"fly", "unexpected argument fly"},
		{"serve --fly", "unknown flag --fly"},
		{"serve extra", "unexpected argument extra"},
		{"serve --max-keys -1", "--max-keys"},
		{"serve --max-keys 0", "--max-keys"},
		{"serve --max-keys 4294967296", "--max-keys"},
		{"serve --max-inflight 0", "--max-inflight"},
		{"serve --max-conns 1000000000", "--max-conns"},
		{"serve --max-conns -1", "--max-conns"},
		{"serve --token-floor x", "--token-floor"},
		{"serve --wait-zero maybe", "--wait-zero"},
		{"serve --log-format xml", "--log-format"},
		{"serve --log-level loud", "--log-level"},
		{"serve --listen nowhere", "--listen"},
		{"serve --listen 127.0.0.1:99999", "--listen"},
		{"serve --http 1.2.3.4", "--http"},
		{"serve --http 0.0.0.0:0", "--admin-token-file"},
		{"serve --http :0", "--admin-token-file"},
		{"serve --listen-tls 127.0.0.1:0", "--tls-cert"},
		{"serve --tls-cert x", "--listen-tls"},
		{"serve --listen-tls 127.0.0.1:0 --tls-cert " + empty + " --tls-key " + empty, "--tls-cert"},
		{"serve --auth-token-file " + filepath.Join(dir, "none"), "--auth-token-file"},
		{"serve --auth-token-file " + empty, "is empty"},
		{"serve --auth-token-file " + blank, "line 1"},
		{"serve --admin-token-file " + blankLine, "line 2"},
		{"serve --memory --require-store", "--require-store"},
		{"serve --pprof --http=", "--http"},
		{"version extra", "unexpected argument extra"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			args := strings.Fields(tc.args)
			if len(args) > 0 && args[0] == "serve" && !strings.Contains(tc.args, "--memory") {
				args = append(args, "--data-dir", data)
			}
			code, stdout, stderr := outcome(t, command(args...))
			if code != exitUsage || !strings.Contains(stderr, tc.want) || stdout != "" {
				t.Fatalf("exit code %d, want %q in %q, and %q should be empty", code, tc.want, stderr, stdout)
			}
			if strings.Count(stderr, "\n") != 1 {
				t.Fatalf("more than a line: %q", stderr)
			}
		})
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Fatalf("a store was made: %v", err)
	}
}

// Interface: every flag has an environment twin; a wrong value there is the
// same error; the flag wins (case D9).
func TestEnvironmentTwins(t *testing.T) {
	code, _, stderr := outcome(t, withEnv(command("serve"), "TICKETD_MAX_KEYS=many", "TICKETD_MEMORY=true"))
	if code != exitUsage || !strings.Contains(stderr, "max-keys") {
		t.Fatalf("exit code %d, %q", code, stderr)
	}
	code, help, _ := outcome(t, command("serve", "--help"))
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for line := range strings.Lines(help) {
		name, isFlag := strings.CutPrefix(strings.TrimSpace(line), "--")
		if !isFlag {
			continue
		}
		name, _, _ = strings.Cut(strings.Fields(name)[0], "=")
		twin := "$TICKETD_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if !strings.Contains(strings.Join(strings.Fields(help), " "), twin+")") {
			t.Errorf("the help has no %s", twin)
		}
	}
	s := serveEnv(t, []string{"TICKETD_MAX_KEYS=1", "TICKETD_MEMORY=true", "TICKETD_WAIT_ZERO=block"}, "--wait-zero=try")
	c := s.connect()
	ask := must(t)
	if got := ask(c.ask(acquire(0, 60, 1, "one"))); got.op != 'A' {
		t.Fatalf("got %+v", got)
	}
	if got := ask(c.ask(acquire(0, 60, 1, "two"))); got.op != 'B' {
		t.Fatalf("the twin of --max-keys has no effect: %+v", got)
	}
	if got := ask(c.ask(acquire(0, 60, 1, "one"))); got.op != 'T' {
		t.Fatalf("the flag does not win: %+v", got)
	}
}

func TestHelpNamesUnitsAndDefaults(t *testing.T) {
	_, help, _ := outcome(t, command("serve", "--help"))
	help = strings.Join(strings.Fields(help), " ")
	for _, want := range []string{"127.0.0.1:5225", "127.0.0.1:5280", "./data", "1000000", "65536", "50000", "microseconds"} {
		if !strings.Contains(help, want) {
			t.Errorf("no %q in the help", want)
		}
	}
}

func TestVersion(t *testing.T) {
	code, stdout, _ := outcome(t, command("version"))
	if code != 0 || !strings.HasPrefix(stdout, "ticketd ") || strings.Count(stdout, "\n") != 1 {
		t.Fatalf("exit code %d, %q", code, stdout)
	}
	dir := filepath.Join(t.TempDir(), "data")
	code, _, stderr := outcome(t, command("version", "--data-dir", dir))
	if code != exitFailure || !strings.Contains(stderr, "no store here") {
		t.Fatalf("exit code %d, %q", code, stderr)
	}
	s := serve(t, "--data-dir", dir)
	for _, what := range []string{"in use", "at rest"} {
		code, stdout, stderr = outcome(t, command("version", "--data-dir", dir))
		if code != 0 || !strings.Contains(stdout, "mode     single") || !strings.Contains(stdout, "format   1, pebble") {
			t.Fatalf("store %s: exit code %d, %q, %q", what, code, stdout, stderr)
		}
		if what == "in use" {
			s.stop()
		}
	}
}
