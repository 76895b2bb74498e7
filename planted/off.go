//go:build !canary

package planted

// Possible reports whether this build can be made to fail.
const Possible = false

// Is reports whether b is planted.
func Is(b Bug) bool { return false }

// Plant plants the named bug, and reports whether it could.
func Plant(name string) bool { return false }
