// Package planted lets a bug be planted in the server on purpose, so that the
// simulator can show that it would be found. Each place that can be broken asks
// Is. In an ordinary build Is is the constant false and costs nothing: a bug can
// be planted only in a build with the tag canary, which no release has.
package planted

// Bug names one bug.
type Bug uint8

// Bugs, by the line that names them.
const (
	None Bug = iota
	count
)

var names = [count]string{}

// Names lists the bugs that can be planted.
func Names() []string { return names[1:] }
