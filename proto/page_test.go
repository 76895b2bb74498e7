package proto_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"ticketing/proto"
)

// docs/PROTOCOL.md is what strangers write clients from. What can be checked of
// it, is.

func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../docs/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestConversationOnThePageIsWhatItSays(t *testing.T) {
	line := regexp.MustCompile(`(?m)^([CS])  ([0-9a-f ]+?)      (.+)$`)
	lines := line.FindAllStringSubmatch(readPage(t), -1)
	if len(lines) < 15 {
		t.Fatalf("%d lines found", len(lines))
	}
	for _, l := range lines {
		wire, err := hex.DecodeString(strings.ReplaceAll(l[2], " ", ""))
		if err != nil {
			t.Fatalf("%s: %v", l[0], err)
		}
		tell := tellReply
		if l[1] == "C" {
			tell = tellRequest
		}
		if n, got := tell(wire); n != len(wire) || got != l[3] {
			t.Errorf("%s\nreads %q, %d of %d bytes", l[0], got, n, len(wire))
		}
	}
}

func tellRequest(wire []byte) (n int, told string) {
	var r proto.Request
	n, reason := proto.ParseRequest(wire, &r)
	switch {
	case reason != "":
		return n, string(reason)
	case r.Op == proto.OpAcquire:
		return n, fmt.Sprintf("acquire wait %d lease %d owner %d %s", r.Wait, r.Lease, r.Owner, r.Key)
	case r.Op == proto.OpRelease:
		return n, fmt.Sprintf("release token %d %s", r.Token, r.Key)
	case r.Op == proto.OpKeep:
		return n, fmt.Sprintf("keep token %d lease %d %s", r.Token, r.Lease, r.Key)
	}
	return n, "keep-alive"
}

func tellReply(wire []byte) (n int, told string) {
	var r proto.Reply
	n, ok := proto.ParseReply(wire, &r)
	if !ok || r.Op == 0 {
		return n, map[bool]string{true: "keep-alive", false: "not a reply"}[ok]
	}
	told = map[byte]string{
		'A': "acquired", 'T': "timed out", 'B': "busy", 'R': "released", 'N': "not held",
		'K': "kept", 'M': "moved", 'L': "leader", 'E': "error",
	}[r.Op]
	if r.Token != 0 {
		told += fmt.Sprintf(" token %d", r.Token)
	}
	if r.Owner != 0 {
		told += fmt.Sprintf(" owner %d", r.Owner)
	}
	return n, told + " " + string(r.Text)
}

// The table of frames on the page gives the same headers as the code.
func TestTableOfFramesOnThePage(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| (client|server) \\| `(.)` \\|(.*?)\\| \\w+ \\|")
	rows := row.FindAllStringSubmatch(readPage(t), -1)
	if len(rows) != len(requestHeaders)+len(replyHeaders) {
		t.Fatalf("%d rows found", len(rows))
	}
	for _, r := range rows {
		got := 2*strings.Count(r[3], "u16") + 8*strings.Count(r[3], "u64")
		want := replyHeaders[r[2][0]]
		if r[1] == "client" {
			want = requestHeaders[proto.Op(r[2][0])]
		}
		if got != want {
			t.Errorf("%s %s has a header of %d bytes, on the page %d", r[1], r[2], want, got)
		}
	}
}

func TestPageNamesEveryReason(t *testing.T) {
	page := readPage(t)
	for _, r := range []proto.Reason{
		proto.AuthFailed, proto.NoLeader, proto.NotActive, proto.BadFrame, proto.BadKey, proto.BadLease,
		proto.TooManyConnections, proto.ShuttingDown,
	} {
		if !strings.Contains(page, "`"+string(r)+"`") {
			t.Errorf("nothing about %s", r)
		}
	}
	for _, c := range [][2]string{{"secret", "aB3dEf_g"}, {"", ""}} {
		if d := proto.Digest([]byte(c[0]), []byte(c[1])); !strings.Contains(page, string(d)) {
			t.Errorf("no test vector %s", d)
		}
	}
}
