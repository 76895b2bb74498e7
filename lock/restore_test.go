package lock

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// restore makes a table of chunks.
func restore(chunks ...[]byte) (*Table, error) {
	r := NewRestorer()
	var first error
	for _, chunk := range chunks {
		if err := r.Add(chunk); err != nil && first == nil {
			first = err
		}
	}
	table, err := r.Table()
	if first != nil {
		return nil, first
	}
	return table, err
}

// records of a snapshot, one to a chunk.
func records(table *Table) [][]byte { return chunksOf(table.Snapshot(), 1) }

func TestChunksEndWithTheFirstRecordThatReachesTheirSize(t *testing.T) {
	all := bytes.Join(records(tableWithAll()), nil)
	for most := 1; most < len(all)+2; most++ {
		chunks := chunksOf(tableWithAll().Snapshot(), most)
		if !bytes.Equal(bytes.Join(chunks, nil), all) {
			t.Fatalf("chunks of %d: %q, want %q", most, chunks, all)
		}
		for i, chunk := range chunks {
			if len(chunk) >= most+recordMax || i < len(chunks)-1 && len(chunk) < most {
				t.Errorf("chunk %d of %d has %d bytes, asked for %d", i, len(chunks), len(chunk), most)
			}
		}
	}
}

func TestAnEmptyTableHasOneChunk(t *testing.T) {
	chunks := records(New())
	if len(chunks) != 1 {
		t.Fatalf("%d chunks", len(chunks))
	}
	table, err := restore(chunks...)
	if err != nil {
		t.Fatal(err)
	}
	equalDigests(t, "restored", table, New())
}

// Whatever bit is wrong: the parts check each other, the digest the rest.
func TestEachFlippedBitIsRefused(t *testing.T) {
	whole := bytes.Join(records(tableWithAll()), nil)
	for i := range len(whole) * 8 {
		broken := bytes.Clone(whole)
		broken[i/8] ^= 1 << (i % 8)
		if _, err := restore(broken); err == nil {
			t.Errorf("bit %d of byte %d of %x", i%8, i/8, whole)
		}
	}
}

func TestEachCutIsRefused(t *testing.T) {
	whole := bytes.Join(records(tableWithAll()), nil)
	for n := range len(whole) {
		if _, err := restore(whole[:n:n]); err == nil {
			t.Errorf("%d bytes of %d", n, len(whole))
		}
	}
}

func TestChunksOutOfPlaceAreRefused(t *testing.T) {
	good := records(tableWithAll())
	if len(good) != 5 {
		t.Fatalf("%d chunks", len(good))
	}
	for name, order := range map[string][]int{
		"none":                   {},
		"no header":              {1, 2, 3, 4},
		"header twice":           {0, 0, 1, 2, 3, 4},
		"a held key is lacking":  {0, 1, 3, 4},
		"a held key comes twice": {0, 1, 1, 2, 3, 4},
		"held keys swapped":      {0, 2, 1, 3, 4},
		"a waiter is lacking":    {0, 1, 2, 4},
		"a waiter comes twice":   {0, 1, 2, 3, 3},
		"waiters swapped":        {0, 1, 2, 4, 3},
		"a waiter comes early":   {0, 1, 3, 2, 4},
		"one too many":           {0, 1, 2, 3, 4, 4},
	} {
		var chunks [][]byte
		for _, i := range order {
			chunks = append(chunks, good[i])
		}
		if _, err := restore(chunks...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Each rule of the restorer by itself, with a message that names it.
func TestARestorerSaysWhatIsWrong(t *testing.T) {
	header, holds, waiters := 0, 1, 3
	for _, c := range []struct {
		want   string
		record int
		at     int
		bytes  []byte
	}{
		{"version 2, and this program reads version 1", header, 1, []byte{0, 0, 0, 2}},
		{"settings with unknown flags", header, 13 + 16, []byte{255}},
		{"than 33554430", header, 13 + settingsLen + 16, []byte{1}},
		{"than 33554430", header, 13 + settingsLen + 24, []byte{1}},
		{"lacks 0 held keys and 1 waiters", header, 13 + settingsLen + 31, []byte{3}},
		{"makes a table with digest", header, 13 + settingsLen + 32, []byte{0xff, 0xff}},
		{"token 0 between 0 and 3", holds, 1, make([]byte, 8)},
		{"token 72057594037927938 between", holds, 1, []byte{1}},
		{"a grant from 9 to 10000000002, taken at 2", holds, 1 + 8 + 8 + 7, []byte{9}},
		{"a grant from 2 to 0, taken at 2", holds, 1 + 8 + 8 + 8, make([]byte, 8)},
		{"a broken held key", holds, holdLengthAt, []byte{0}},
		{"a broken held key", holds, holdLengthAt, []byte{KeyMax + 1}},
		{"arrival 0 between 0 and 2", waiters, 1, make([]byte, 8)},
		{"arrival 3 between 0 and 2", waiters, 8, []byte{3}},
		{`a waiter for "alphb", which nobody holds`, waiters, waiterLengthAt + 5, []byte{'b'}},
		{"a broken waiter", waiters, waiterLengthAt, []byte{0}},
		{"kind 0x0 out of place", waiters, 0, []byte{0}},
	} {
		chunks := records(tableWithAll())
		copy(chunks[c.record][c.at:], c.bytes)
		_, err := restore(chunks...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want one with %q", err, c.want)
		}
	}
}

func TestAKeyTwiceAndATieOutOfPlaceAreRefused(t *testing.T) {
	chunks := records(tableWithAll())
	twice := bytes.Clone(chunks[1])
	copy(twice[1:9], chunks[2][1:9])
	if _, err := restore(chunks[0], chunks[1], twice); err == nil || !strings.Contains(err.Error(), `"alpha" twice`) {
		t.Error(err)
	}
	untied := slices.Clone(chunks)
	untied[0] = bytes.Clone(chunks[0])
	untied[0][13+16] &^= flagReleaseOnGone
	if _, err := restore(untied...); err == nil || !strings.Contains(err.Error(), `"alpha" tied`) {
		t.Error(err)
	}
}

// What comes after an error changes nothing of it.
func TestARestorerKeepsItsFirstError(t *testing.T) {
	r := NewRestorer()
	first := r.Add([]byte("?"))
	if again := r.Add(records(New())[0]); first == nil || again != first {
		t.Fatalf("first %v, then %v", first, again)
	}
	if _, err := r.Table(); err != first {
		t.Fatalf("first %v, then %v", first, err)
	}
}

func FuzzRestore(f *testing.F) {
	for _, table := range []*Table{New(), tableWithAll()} {
		f.Add(bytes.Join(records(table), nil), uint16(20))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) {
		var chunks [][]byte
		if n := int(cut); n > 0 {
			chunks = slices.Collect(slices.Chunk(b, n))
		}
		table, err := restore(chunks...)
		if err != nil {
			// Records must not be cut, but all at once they may still be good.
			table, err = restore(b)
		}
		if err != nil {
			return
		}
		if again := bytes.Join(records(table), nil); !bytes.Equal(again, b) {
			t.Fatalf("%x is read and written as %x", b, again)
		}
		table.Apply(table.now, AppendAcquire(nil, 1, 2, 3, 4, []byte("key")), &discard{})
	})
}
