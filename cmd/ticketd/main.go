package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

const (
	exitFailure = 1
	exitUsage   = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// usageError is a wrong flag, found after parsing.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func run(args []string, stdout, stderr io.Writer) int {
	var flags cli
	exited := -1
	parser := kong.Must(&flags,
		kong.Name("ticketd"),
		kong.Description("A lock server: clients acquire keys for a time, and wait for them in fair queues."),
		kong.DefaultEnvars("TICKETD"),
		kong.Vars{"version": version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Bind(&output{stdout, stderr}),
	)
	command, err := parser.Parse(args)
	if exited >= 0 {
		return exited // --help
	}
	if err != nil {
		fmt.Fprintf(stderr, "ticketd: %v (see ticketd --help)\n", err)
		return exitUsage
	}
	return exitCode(command.Run(), stderr)
}

func exitCode(err error, stderr io.Writer) int {
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errLogged):
		return exitFailure
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "ticketd: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "ticketd: %v\n", err)
	return exitFailure
}

// output is where a command writes.
type output struct{ stdout, stderr io.Writer }
