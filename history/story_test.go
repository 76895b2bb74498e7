package history

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// A story is a history to be read by people, one request a line:
//
//	from to conn key request = answer
//
// Times are seconds, requests are A/wait/lease, R/token, K/token/lease and gone,
// answers are those of the wire, A with its token, and ? for none. Owner and
// client are the connection's number.
func parseStory(t *testing.T, story string) []Op {
	t.Helper()
	var ops []Op
	for line := range strings.Lines(story) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		o, err := parseOp(line)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		ops = append(ops, o)
	}
	return ops
}

func parseOp(line string) (o Op, err error) {
	request, answer, _ := strings.Cut(line, "=")
	f := strings.Fields(request)
	if len(f) != 5 {
		return o, fmt.Errorf("%d words before the answer, want 5", len(f))
	}
	o = Op{Call: seconds(f[0], &err), Return: seconds(f[1], &err), Conn: int(number(f[2], &err)), Key: f[3]}
	o.Client, o.Owner = o.Conn, uint64(o.Conn)
	parts := strings.Split(f[4], "/")
	switch parts[0] {
	case "A":
		o.Kind, o.Wait, o.Lease = Acquire, uint16(number(parts[1], &err)), uint16(number(parts[2], &err))
	case "R":
		o.Kind, o.Token = Release, number(parts[1], &err)
	case "K":
		o.Kind, o.Token, o.Lease = Keep, number(parts[1], &err), uint16(number(parts[2], &err))
	case "gone":
		o.Kind = Gone
	default:
		return o, fmt.Errorf("unknown request %q", parts[0])
	}
	a := strings.Fields(answer)
	switch {
	case len(a) == 0 || a[0] == "?":
	case a[0] == "A":
		o.Outcome, o.Token = Granted, number(a[1], &err)
	default:
		o.Outcome = Outcome(a[0])
	}
	return o, err
}

func seconds(s string, err *error) int64 {
	f, e := strconv.ParseFloat(s, 64)
	if e != nil {
		*err = e
	}
	return int64(f * second)
}

func number(s string, err *error) uint64 {
	n, e := strconv.ParseUint(s, 10, 64)
	if e != nil {
		*err = e
	}
	return n
}
