package lock

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var rewrite = flag.Bool("rewrite", false, "write what the table answers into testdata")

// TestScenarios plays the stories in testdata. A line is a comment, something
// that happens, or (after ">") what must follow from it:
//
//	start REGIME [FLAGS]    a LeaderStart; REGIME is lazy or strict, FLAGS are
//	                        keys=, waiters=, waiters-per-key=, seed=, wait-zero-blocks, release-on-gone
//	at TIME COMMAND         an entry; TIME is log time
//	and [N] COMMAND         one more command, or N times, in the same entry
//	due [waited] max=N      what AppendExpires gives at the time of the last entry
//	sweep max=N             an entry made of that, as the node proposes it
//	next, list, counts      what the table shows
//
// COMMAND is nothing (the entry only moves time) or one of
//
//	acquire CONN owner= wait= lease= key=     release CONN token= key=
//	keep CONN token= lease= key=              gone CONN
//	expire token= key=
func TestScenarios(t *testing.T) {
	for _, path := range scenarios(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text), false)
			if *rewrite {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else {
				compareLines(t, got, string(text))
			}
			compareLines(t, play(t, string(text), true), got)
		})
	}
}

func scenarios(t *testing.T) []string {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenario in testdata: %v", err)
	}
	return paths
}

func compareLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d:\ngot  %s\nwant %s", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("got %d lines, want %d", len(g), len(w))
	}
}

// player plays one story.
type player struct {
	t     *testing.T
	table *Table
	out   []string // the story again, with what the table answers
	again int      // how often the last of out was said again
}

// play returns the story with what the table answers. With restored, a copy
// out of a snapshot takes the table's place before each line.
func play(t *testing.T, story string, restored bool) string {
	p := &player{t: t, table: New()}
	lines := strings.Split(strings.TrimRight(story, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if strings.HasPrefix(line, ">") {
			continue
		}
		p.out = append(p.out, line)
		if line == "" || line[0] == '#' {
			continue
		}
		commands := []string{line}
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "and ") {
			i++
			commands = append(commands, lines[i])
			p.out = append(p.out, lines[i])
		}
		if restored {
			p.table = copyOf(t, p.table)
		}
		p.step(commands)
	}
	return strings.Join(p.out, "\n") + "\n"
}

func (p *player) step(lines []string) {
	words := strings.Fields(lines[0])
	args := parseArgs(p.t, words)
	switch words[0] {
	case "start":
		p.table.Start(p.table.now, args.settings(words[1]))
	case "at":
		at, err := time.ParseDuration(words[1])
		if err != nil {
			p.t.Fatalf("%q: %v", lines[0], err)
		}
		batch := appendCommand(p.t, nil, words[2:])
		for _, line := range lines[1:] {
			batch = appendRepeated(p.t, batch, strings.Fields(line)[1:])
		}
		p.table.Apply(Time(at), batch, p)
	case "due":
		batch, _ := p.table.AppendExpires(nil, p.table.now, args.flag("waited"), int(args.number("max")))
		p.show(batch)
	case "sweep":
		batch, n := p.table.AppendExpires(nil, p.table.now, args.flag("waited"), int(args.number("max")))
		p.say("%d proposed", n)
		p.table.Apply(p.table.now, batch, p)
	case "next":
		p.say("wait %s, expiry %s, of waited keys %s", when(p.table.NextWait()), when(p.table.NextExpiry(false)), when(p.table.NextExpiry(true)))
	case "list":
		p.table.List(func(h *Held) bool {
			p.say("%s token=%d owner=%d from %s to %s waiters=%d", h.Key, h.Token, h.Owner, seconds(h.Granted), seconds(h.Deadline), h.Waiters)
			return true
		})
	case "counts":
		p.say("keys=%d waiters=%d last-token=%d", p.table.Keys(), p.table.Waiters(), p.table.LastToken())
	default:
		p.t.Fatalf("what is %q?", lines[0])
	}
}

// Outcome makes player a Sink.
func (p *player) Outcome(o *Outcome) {
	letter := "?ATBRKN"[o.Verdict : o.Verdict+1]
	switch o.Verdict {
	case Granted:
		p.say("c%d %s token=%d owner=%d key=%s", o.Conn, letter, o.Token, o.Owner, o.Key)
	case TimedOut, Busy:
		p.say("c%d %s owner=%d key=%s", o.Conn, letter, o.Owner, o.Key)
	default:
		p.say("c%d %s token=%d key=%s", o.Conn, letter, o.Token, o.Key)
	}
}

// say adds a line, or counts it if it is the one before.
func (p *player) say(format string, args ...any) {
	line := "> " + fmt.Sprintf(format, args...)
	last := &p.out[len(p.out)-1]
	if *last == line {
		p.again = 2
	} else if *last == fmt.Sprintf("%s (%d times)", line, p.again) {
		p.again++
	} else {
		p.out = append(p.out, line)
		return
	}
	*last = fmt.Sprintf("%s (%d times)", line, p.again)
}

// show says the expires of a batch.
func (p *player) show(batch []byte) {
	var c command
	for len(batch) > 0 {
		batch = batch[c.decode(batch):]
		p.say("expire token=%d key=%s", c.token, c.key)
	}
}

func when(at Time, ok bool) string {
	if !ok {
		return "none"
	}
	return "at " + seconds(at)
}

func seconds(at Time) string {
	s := fmt.Sprintf("%d.%09d", at/1e9, at%1e9)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".") + "s"
}

// arguments are the name=value words of a line, and the bare ones.
type arguments struct {
	t      *testing.T
	values map[string]string
}

func parseArgs(t *testing.T, words []string) arguments {
	a := arguments{t, map[string]string{}}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		a.values[name] = value
	}
	return a
}

func (a arguments) flag(name string) bool {
	_, ok := a.values[name]
	return ok
}

// number is 0 when it is not given.
func (a arguments) number(name string) uint64 {
	value, ok := a.values[name]
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	return n
}

func (a arguments) settings(regime string) Settings {
	s := Settings{
		Version: Version, MaxKeys: 1000, MaxWaiters: 1000, MaxWaitersPerKey: 1000,
		WaitZeroBlocks: a.flag("wait-zero-blocks"),
		ReleaseOnGone:  a.flag("release-on-gone"),
		Lazy:           regime == "lazy",
		TokenSeed:      a.number("seed"),
	}
	if regime != "lazy" && regime != "strict" {
		a.t.Fatalf("no regime %q", regime)
	}
	for name, cap := range map[string]*uint32{"keys": &s.MaxKeys, "waiters": &s.MaxWaiters, "waiters-per-key": &s.MaxWaitersPerKey} {
		if a.flag(name) {
			*cap = uint32(a.number(name))
		}
	}
	return s
}

// appendRepeated appends a command as often as a number before it says.
func appendRepeated(t *testing.T, b []byte, words []string) []byte {
	times, err := strconv.Atoi(words[0])
	if err != nil {
		return appendCommand(t, b, words)
	}
	for range times {
		b = appendCommand(t, b, words[1:])
	}
	return b
}

func appendCommand(t *testing.T, b []byte, words []string) []byte {
	if len(words) == 0 {
		return b
	}
	a := parseArgs(t, words)
	var c Conn
	if len(words) > 1 && words[1][0] == 'c' {
		n, err := strconv.ParseUint(words[1][1:], 10, 64)
		if err != nil {
			t.Fatalf("connection: %v", err)
		}
		c = Conn(n)
	}
	key := []byte(a.values["key"])
	switch words[0] {
	case "acquire":
		return AppendAcquire(b, c, a.number("owner"), uint16(a.number("wait")), uint16(a.number("lease")), key)
	case "release":
		return AppendRelease(b, c, a.number("token"), key)
	case "keep":
		return AppendKeep(b, c, a.number("token"), uint16(a.number("lease")), key)
	case "gone":
		return AppendGone(b, c)
	case "expire":
		return AppendExpire(b, a.number("token"), key)
	}
	t.Fatalf("what is the command %q?", words)
	return nil
}

// copyOf takes a table through a snapshot.
func copyOf(t rapid.TB, table *Table) *Table {
	t.Helper()
	restorer := NewRestorer()
	snapshot := table.Snapshot()
	for last := false; !last; {
		var chunk []byte
		chunk, last = snapshot.Next(100)
		if err := restorer.Add(chunk); err != nil {
			t.Fatal(err)
		}
	}
	restored, err := restorer.Table()
	if err != nil {
		t.Fatal(err)
	}
	return restored
}
