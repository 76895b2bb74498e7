// Sidebyside compares ticketd with Redis on one machine and writes what it
// found: results.jsonl (every figure with the command that made it), tables of
// the latest comparison in benchmarks/RESULTS.md, and results.svg. `make bench`
// runs it.
//
// It starts all servers itself, on loopback. Both of a pair run at the same
// time, and the load goes to one after the other, round by round, so that what
// else the machine does falls on both. What the load is, is in plan.go.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	const home = "benchmarks"
	p := plan{
		bin: "bin", scratch: filepath.Join(home, "out"),
		rounds: 5, length: 5 * time.Second, few: 1000, many: 1_000_000,
		say: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
	}
	records, err := p.run()
	if err == nil {
		err = write(home, records)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sidebyside: %v\n", err)
		os.Exit(1)
	}
}

// write adds the records to those of earlier comparisons, and renews what
// people look at.
func write(dir string, records []record) error {
	lines, err := jsonLines(records)
	if err != nil {
		return err
	}
	data, err := os.OpenFile(filepath.Join(dir, "results.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer data.Close()
	if _, err := data.Write(lines); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "RESULTS.md"), markdown(records), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "results.svg"), picture(records), 0o644)
}
