package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ticketing/benchmarks"
)

// plan is a comparison.
type plan struct {
	bin     string // where ticketd and ticketbench are
	scratch string // for the data of the servers; is emptied
	rounds  int
	length  time.Duration // of a run
	few     int           // keys held, for comparison
	many    int           // with so many
	say     func(format string, args ...any)
}

// load is what a run of ticketbench asks for.
type load struct {
	name string
	args []string
}

var (
	alone     = load{"one at a time", []string{"--conns=1", "--pipeline=1"}}
	abreast   = load{"64 connections", []string{"--conns=64", "--pipeline=1"}}
	pipelined = load{"64 connections, 16 in flight on each", []string{"--conns=64", "--pipeline=16"}}
	contended = load{"64 connections that want 8 keys", []string{"--conns=64", "--pipeline=1", "--keys=8"}}
)

// regimes: what is promised of a lock that was granted, the same of both.
const (
	inMemory = "in memory: lost with the process"
	onDisk   = "on disk: synced before the answer"
)

// pairing is one ticketd and one Redis that run side by side.
type pairing struct {
	*plan
	machine machine
	regime  string
	held    int
	servers [2]contestant
}

// contestant is one server of a pairing.
type contestant struct {
	target string
	start  func() (*benchmarks.Server, error)
	said   string // the command line, for the record
	server *benchmarks.Server
}

// run makes the whole comparison.
func (p *plan) run() (records []record, err error) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return nil, fmt.Errorf("redis-server is missing, and there is nothing to compare with (Debian: apt-get install redis-server): %w", err)
	}
	if err := errors.Join(os.RemoveAll(p.scratch), os.MkdirAll(p.scratch, 0o755)); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.scratch)) }()
	m, err := look(p.scratch)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		regime string
		held   int
		loads  []load
	}{
		{inMemory, 0, []load{alone, abreast, pipelined, contended}},
		{onDisk, 0, []load{alone, abreast, pipelined, contended}},
		{inMemory, p.few, []load{abreast, pipelined}},
		{inMemory, p.many, []load{abreast, pipelined}},
	} {
		more, err := p.pairing(m, part.regime, part.held).compare(part.loads)
		if err != nil {
			return nil, err
		}
		records = append(records, more...)
	}
	return records, nil
}

// pairing says how both are started for a regime.
func (p *plan) pairing(m machine, regime string, held int) *pairing {
	ticketdDir, redisDir := filepath.Join(p.scratch, "ticketd"), filepath.Join(p.scratch, "redis")
	ticketd := []string{"--memory"}
	redis := []string{"--save", "", "--appendonly", "no"}
	if regime == onDisk {
		ticketd = []string{"--data-dir=" + ticketdDir}
		redis = []string{"--save", "", "--appendonly", "yes", "--appendfsync", "always", "--dir", redisDir}
	}
	if held > 0 {
		ticketd = append(ticketd, "--max-keys="+strconv.Itoa(held+benchmarks.ConnsMax))
	}
	program := filepath.Join(p.bin, "ticketd")
	return &pairing{plan: p, machine: m, regime: regime, held: held, servers: [2]contestant{{
		target: "ticketd", said: "ticketd serve " + strings.Join(ticketd, " "),
		start: func() (*benchmarks.Server, error) { return benchmarks.StartTicketd(program, ticketd...) },
	}, {
		target: "redis", said: fmt.Sprintf("redis-server %q", redis),
		start: func() (*benchmarks.Server, error) {
			if err := os.MkdirAll(redisDir, 0o755); err != nil {
				return nil, err
			}
			return benchmarks.StartRedis(redis...)
		},
	}}}
}

// compare starts both, puts all loads on them, and stops them.
func (p *pairing) compare(loads []load) (records []record, err error) {
	for i := range p.servers {
		c := &p.servers[i]
		if c.server, err = c.start(); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, c.server.Stop()) }()
	}
	if p.held > 0 {
		if records, err = p.hold(); err != nil {
			return nil, err
		}
	}
	for _, l := range loads {
		more, err := p.put(l)
		if err != nil {
			return nil, err
		}
		records = append(records, more...)
	}
	return records, nil
}

// hold fills both with keys, and weighs the many: a few are lost in what else a
// process needs.
func (p *pairing) hold() (records []record, err error) {
	for i := range p.servers {
		c := &p.servers[i]
		r := p.record(c, "memory of the held keys")
		if r.EmptyBytes, err = c.server.ResidentBytes(); err != nil {
			return nil, err
		}
		result, err := p.bench(c, &r, "--hold="+strconv.Itoa(p.held))
		if err != nil {
			return nil, err
		}
		if result.Pairs != uint64(p.held) {
			return nil, fmt.Errorf("%s took only %d of %d keys to hold", c.target, result.Pairs, p.held)
		}
		if r.ResidentBytes, err = c.server.ResidentBytes(); err != nil {
			return nil, err
		}
		p.say("%s, %d keys held: %d MiB", c.target, p.held, r.ResidentBytes>>20)
		if p.held == p.many {
			records = append(records, r)
		}
	}
	return records, nil
}

// put runs a load on both, turn by turn, after a round that only warms up.
func (p *pairing) put(l load) ([]record, error) {
	records := make([]record, len(p.servers))
	results := make([][]benchmarks.Result, len(p.servers))
	for round := range 1 + p.rounds {
		for i := range p.servers {
			c := &p.servers[i]
			records[i] = p.record(c, l.name)
			args := append([]string{"--for=" + p.length.String()}, l.args...)
			result, err := p.bench(c, &records[i], args...)
			if err == nil && result.Pairs == 0 {
				err = fmt.Errorf("%s did not get one pair done", records[i].Command)
			}
			if err != nil {
				return nil, err
			}
			if round > 0 {
				results[i] = append(results[i], result)
			}
		}
	}
	for i := range records {
		records[i].take(results[i])
	}
	records[0].Ratio = records[0].PairsPerSec / records[1].PairsPerSec
	p.say("%s, %d held, %s: ticketd %.0f, redis %.0f pairs per second (%.2f)",
		p.regime, p.held, l.name, records[0].PairsPerSec, records[1].PairsPerSec, records[0].Ratio)
	return records, nil
}

func (p *pairing) record(c *contestant, load string) record {
	return record{machine: p.machine, Regime: p.regime, Load: load, Target: c.target, Server: c.said, Held: p.held}
}

// bench runs ticketbench, as a user would, and notes how.
func (p *pairing) bench(c *contestant, r *record, args ...string) (benchmarks.Result, error) {
	args = append([]string{"--target=" + c.target, "--json"}, args...)
	r.Command = "ticketbench --addr=ADDR " + strings.Join(args, " ")
	var result benchmarks.Result
	out, err := exec.Command(filepath.Join(p.bin, "ticketbench"), append(args, "--addr="+c.server.Addr)...).Output()
	if err == nil {
		err = json.Unmarshal(out, &result)
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	if err != nil {
		return result, fmt.Errorf("%s: %w", r.Command, err)
	}
	return result, nil
}
