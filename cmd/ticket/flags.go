package main

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"ticketing/client"
)

// cli is the command line. Each flag has an environment twin: --addr is
// TICKET_ADDR; the flag wins.
type cli struct {
	globals

	Run     runFlags     `cmd:"" help:"Run a command while a key is held."`
	Acquire acquireFlags `cmd:"" help:"Acquire a key and print its token. The key stays held until it is released or its lease is over."`
	Release releaseFlags `cmd:"" help:"Release a key. Exit code 0: released; 1: not held by that token; 75: no server answered."`
	Status  statusFlags  `cmd:"" help:"Show what a server says of itself."`
	Locks   locksFlags   `cmd:"" help:"List the keys that are held, the oldest grant first."`
}

type globals struct {
	Addr           []string `default:"127.0.0.1:5225" placeholder:"HOST:PORT" help:"Server, or nodes of a cluster in any order (default ${default})."`
	HTTP           string   `name:"http" default:"127.0.0.1:5280" placeholder:"HOST:PORT" help:"HTTP side of a server, for status and locks (default ${default})."`
	AuthTokenFile  string   `type:"path" placeholder:"FILE" help:"File with the secret of the servers, in its first line (default: none)."`
	AdminTokenFile string   `type:"path" placeholder:"FILE" help:"File with the token for --http, in its first line (default: none)."`

	Version kong.VersionFlag `env:"-" help:"Print the version."`
}

// lockFlags are what an acquire needs.
type lockFlags struct {
	Wait  time.Duration `default:"30s" placeholder:"DURATION" help:"How long to wait for the key, in whole seconds; 0s is one try (default ${default}, at most 65535s)."`
	Lease time.Duration `default:"30s" placeholder:"DURATION" help:"After this the key is free unless it is kept, in whole seconds (default ${default}, 1s to 65535s)."`
}

type runFlags struct {
	Key     string   `arg:"" help:"Key to hold."`
	Command []string `arg:"" passthrough:"" help:"Command and its arguments."`
	lockFlags
	NoKeep bool `help:"Don't renew the lease: the command has until it is over."`
}

// Help is printed below the flags.
func (*runFlags) Help() string {
	return `The lease is renewed while COMMAND runs, and the key is released when it ends. COMMAND finds the token in TICKET_TOKEN: what the lock guards should refuse a token smaller than one it has seen.

ticket ends as COMMAND did (128 and the signal's number if a signal ended it; 127 if there is none, 126 if it can't be run), with 75 if the key was not acquired, and with 76 if the lock was lost while COMMAND ran.

When the lock is lost, because no server could be reached before the lease was over or because somebody released it, COMMAND gets SIGTERM, and SIGKILL 5 seconds later. Signals that ticket gets are passed on to COMMAND. Without a terminal COMMAND has a process group of its own, and signals go to all of it. If ticket is killed, COMMAND gets SIGTERM (Linux), and nobody renews the lease.`
}

type acquireFlags struct {
	Key string `arg:"" help:"Key to acquire."`
	lockFlags
	JSON bool `name:"json" help:"Print key, token and lease as JSON."`
}

// Help is printed below the flags.
func (*acquireFlags) Help() string {
	return `Exit code 75: not acquired. Don't use it with a server that runs with --release-on-disconnect: the lock ends with this program.`
}

type releaseFlags struct {
	Key   string `arg:"" help:"Key to release."`
	Token uint64 `arg:"" help:"Token that acquire printed."`
}

type statusFlags struct {
	JSON bool `name:"json" help:"Print the server's JSON as it is."`
}

type locksFlags struct {
	Prefix  string        `placeholder:"TEXT" help:"Only keys that begin so (default: all)."`
	HeldFor time.Duration `default:"0s" placeholder:"DURATION" help:"Only keys that have been held for so long (default ${default})."`
	Limit   int           `default:"100" placeholder:"N" help:"At most so many keys (default ${default})."`
	JSON    bool          `name:"json" help:"Print the server's JSON as it is."`
}

// client makes a Client of the flags.
func (g *globals) client() (*client.Client, error) {
	secret, err := firstLine(g.AuthTokenFile)
	if err != nil {
		return nil, exitError{exitUsage, fmt.Errorf("--auth-token-file: %w", err)}
	}
	return client.New(client.Config{Addrs: g.Addr, Secret: secret})
}

// firstLine is what a file of secrets says to those who send one. No file is no
// secret.
func firstLine(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	if len(line) == 0 {
		return nil, fmt.Errorf("the first line of %s is empty: it should hold the secret", file)
	}
	return line, nil
}
