// Command ticketsim lives through simulated worlds and says whether every
// promise was kept.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"ticketing/sim"
)

// Exit codes.
const (
	exitFine   = 0
	exitUnsafe = 1 // a safety promise was broken
	exitStuck  = 2 // no progress after healing
	exitUsage  = 3
)

// shrinkTries bounds the worlds that --shrink lives through.
const shrinkTries = 400

type flags struct {
	Seed    uint64        `help:"Seed of the world, or of the first of several." default:"1"`
	Seeds   int           `help:"How many worlds to live through, from --seed on." default:"1"`
	For     time.Duration `help:"Live through as many worlds as fit in this time, from --seed on." placeholder:"60s"`
	Verbose bool          `short:"v" help:"Print what happens, a line each (one world only)."`
	Faults  []int         `help:"Let only these faults of the schedule happen, by their numbers (one world only)." placeholder:"N"`
	Shrink  bool          `help:"If the world fails, look for the few faults that it takes."`
	Bug     string        `help:"Plant this bug; 'help' lists them." placeholder:"NAME"`
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var f flags
	parser := kong.Must(&f, kong.Name("ticketsim"), kong.Writers(stdout, stderr),
		kong.Description("Simulated clusters, all of it out of one seed: the same seed, the same world."))
	if _, err := parser.Parse(args); err != nil {
		fmt.Fprintln(stderr, "ticketsim:", err)
		return exitUsage
	}
	if code, done := plant(f.Bug, stdout, stderr); done {
		return code
	}
	if f.Seeds == 1 && f.For == 0 {
		return one(&f, stdout)
	}
	return several(&f, stdout)
}

// one lives through a single world, with its story if wanted.
func one(f *flags, stdout io.Writer) int {
	opt := options(f)
	if f.Verbose {
		opt.Trace = stdout
	}
	r := sim.Run(f.Seed, opt)
	fmt.Fprintf(stdout, "seed %d: %.1f simulated seconds, %d requests, %d faults, %+v\n",
		r.Seed, seconds(r), r.Requests, r.Faults, r.Stats)
	code := verdict(r)
	if code != exitFine && f.Shrink {
		needed := sim.Shrink(f.Seed, options(f), shrinkTries)
		fmt.Fprintf(stdout, "it takes the faults %s\n", strings.Trim(fmt.Sprint(needed), "[]"))
	}
	if code != exitFine {
		complain(f, r, stdout)
		return code
	}
	fmt.Fprintf(stdout, "hash %016x\n", r.Hash)
	return code
}

func options(f *flags) sim.Options {
	var opt sim.Options
	if len(f.Faults) > 0 {
		opt.Keep = sim.Among(f.Faults)
	}
	return opt
}

// several lives through many worlds and stops at the first that fails.
func several(f *flags, stdout io.Writer) int {
	var worlds int
	var hours float64
	var failed *sim.Result
	sim.Many(f.Seed, f.Seeds, f.For, func(uint64) sim.Options { return sim.Options{} }, func(r sim.Result) bool {
		worlds++
		hours += seconds(r) / 3600
		if verdict(r) != exitFine {
			failed = &r
		}
		return failed == nil
	})
	if failed != nil {
		complain(f, *failed, stdout)
		return verdict(*failed)
	}
	fmt.Fprintf(stdout, "%d seeds, %.1f simulated hours, 0 violations\n", worlds, hours)
	return exitFine
}

func seconds(r sim.Result) float64 { return float64(r.Simulated) / 1e9 }

func verdict(r sim.Result) int {
	switch {
	case r.Violation != "":
		return exitUnsafe
	case r.Stuck != "", r.Unjudged != "":
		return exitStuck
	}
	return exitFine
}

// complain says what failed; the command that shows it again comes last.
func complain(f *flags, r sim.Result, stdout io.Writer) {
	switch {
	case r.Violation != "":
		fmt.Fprintln(stdout, "VIOLATION:", r.Violation)
	case r.Stuck != "":
		fmt.Fprintln(stdout, "STUCK:", r.Stuck)
	default:
		fmt.Fprintln(stdout, "INCONCLUSIVE:", r.Unjudged)
	}
	again := fmt.Sprintf("ticketsim --seed %d", r.Seed)
	if f.Bug != "" {
		again += " --bug " + f.Bug
	}
	fmt.Fprintf(stdout, "failing seed %d; to see it again: %s -v\n", r.Seed, again)
}
