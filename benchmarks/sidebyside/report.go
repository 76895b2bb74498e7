package main

import (
	"bytes"
	"fmt"
)

const reportHead = `# ticketd and Redis side by side

Made by ` + "`make bench`" + ` (%s, commit %s) on %d × %s, %s, %s, redis-server %s; making 4 KiB durable
takes %.0f µs here (median), and the load average before it began was %.2f. The servers and the load generator share these
processors, so the figures say how the two compare, not what either can do on a machine of its own.

A pair is an acquire and its release. Redis does it as locks on one Redis are usually done:
` + "`SET key value NX PX 30000`" + ` with a random value, and a script that compares and deletes, by EVALSHA. Each figure is
the median of the rounds, and the two servers take turns. Every figure with its command, the other percentiles and the
earlier comparisons are in [results.jsonl](results.jsonl); what the generator does is told in [doc.go](doc.go).

![pairs per second of both](results.svg)
`

const reportTable = `
| load | ticketd, pairs/s | Redis, pairs/s | ratio | ticketd p50 / p99 / p99.9, µs | Redis p50 / p99 / p99.9, µs |
|---|---|---|---|---|---|
`

const contendedNote = `
Where keys are contended, ticketd queues the waiters, in order; Redis has no queue, and an acquire that finds the key held
is sent again at once. Real clients pause before that: they wait longer and ask less.
`

// markdown is the report.
func markdown(records []record) []byte {
	var b bytes.Buffer
	m := records[0].machine
	fmt.Fprintf(&b, reportHead, m.Time, m.Commit, m.CPUs, m.CPU, m.Kernel, m.Go, m.Redis, m.FsyncUS, m.Busy)
	for _, s := range sections(records) {
		fmt.Fprintf(&b, "\n## %s\n", s.title)
		b.WriteString(reportTable)
		for _, d := range s.duels {
			t, r := d.ticketd, d.redis
			fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.2f | %s | %s |\n",
				t.Load, t.PairsPerSec, r.PairsPerSec, t.Ratio, percentiles(t), percentiles(r))
		}
	}
	b.WriteString(contendedNote)
	writeMemory(&b, records)
	return b.Bytes()
}

func percentiles(r record) string {
	return fmt.Sprintf("%.0f / %.0f / %.0f", r.P50, r.P99, r.P999)
}

func writeMemory(b *bytes.Buffer, records []record) {
	b.WriteString("\n## Memory\n\n| server | keys held | resident, MiB | empty, MiB | bytes a key |\n|---|---|---|---|---|\n")
	for _, r := range records {
		if r.ResidentBytes == 0 {
			continue
		}
		perKey := float64(r.ResidentBytes-min(r.EmptyBytes, r.ResidentBytes)) / float64(r.Held)
		fmt.Fprintf(b, "| %s | %d | %d | %d | %.0f |\n", r.Target, r.Held, r.ResidentBytes>>20, r.EmptyBytes>>20, perKey)
	}
	if errors := sumErrors(records); errors > 0 {
		fmt.Fprintf(b, "\n%d pairs went wrong; see results.jsonl.\n", errors)
	}
}

func sumErrors(records []record) (n uint64) {
	for _, r := range records {
		n += r.Errors
	}
	return n
}

// section is a table of the report: loads under the same conditions.
type section struct {
	title string
	duels []duel
}

// duel is one load on both servers.
type duel struct{ ticketd, redis record }

// sections puts the records together, in their order.
func sections(records []record) []section {
	var all []section
	for i, r := range records {
		if r.Target != "ticketd" || r.PairsPerSec == 0 || i+1 == len(records) {
			continue
		}
		title := r.Regime
		if r.Held > 0 {
			title = fmt.Sprintf("%d other keys held (%s)", r.Held, r.Regime)
		}
		if len(all) == 0 || all[len(all)-1].title != title {
			all = append(all, section{title: title})
		}
		last := &all[len(all)-1]
		last.duels = append(last.duels, duel{r, records[i+1]})
	}
	return all
}
