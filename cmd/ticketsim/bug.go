package main

import (
	"fmt"
	"io"

	"ticketing/planted"
)

// plant plants the bug that was asked for. done: there is nothing more to do.
func plant(name string, stdout, stderr io.Writer) (code int, done bool) {
	switch {
	case name == "":
		return 0, false
	case name == "help":
		for _, n := range planted.Names() {
			fmt.Fprintln(stdout, n)
		}
		return exitFine, true
	case !planted.Possible:
		fmt.Fprintln(stderr, "ticketsim: this build can't plant bugs; build it with -tags canary")
		return exitUsage, true
	case !planted.Plant(name):
		fmt.Fprintf(stderr, "ticketsim: there is no bug %q; --bug help lists them\n", name)
		return exitUsage, true
	}
	return 0, false
}
