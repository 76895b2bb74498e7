package consensus

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the expected results in testdata anew")

const golden = "testdata/messages.golden"

// samples is a message of each type with every field of it set.
func samples() []Message {
	b := Ballot{Round: 0x0102030405060708, Node: 2}
	low := Ballot{Round: 7, Node: 1}
	meta := SnapshotMeta{Gen: 3, Slot: 40, Mark: low, Now: 5_000_000_000, Chunks: 2, Bytes: 6}
	entries := []Entry{
		{Slot: 41, Ballot: b, Origin: low, Stamp: 6_000_000_000, Kind: KindCommands, Payload: []byte("\x00\n\xff")},
		{Slot: 42, Ballot: b, Origin: b, Stamp: 6_000_000_001, Kind: KindLeaderStart},
		{Slot: 43, Ballot: b, Origin: b, Stamp: 6_000_000_002, Kind: KindReplace, Payload: encodeReplacement(3, StoreID{9})},
	}
	return []Message{
		{Type: MsgPreVote, Ballot: b, Promised: low, Commit: 40},
		{Type: MsgPreVoteAnswer, Granted: true, Ballot: b, Promised: low},
		{Type: MsgPrepare, Ballot: b, Slot: 41, Sent: 9},
		{Type: MsgPromise, Ballot: b, Slot: 41, Last: 43, Sent: 9, Entries: entries},
		{Type: MsgPromise, Ballot: b, Slot: 41, Last: 40, Sent: 9},
		{Type: MsgAccept, Ballot: b, Slot: 40, Commit: 39, Sent: 9, Entries: entries},
		{Type: MsgAccepted, Learner: true, Ballot: b, Slot: 42},
		{Type: MsgHeartbeat, Ballot: b, Slot: 42, Commit: 41, Stamp: 7_000_000_000, Sent: 9},
		{Type: MsgAlive, Learner: true, Ballot: b, Promised: low, Slot: 42, Sent: 9},
		{Type: MsgNack, Ballot: low, Promised: b, Slot: 41, Sent: 9},
		{Type: MsgOffer, Ballot: b, Meta: meta},
		{Type: MsgAsk, Meta: meta, Index: 1},
		{Type: MsgChunk, Meta: meta, Index: 1, Data: []byte("abc")},
		{Type: MsgHandOver, Ballot: b},
	}
}

// sender returns a member that the message can have come from.
func (m *Message) sender() NodeID { return m.Ballot.Node }

func TestEveryMessageSurvivesTheWire(t *testing.T) {
	seen := map[MessageType]bool{}
	for _, m := range samples() {
		seen[m.Type] = true
		got, err := DecodeMessage(m.sender(), AppendMessage(nil, &m))
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v comes back as %+v, %v", m, got, err)
		}
	}
	if len(seen) != len(layouts)-1 {
		t.Errorf("%d types of message have a sample, there are %d", len(seen), len(layouts)-1)
	}
}

func TestMessageBytesStayWhatTheyAre(t *testing.T) {
	var out strings.Builder
	for _, m := range samples() {
		fmt.Fprintf(&out, "%d %s\n", m.Type, hex.EncodeToString(AppendMessage(nil, &m)))
	}
	hello, roster := sampleHello(), sampleRoster()
	fmt.Fprintf(&out, "hello %x\n", AppendHello(nil, &hello))
	fmt.Fprintf(&out, "roster %x\n", AppendRoster(nil, &roster))
	if *rewrite {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the bytes have changed, which breaks a cluster of two versions:\n%s", out.String())
	}
}

func TestNoPrefixOfAMessageIsAMessage(t *testing.T) {
	for _, m := range samples() {
		whole := AppendMessage(nil, &m)
		for n := range whole {
			if got, err := DecodeMessage(m.sender(), whole[:n:n]); err == nil {
				t.Errorf("%d of %d bytes of %+v decode to %+v", n, len(whole), m, got)
			}
		}
		if _, err := DecodeMessage(m.sender(), append(whole, 0)); err == nil {
			t.Errorf("%+v decodes with a byte too many", m)
		}
	}
}

func TestMessagesThatNobodySendsAreRefused(t *testing.T) {
	b := Ballot{Round: 7, Node: 2}
	meta := SnapshotMeta{Slot: 40, Chunks: 2}
	entry := func(s Slot) []Entry { return []Entry{{Slot: s, Ballot: b, Origin: b, Kind: KindCommands}} }
	for name, m := range map[string]Message{
		"another's ballot":         {Type: MsgHeartbeat, Ballot: Ballot{7, 3}},
		"prepare from 0":           {Type: MsgPrepare, Ballot: b},
		"promise from 0":           {Type: MsgPromise, Ballot: b},
		"promise ends too early":   {Type: MsgPromise, Ballot: b, Slot: 5, Last: 3},
		"entry before the promise": {Type: MsgPromise, Ballot: b, Slot: 5, Last: 6, Entries: entry(4)},
		"entry after the promise":  {Type: MsgPromise, Ballot: b, Slot: 5, Last: 6, Entries: entry(7)},
		"slot 0":                   {Type: MsgAccept, Ballot: b, Slot: ^Slot(0), Entries: entry(0)},
		"gap before the entries":   {Type: MsgAccept, Ballot: b, Slot: 4, Entries: entry(6)},
		"entry of another ballot": {Type: MsgAccept, Ballot: b, Slot: 4,
			Entries: []Entry{{Slot: 5, Ballot: Ballot{6, 2}, Kind: KindCommands}}},
		"unknown kind": {Type: MsgAccept, Ballot: b, Slot: 4, Entries: []Entry{{Slot: 5, Ballot: b, Kind: 4}}},
		"replacement of nobody": {Type: MsgAccept, Ballot: b, Slot: 4, Entries: []Entry{
			{Slot: 5, Ballot: b, Kind: KindReplace, Payload: encodeReplacement(6, StoreID{1})}}},
		"no such chunk": {Type: MsgAsk, Meta: meta, Index: 2},
		"no such data":  {Type: MsgChunk, Meta: meta, Index: 2},
		"large payload": {Type: MsgAccept, Ballot: b, Slot: 4, Entries: []Entry{
			{Slot: 5, Ballot: b, Kind: KindCommands, Payload: make([]byte, MaxPayload+1)}}},
		"large chunk": {Type: MsgChunk, Meta: meta, Data: make([]byte, MaxChunk+1)},
	} {
		if got, err := DecodeMessage(2, AppendMessage(nil, &m)); err == nil {
			t.Errorf("%s: decodes to %+v", name, got)
		}
	}
	for _, b := range [][]byte{nil, {0}, {byte(len(layouts))}, {255}} {
		if got, err := DecodeMessage(2, b); err == nil {
			t.Errorf("%x decodes to %+v", b, got)
		}
	}
}

func TestTheLargestMessagesFitAFrame(t *testing.T) {
	b := Ballot{Round: 7, Node: 2}
	large := Message{Type: MsgPromise, Ballot: b, Slot: 1, Last: 1, Entries: []Entry{
		{Slot: 1, Ballot: b, Kind: KindCommands, Payload: make([]byte, MaxPayload)}}}
	var w window
	w.first = 1
	for i := range 1 << 15 {
		w.put(Entry{Slot: Slot(i + 1)})
	}
	many := Message{Type: MsgPromise, Ballot: b, Slot: 1, Last: w.last(),
		Entries: w.slice(1, w.last(), Limits{}.withDefaults().MessageBytes)}
	chunk := Message{Type: MsgChunk, Data: make([]byte, MaxChunk)}
	for _, m := range []Message{large, many, chunk} {
		if n := len(AppendMessage(nil, &m)); n > MaxMessage {
			t.Errorf("a message of type %d has %d bytes", m.Type, n)
		}
	}
}

func TestRandomMessagesSurviveTheWire(t *testing.T) {
	rng, done := seeded(t)
	defer done()
	for range 2000 {
		m := randomMessage(rng)
		got, err := DecodeMessage(m.sender(), AppendMessage(nil, &m))
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("%+v comes back as %+v, %v", m, got, err)
		}
	}
}

// randomMessage is a sample with other entries.
func randomMessage(rng *rand.Rand) Message {
	all := samples()
	m := all[rng.IntN(len(all))]
	if m.Type != MsgPromise && m.Type != MsgAccept {
		return m
	}
	m.Entries = nil
	for i := range rng.IntN(20) {
		m.Entries = append(m.Entries, Entry{
			Slot:   m.Slot + Slot(i),
			Ballot: m.Ballot,
			Origin: Ballot{Round: rng.Uint64(), Node: NodeID(rng.IntN(6))},
			Stamp:  Stamp(rng.Uint64()),
			Kind:   Kind(1 + rng.IntN(2)),
		})
		if n := rng.IntN(300); n > 0 {
			m.Entries[i].Payload = bytes.Repeat([]byte{byte(n)}, n)
		}
		if m.Type == MsgAccept {
			m.Entries[i].Slot++
		}
	}
	m.Last = 0
	if m.Type == MsgPromise {
		m.Last = m.Slot + Slot(len(m.Entries)) - 1 + Slot(rng.IntN(3))
	}
	return m
}

func FuzzDecodeMessage(f *testing.F) {
	for _, m := range samples() {
		f.Add(uint8(m.sender()), AppendMessage(nil, &m))
	}
	f.Fuzz(func(t *testing.T, from uint8, b []byte) {
		m, err := DecodeMessage(NodeID(from), bytes.Clone(b))
		if err != nil {
			return
		}
		if again := AppendMessage(nil, &m); !bytes.Equal(again, b) {
			t.Errorf("%x decodes to %+v, which encodes to %x", b, m, again)
		}
	})
}
