package lock

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
)

// The bytes of the log and of snapshots, so that a change of them is seen.
func TestFormatsStayAsTheyAre(t *testing.T) {
	settings := Settings{Version: 1, MaxKeys: 2, MaxWaiters: 3, MaxWaitersPerKey: 4, WaitZeroBlocks: true, Lazy: true, TokenSeed: 5}
	table := tableWithAll()
	chunk, _ := table.Snapshot().Next(1 << 20)
	for _, format := range []struct {
		name string
		got  []byte
		want string
	}{
		{"settings", AppendSettings(nil, settings), "00000001 00000002 00000003 00000004 05 0000000000000005"},
		{"acquire", AppendAcquire(nil, 1, 2, 3, 4, []byte("key")), "41 0000000000000001 0000000000000002 0003 0004 03 6b6579"},
		{"release", AppendRelease(nil, 1, 2, []byte("key")), "52 0000000000000001 0000000000000002 03 6b6579"},
		{"keep", AppendKeep(nil, 1, 2, 3, []byte("key")), "4b 0000000000000001 0000000000000002 0003 03 6b6579"},
		{"gone", AppendGone(nil, 1), "47 0000000000000001"},
		{"expire", AppendExpire(nil, 1, []byte("key")), "45 0000000000000001 03 6b6579"},
		{"snapshot", chunk, "" +
			"53 00000001 0000000000000002" +
			"   00000001 00400000 00400000 00400000 06 0000000000000001" +
			"   0000000000000003 0000000000000002 0000000000000002 0000000000000002 cb2cbdd35b4d110d" +
			"48 0000000000000002 0000000000000007 0000000000000002 00000002540be402 0000000000000001 05 616c706861" +
			"48 0000000000000003 0000000000000008 0000000000000002 00000004a817c802 0000000000000000 17 626574612d776974682d612d6c6f6e6765722d6e616d65" +
			"57 0000000000000001 0000000000000002 0000000000000009 00000006fc23ac02 0028 05 616c706861" +
			"57 0000000000000002 0000000000000003 0000000000000009 0000000737be7602 0028 05 616c706861"},
	} {
		want := strings.ReplaceAll(format.want, " ", "")
		if got := hex.EncodeToString(format.got); got != want {
			t.Errorf("%s is\n%s, want\n%s", format.name, got, want)
		}
	}
}

func TestSettingsComeBack(t *testing.T) {
	for i := range reflect.TypeFor[Settings]().NumField() {
		var s Settings
		switch f := reflect.ValueOf(&s).Elem().Field(i); {
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		default:
			f.SetUint(1)
		}
		got, err := DecodeSettings(AppendSettings(nil, s))
		if err != nil || got != s {
			t.Errorf("%+v came back as %+v, %v", s, got, err)
		}
	}
}

func TestSettingsThatCannotBeReadAreRefused(t *testing.T) {
	good := AppendSettings(nil, roomy(true))
	newer := bytes.Clone(good)
	newer[3]++
	flags := bytes.Clone(good)
	flags[16] |= 1 << 3
	for want, b := range map[string][]byte{
		"0 bytes":       nil,
		"24 bytes":      good[:24],
		"26 bytes":      append(bytes.Clone(good), 0),
		"version 2":     newer,
		"unknown flags": flags,
	} {
		if _, err := DecodeSettings(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %v, want one with %q", b, err, want)
		}
	}
	// A newer version may have another length.
	if _, err := DecodeSettings(append(newer, 0, 0)); err == nil || !strings.Contains(err.Error(), "at least as new") {
		t.Errorf("settings of a newer version: %v", err)
	}
}

// mustPanic runs f, which must panic with a BUG that says all of words.
func mustPanic(t *testing.T, f func(), words ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		text, _ := recover().(string)
		for _, word := range append(words, "BUG: lock: ") {
			if !strings.Contains(text, word) {
				t.Errorf("panic %q, want one with %q", text, word)
			}
		}
	}()
	f()
}

func TestOurOwnMistakesPanic(t *testing.T) {
	table := New()
	table.Start(5, roomy(true))
	apply := func(batch []byte) func() { return func() { table.Apply(5, batch, &discard{}) } }
	whole := AppendAcquire(nil, 1, 2, 3, 4, []byte("key"))
	mustPanic(t, func() { table.Apply(4, nil, &discard{}) }, "from 5 to 4")
	mustPanic(t, func() { table.Start(4, roomy(true)) }, "from 5 to 4")
	mustPanic(t, func() { table.Start(5, Settings{Version: Version + 1}) }, "version 2")
	mustPanic(t, apply([]byte("X")), "byte 0 of a batch of 1: 58")
	mustPanic(t, apply(append(bytes.Clone(whole), 'A')), "byte 25 of a batch of 26: 41")
	mustPanic(t, func() { AppendRelease(nil, 1, 2, nil) }, "0 bytes")
	mustPanic(t, func() { AppendRelease(nil, 1, 2, make([]byte, KeyMax+1)) }, "129 bytes")
	last := table.Snapshot()
	mustPanic(t, func() { table.Snapshot() }, "second snapshot")
	last.Next(1 << 20)
	mustPanic(t, func() { last.Next(1) }, "has ended")
}

// A batch that ends early is refused wherever it ends.
func TestEachCutOfACommandIsRefused(t *testing.T) {
	key := []byte("key")
	for _, whole := range [][]byte{
		AppendAcquire(nil, 1, 2, 3, 4, key), AppendRelease(nil, 1, 2, key), AppendKeep(nil, 1, 2, 3, key),
		AppendGone(nil, 1), AppendExpire(nil, 1, key),
	} {
		var c command
		for n := 1; n < len(whole); n++ {
			if got := c.decode(whole[:n:n]); got != 0 {
				t.Errorf("%x: a command of %d bytes", whole[:n], got)
			}
		}
		if got := c.decode(whole); got != len(whole) {
			t.Errorf("%x: a command of %d bytes", whole, got)
		}
	}
}

func TestTokensEndWithAPanicAndNotAtTheBeginning(t *testing.T) {
	table := New()
	s := roomy(true)
	s.TokenSeed = ^uint64(0) - 1
	table.Start(0, s)
	var got transcript
	table.Apply(0, AppendAcquire(nil, 1, 2, 0, 9, []byte("a")), &got)
	if table.LastToken() != ^uint64(0) || len(got) != 1 {
		t.Fatalf("last token %d, %q", table.LastToken(), got)
	}
	mustPanic(t, func() { table.Apply(0, AppendAcquire(nil, 1, 2, 0, 9, []byte("b")), &got) }, "no token is left")
}

// A deadline beyond what log time can count does not come, instead of coming
// round at the beginning.
func TestTimeDoesNotComeRound(t *testing.T) {
	table := New()
	table.Start(never-5_000_000_000, roomy(true))
	b := AppendAcquire(nil, 1, 2, 0, 9, []byte("a"))
	b = AppendAcquire(b, 1, 3, 9, 9, []byte("a"))
	table.Apply(table.now, b, &discard{})
	at, ok := table.NextExpiry(false)
	if _, waits := table.NextWait(); waits || !ok || at != never {
		t.Fatalf("expiry at %d, a wait that ends: %v", at, waits)
	}
}

func FuzzBatch(f *testing.F) {
	key := []byte("key")
	f.Add(AppendExpire(AppendAcquire(nil, 1, 2, 3, 4, key), 1, key))
	f.Add(AppendGone(AppendKeep(AppendRelease(nil, 1, 2, key), 1, 2, 3, key), 1))
	f.Fuzz(func(t *testing.T, batch []byte) {
		commands, err := Decode(batch)
		if err != nil {
			return
		}
		var again []byte
		for _, c := range commands {
			switch key := []byte(c.Key); c.Op {
			case opAcquire:
				again = AppendAcquire(again, c.Conn, c.Owner, c.Wait, c.Lease, key)
			case opRelease:
				again = AppendRelease(again, c.Conn, c.Token, key)
			case opKeep:
				again = AppendKeep(again, c.Conn, c.Token, c.Lease, key)
			case opGone:
				again = AppendGone(again, c.Conn)
			case opExpire:
				again = AppendExpire(again, c.Token, key)
			}
		}
		if !bytes.Equal(again, batch) {
			t.Fatalf("%x is read and written as %x", batch, again)
		}
		table := New()
		table.Start(0, roomy(len(batch)%2 == 0))
		table.Apply(1, batch, &discard{})
		table.Apply(70_000_000_000_000, batch, &discard{})
		equalDigests(t, "restored", table, copyOf(t, table))
	})
}
