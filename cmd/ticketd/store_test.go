package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ticketing/storage"
)

// Decisions 21, 24: what is wrong with a data directory is exit code 1 and a
// message that names it and says what to do.
func TestDataDirectoriesThatAreRefused(t *testing.T) {
	for _, tc := range []struct {
		name  string
		make  func(t *testing.T, dir string)
		flags []string
		want  []string
	}{
		{"missing, and required", func(*testing.T, string) {}, []string{"--require-store"},
			[]string{"no store here", "--require-store"}},
		{"somebody else's", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "photo.jpg"), "x") }, nil,
			[]string{"photo.jpg", "not a store"}},
		{"a file", func(t *testing.T, dir string) { write(t, dir, "x") }, nil,
			[]string{"data"}},
		{"a cluster's", makeClusterStore, nil,
			[]string{"cluster", "--cluster blue"}},
		{"damaged", damagedStore, nil,
			[]string{"nothing has been changed", "docs/STORAGE.md"}},
		{"in use", func(t *testing.T, dir string) { serve(t, "--data-dir", dir) }, nil,
			[]string{"LOCK"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			tc.make(t, dir)
			before := contents(t, dir)
			args := append([]string{"serve", "--listen", "127.0.0.1:0", "--http=", "--data-dir", dir}, tc.flags...)
			code, _, stderr := outcome(t, command(args...))
			if code != exitFailure {
				t.Fatalf("exit code %d, %q", code, stderr)
			}
			last := stderr[strings.LastIndex(strings.TrimSpace(stderr), "\n")+1:]
			for _, want := range append(tc.want, "level=ERROR") {
				if !strings.Contains(last, want) {
					t.Errorf("no %q in %q", want, last)
				}
			}
			if after := contents(t, dir); tc.name != "in use" && after != before {
				t.Errorf("the directory was changed:\n%s\nto\n%s", before, after)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func makeClusterStore(t *testing.T, dir string) {
	t.Helper()
	id := storage.Identity{Mode: storage.ModeCluster, Cluster: "blue", Node: 1}
	if err := storage.Create(dir, storage.Options{Identity: id}); err != nil {
		t.Fatal(err)
	}
}

// damagedStore has one byte flipped in the middle of what is durable, with
// later records to prove it.
func damagedStore(t *testing.T, dir string) {
	t.Helper()
	s := serve(t, "--data-dir", dir)
	c := s.connect()
	for i := range 100 {
		must(t)(c.ask(acquire(0, 60, uint64(i), strings.Repeat("k", 1+i))))
	}
	s.kill()
	var newest string
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no log files: %v", err)
	}
	newest = logs[len(logs)-1]
	b, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	b[2000] ^= 1
	write(t, newest, string(b))
}

// contents is the names and sizes of the files of a directory.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	names, _ := os.ReadDir(dir)
	for _, e := range names {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() != "LOCK" {
			list.WriteString(e.Name() + " " + info.ModTime().String() + "\n")
		}
	}
	return list.String()
}

// Decision 19: holders and the token counter are there again after an orderly
// stop; with --memory nothing is, and tokens rise all the same (decision 15).
func TestWhatARestartKeeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for _, tc := range []struct {
		name  string
		store string
		want  byte
	}{
		{"on disk", "--data-dir=" + dir, 'T'},
		{"in memory", "--memory", 'A'},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, tc.store)
			first := must(t)(s.connect().ask(acquire(0, 600, 1, "k")))
			if kept := strings.Contains(s.log.String(), "nothing is kept on disk"); kept != (tc.store == "--memory") {
				t.Fatalf("said aloud: %t", kept)
			}
			s.stop()
			s = serve(t, tc.store)
			c := s.connect()
			if got := must(t)(c.ask(acquire(0, 600, 2, "k"))); got.op != tc.want {
				t.Fatalf("got %+v, want %c", got, tc.want)
			}
			if got := must(t)(c.ask(acquire(0, 600, 2, "other"))); got.token <= first.token {
				t.Fatalf("token %d after %d", got.token, first.token)
			}
			s.stop()
		})
	}
}

// Decision 15: --token-floor lifts the first token of a new store.
func TestTokenFloor(t *testing.T) {
	s := serve(t, "--memory", "--token-floor", "9000000000000000000")
	if got := must(t)(s.connect().ask(acquire(0, 60, 1, "k"))); got.token != 9000000000000000001 {
		t.Fatalf("token %d", got.token)
	}
}

// Decision 15: a clock before the build date is refused.
func TestSeed(t *testing.T) {
	for _, tc := range []struct {
		micros, built int64
		floor, want   uint64
	}{
		{1000, 1000, 0, 1000},
		{2000, 1000, 1500, 2000},
		{2000, 1000, 2500, 2500},
		{999, 1000, 5000, 0},
	} {
		got, err := seed(tc.micros, tc.built, tc.floor)
		if got != tc.want || (err != nil) != (tc.want == 0) {
			t.Errorf("seed(%d, %d, %d) = %d, %v", tc.micros, tc.built, tc.floor, got, err)
		}
	}
	if b := builtAfter(); b.Before(firstBuild) {
		t.Errorf("built after %v", b)
	}
}
