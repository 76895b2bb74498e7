//go:build canary

package planted

import "slices"

// Possible reports whether this build can be made to fail.
const Possible = true

var active Bug

// Is reports whether b is planted.
func Is(b Bug) bool { return active == b && b != None }

// Plant plants the named bug, and reports whether it could. Before anything
// else runs.
func Plant(name string) bool {
	i := slices.Index(names[:], name)
	if i < 1 {
		return false
	}
	active = Bug(i)
	return true
}
