// Ticket is the user's side of a lock server on the command line: run a command
// while a key is held, acquire and release keys from scripts, and look at who
// holds what. What a lock is and what its holder may believe is in package
// client. Start reading at flags.go, then run.go.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"ticketing/client"
)

// Exit codes. Those of run are for what ticket itself has to say; otherwise it
// ends as its command did.
const (
	exitNo          = 1   // release: not held by that token; and failures of status and locks
	exitUsage       = 2   //
	exitNotAcquired = 75  // no lock, for whatever reason; release: no answer
	exitLost        = 76  // run: the lock was lost while the command ran
	exitCannotRun   = 126 // run: the command can't be executed
	exitNoCommand   = 127 // run: there is no such command
	exitSignal      = 128 // run: and the number of the signal that ended it
)

// version is stamped by the build.
var version = "unknown"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// exitError ends the program with a code of its own. An err of nil has nothing
// to say.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

func run(args []string, stdout, stderr io.Writer) int {
	var flags cli
	exited := -1
	parser := kong.Must(&flags,
		kong.Name("ticket"),
		kong.Description("Hold locks on a ticketd server or cluster."),
		kong.DefaultEnvars("TICKET"),
		kong.Vars{"version": version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Bind(&output{stdout, stderr}, &flags.globals),
	)
	command, err := parser.Parse(args)
	if exited >= 0 {
		return exited // --help, --version
	}
	if err != nil {
		fmt.Fprintf(stderr, "ticket: %v (see ticket --help)\n", err)
		return exitUsage
	}
	return exitCode(command.Run(), stderr)
}

func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	code := exitNo
	var coded exitError
	switch {
	case errors.Is(err, client.ErrArgument):
		code = exitUsage
	case errors.As(err, &coded):
		code = coded.code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(stderr, "ticket: %s\n", text)
	}
	return code
}

// output is where a command writes.
type output struct{ stdout, stderr io.Writer }

// print writes what was asked for.
func (o *output) print(format string, args ...any) error {
	_, err := fmt.Fprintf(o.stdout, format, args...)
	return err
}

// say writes what a person should know.
func (o *output) say(format string, args ...any) {
	fmt.Fprintf(o.stderr, "ticket: "+format+"\n", args...)
}
