package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// terminal is what this process has to do with one.
type terminal struct {
	there      bool // there is a controlling terminal
	foreground bool // and what is typed at it comes to this process group
}

// sent reports whether s was typed at the terminal, as far as can be told: then
// the command, in the same process group, has got it from there, and getting it
// twice would be one too many for many programs.
func (t terminal) sent(s os.Signal) bool {
	return t.foreground && (s == syscall.SIGINT || s == syscall.SIGQUIT)
}

// controllingTerminal looks at this moment: a shell may move a job to the
// foreground.
func controllingTerminal() terminal {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return terminal{}
	}
	t, err := parseStat(stat)
	if err != nil {
		return terminal{}
	}
	return t
}

// parseStat reads process group, terminal and its foreground group, the third,
// fifth and sixth field behind the name, which may hold anything.
func parseStat(stat []byte) (terminal, error) {
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	var state string
	var parent, group, session, tty, foreground int
	if _, err := fmt.Sscan(string(rest), &state, &parent, &group, &session, &tty, &foreground); err != nil {
		return terminal{}, err
	}
	return terminal{there: tty != 0, foreground: tty != 0 && foreground == group}, nil
}
