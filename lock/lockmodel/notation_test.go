package lockmodel

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The notation of scripts and of failures: one command or outcome is an opcode
// letter of the wire (G for Gone, E for Expire) and its fields, each with a
// letter in front: c connection, o owner, t token, w wait, l lease; then the key
// (a long one as its first letter and its length).

func keyName(key string) string {
	if len(key) > 8 {
		return fmt.Sprintf("%c*%d", key[0], len(key))
	}
	return key
}

func commandText(c Command) string {
	key := keyName(c.Key)
	switch c.Op {
	case Acquire:
		return fmt.Sprintf("A c%d o%d w%d l%d %s", c.Conn, c.Owner, c.Wait, c.Lease, key)
	case Release:
		return fmt.Sprintf("R c%d t%d %s", c.Conn, c.Token, key)
	case Keep:
		return fmt.Sprintf("K c%d t%d l%d %s", c.Conn, c.Token, c.Lease, key)
	case Gone:
		return fmt.Sprintf("G c%d", c.Conn)
	default:
		return fmt.Sprintf("E t%d %s", c.Token, key)
	}
}

func parseCommand(t *testing.T, text string) Command {
	t.Helper()
	var c Command
	var err error
	switch text[0] {
	case 'A':
		c.Op = Acquire
		_, err = fmt.Sscanf(text, "A c%d o%d w%d l%d %s", &c.Conn, &c.Owner, &c.Wait, &c.Lease, &c.Key)
	case 'R':
		c.Op = Release
		_, err = fmt.Sscanf(text, "R c%d t%d %s", &c.Conn, &c.Token, &c.Key)
	case 'K':
		c.Op = Keep
		_, err = fmt.Sscanf(text, "K c%d t%d l%d %s", &c.Conn, &c.Token, &c.Lease, &c.Key)
	case 'G':
		c.Op = Gone
		_, err = fmt.Sscanf(text, "G c%d", &c.Conn)
	case 'E':
		c.Op = Expire
		_, err = fmt.Sscanf(text, "E t%d %s", &c.Token, &c.Key)
	default:
		err = fmt.Errorf("unknown opcode")
	}
	if err != nil {
		t.Fatalf("command %q: %v", text, err)
	}
	return c
}

func outcomeText(o Outcome) string {
	key := keyName(o.Key)
	switch o.Verdict {
	case Granted:
		return fmt.Sprintf("A c%d o%d t%d %s", o.Conn, o.Owner, o.Token, key)
	case TimedOut, Busy:
		return fmt.Sprintf("%c c%d o%d %s", " ATBRKN"[o.Verdict], o.Conn, o.Owner, key)
	default:
		return fmt.Sprintf("%c c%d t%d %s", " ATBRKN"[o.Verdict], o.Conn, o.Token, key)
	}
}

func settingsText(s Settings) string {
	words := []string{"start", "strict"}
	if s.Lazy {
		words[1] = "lazy"
	}
	if s.WaitZeroBlocks {
		words = append(words, "block")
	}
	if s.ReleaseOnGone {
		words = append(words, "tie")
	}
	return fmt.Sprintf("%s keys=%d waiters=%d perkey=%d seed=%d", strings.Join(words, " "),
		s.MaxKeys, s.MaxWaiters, s.MaxWaitersPerKey, s.TokenSeed)
}

// parseSettings reads what settingsText writes. What is not named is off, and
// the caps are 9.
func parseSettings(t *testing.T, text string) Settings {
	t.Helper()
	s := Settings{MaxKeys: 9, MaxWaiters: 9, MaxWaitersPerKey: 9}
	for _, word := range strings.Fields(text)[1:] {
		name, value, _ := strings.Cut(word, "=")
		var n uint64
		if value != "" {
			if _, err := fmt.Sscanf(value, "%d", &n); err != nil {
				t.Fatalf("setting %q: %v", word, err)
			}
		}
		switch name {
		case "keys":
			s.MaxKeys = uint32(n)
		case "waiters":
			s.MaxWaiters = uint32(n)
		case "perkey":
			s.MaxWaitersPerKey = uint32(n)
		case "seed":
			s.TokenSeed = n
		case "lazy", "strict":
			s.Lazy = name == "lazy"
		case "block":
			s.WaitZeroBlocks = true
		case "tie":
			s.ReleaseOnGone = true
		default:
			t.Fatalf("unknown setting %q", word)
		}
	}
	return s
}

// keyText shows a held key: token, owner, grant and deadline, queue.
func keyText(k Key) string {
	text := fmt.Sprintf("%s t%d o%d %s..%s", keyName(k.Name), k.Token, k.Owner, clockText(k.Granted), clockText(k.Deadline))
	for _, w := range k.Queue {
		text += fmt.Sprintf(" <c%d until %s", w.Conn, clockText(w.Until))
	}
	return text
}

func clockText(at uint64) string {
	if at == Forever {
		return "never"
	}
	return time.Duration(at).String()
}

func joined[T any](list []T, text func(T) string) string {
	var texts []string
	for _, e := range list {
		texts = append(texts, text(e))
	}
	return strings.Join(texts, "; ")
}

// script plays lines of
//
//	TIME start SETTINGS
//	TIME COMMAND; COMMAND = OUTCOME; OUTCOME
//	show KEY; KEY
//
// on a fresh model, at most two time-outs an entry, and fails at the first
// line that comes out differently.
func script(t *testing.T, text string) {
	t.Helper()
	m := New(2)
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		if want, ok := strings.CutPrefix(line, "show"); ok {
			expect(t, line, joined(m.List(), keyText), want)
			continue
		}
		clock, work, _ := strings.Cut(line, " ")
		now, err := time.ParseDuration(clock)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if strings.HasPrefix(work, "start") {
			m.Start(uint64(now), parseSettings(t, work))
			continue
		}
		commands, want, _ := strings.Cut(work, "=")
		expect(t, line, joined(m.Apply(uint64(now), parseBatch(t, commands)), outcomeText), want)
	}
}

func parseBatch(t *testing.T, text string) []Command {
	t.Helper()
	var batch []Command
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part != "" {
			batch = append(batch, parseCommand(t, part))
		}
	}
	return batch
}

func expect(t *testing.T, line, got, want string) {
	t.Helper()
	if want = strings.TrimSpace(want); got != want {
		t.Fatalf("%s\n got: %s\nwant: %s", line, got, want)
	}
}
