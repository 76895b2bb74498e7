package main

import (
	"os"
	"runtime/debug"
)

// gcPercent trades memory for time: the lock table is a few large slabs
// without pointers, so the heap may grow before a collection pays.
const gcPercent = 400

// tuneGC leaves alone what the operator has set.
func tuneGC() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(gcPercent)
	}
}
