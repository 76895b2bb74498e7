package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ticketing/benchmarks"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(c.values); got != c.want {
			t.Errorf("of %v: %v", c.values, got)
		}
	}
}

// Each figure is the median of its own, whichever round it comes from.
func TestARecordTakesTheMedians(t *testing.T) {
	var r record
	r.take([]benchmarks.Result{
		{PairsPerSec: 100, P50: 5, P99: 9, P999: 30, Max: 70, Errors: 1},
		{PairsPerSec: 300, P50: 1, P99: 8, P999: 10, Max: 90, Retries: 4},
		{PairsPerSec: 200, P50: 3, P99: 7, P999: 20, Max: 80, Errors: 2},
	})
	if r.PairsPerSec != 200 || r.P50 != 3 || r.P99 != 8 || r.P999 != 20 || r.Max != 80 || r.Errors != 3 || r.Retries != 4 || len(r.Runs) != 3 {
		t.Errorf("got %+v", r)
	}
}

func sample() []record {
	m := machine{Time: "2030-01-02T03:04:05Z", Commit: "abc", CPU: "Some <CPU>", CPUs: 2, Kernel: "Linux 6", Go: "go1.26", Redis: "7.0", FsyncUS: 90}
	return []record{
		{machine: m, Regime: inMemory, Load: "one", Target: "ticketd", PairsPerSec: 3000, P50: 1, P99: 2, P999: 3, Ratio: 1.5},
		{machine: m, Regime: inMemory, Load: "one", Target: "redis", PairsPerSec: 2000, P50: 4, P99: 5, P999: 6, Errors: 7},
		{machine: m, Regime: inMemory, Load: "keys", Target: "ticketd", Held: 1 << 20, EmptyBytes: 10 << 20, ResidentBytes: 210 << 20},
		{machine: m, Regime: inMemory, Load: "keys", Target: "redis", Held: 1 << 20, EmptyBytes: 10 << 20, ResidentBytes: 110 << 20},
		{machine: m, Regime: inMemory, Load: "two & more", Target: "ticketd", Held: 1 << 20, PairsPerSec: 10, Ratio: 0.5},
		{machine: m, Regime: inMemory, Load: "two & more", Target: "redis", Held: 1 << 20, PairsPerSec: 20},
	}
}

func TestTheReport(t *testing.T) {
	got := string(markdown(sample()))
	for _, want := range []string{
		"commit abc) on 2 × Some <CPU>", "## " + inMemory + "\n", "| one | 3000 | 2000 | 1.50 | 1 / 2 / 3 | 4 / 5 / 6 |",
		"## 1048576 other keys held", "| two & more | 10 | 20 | 0.50 |",
		"| ticketd | 1048576 | 210 | 10 | 200 |", "| redis | 1048576 | 110 | 10 | 100 |", "7 pairs went wrong",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// The picture is XML, and the bars of a load are to each other as its figures.
func TestThePicture(t *testing.T) {
	d := xml.NewDecoder(bytes.NewReader(picture(sample())))
	var widths []string
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			for _, a := range e.Attr {
				if a.Name.Local == "width" {
					widths = append(widths, a.Value)
				}
			}
		}
	}
	if got := strings.Join(widths, " "); got != "100% 380 253 190 380" {
		t.Errorf("widths %s", got)
	}
}

// A whole comparison, with figures that mean nothing. Where there is no Redis it
// says so, and that is all.
func TestAComparison(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if out, err := exec.Command("go", "build", "-o", bin+"/", "ticketing/cmd/ticketd", "ticketing/cmd/ticketbench").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := plan{bin: bin, scratch: filepath.Join(dir, "scratch"), rounds: 1, length: 150 * time.Millisecond, few: 10, many: 500, say: t.Logf}
	records, err := p.run()
	if _, missing := exec.LookPath("redis-server"); missing != nil {
		if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "redis-server is missing") {
			t.Errorf("without redis-server: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := write(dir, records); err != nil {
			t.Fatal(err)
		}
	}
	checkRecords(t, records)
	data, err := os.Open(filepath.Join(dir, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	lines := 0
	for scan := bufio.NewScanner(data); scan.Scan(); lines++ {
		if !json.Valid(scan.Bytes()) {
			t.Errorf("line %d is no JSON", lines+1)
		}
	}
	if lines != 2*len(records) {
		t.Errorf("%d lines of two comparisons with %d figures", lines, len(records))
	}
	for _, name := range []string{"RESULTS.md", "results.svg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v, error %v", name, info, err)
		}
	}
	if _, err := os.Stat(p.scratch); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data of the servers is still there: %v", err)
	}
}

func checkRecords(t *testing.T, records []record) {
	t.Helper()
	if len(records) != 26 { // 12 loads and the keys weighed, on two servers
		t.Errorf("%d records", len(records))
	}
	for _, r := range records {
		weighed := r.ResidentBytes > r.EmptyBytes && r.Held > 0
		measured := len(r.Runs) == 1 && r.PairsPerSec > 0 && r.P50 > 0 && r.P50 <= r.Max
		if !weighed && !measured || r.Errors > 0 || r.Go == "" || r.Redis == "" || r.FsyncUS <= 0 ||
			!strings.Contains(r.Command, "--target="+r.Target) || (r.Ratio > 0) != (measured && r.Target == "ticketd") {
			t.Errorf("got %+v", r)
		}
	}
}
