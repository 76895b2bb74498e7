// Ticketbench measures a lock server by one closed loop of acquires and
// releases, and prints how many there were and how long they took. The same
// generator drives ticketd and Redis, so that they can be compared. What it does
// is package benchmarks; here is only the command line.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"ticketing/benchmarks"
)

const (
	exitFailure = 1
	exitUsage   = 2
)

// version is stamped by the build.
var version = "unknown"

type cli struct {
	Target   string        `enum:"ticketd,redis" default:"ticketd" placeholder:"ticketd|redis" help:"What listens at --addr (default ${default}). Redis: SET NX PX, and a script that compares and deletes."`
	Addr     []string      `default:"127.0.0.1:5225" placeholder:"HOST:PORT" help:"Server, or nodes of a cluster, whose leader is found (default ${default})."`
	Conns    int           `default:"64" placeholder:"N" help:"Connections (default ${default})."`
	Pipeline int           `default:"1" placeholder:"N" help:"Pairs in flight on each connection (default ${default})."`
	Keys     string        `default:"unique" placeholder:"unique|N" help:"A key of its own for each pair, or N keys that all share: ticketd queues, Redis is asked again at once (default ${default})."`
	For      time.Duration `default:"5s" placeholder:"DURATION" help:"How long pairs are begun (default ${default})."`
	Hold     int           `default:"0" placeholder:"N" help:"Instead: acquire N keys and leave them held, for 18 hours, also when this program ends (default: none)."`
	JSON     bool          `name:"json" help:"Print one line of JSON."`

	Version kong.VersionFlag `env:"-" help:"Print the version."`
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var flags cli
	exited := -1
	parser := kong.Must(&flags,
		kong.Name("ticketbench"),
		kong.Description("Measure how many locks a server grants and takes back: one closed loop of pairs of acquire and release."),
		kong.DefaultEnvars("TICKETBENCH"),
		kong.Vars{"version": version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	_, err := parser.Parse(args)
	if exited >= 0 {
		return exited // --help, --version
	}
	var cfg benchmarks.Config
	if err == nil {
		cfg, err = flags.config()
	}
	if err != nil {
		fmt.Fprintf(stderr, "ticketbench: %v (see ticketbench --help)\n", err)
		return exitUsage
	}
	result, err := benchmarks.Run(cfg)
	if err != nil {
		fmt.Fprintf(stderr, "ticketbench: %v\n", err)
		return exitFailure
	}
	return flags.print(result, stdout, stderr)
}

func (f *cli) config() (benchmarks.Config, error) {
	cfg := benchmarks.Config{
		Target: f.Target, Addrs: f.Addr, Conns: f.Conns, Pipeline: f.Pipeline, For: f.For, Hold: f.Hold,
	}
	if f.Keys != "unique" {
		n, err := strconv.ParseUint(f.Keys, 10, 31)
		if err != nil || n == 0 {
			return cfg, fmt.Errorf("--keys %q: want unique, or a number of keys", f.Keys)
		}
		cfg.Keys = int(n)
	}
	return cfg, cfg.Check()
}

func (f *cli) print(r benchmarks.Result, stdout, stderr io.Writer) int {
	line := r.String()
	if f.JSON {
		b, err := json.Marshal(r)
		if err != nil {
			fmt.Fprintf(stderr, "ticketbench: %v\n", err)
			return exitFailure
		}
		line = string(b)
	}
	if _, err := fmt.Fprintln(stdout, line); err != nil {
		fmt.Fprintf(stderr, "ticketbench: %v\n", err)
		return exitFailure
	}
	return 0
}
