//go:build !invariants

package lock

// checks is what the costly checks need to remember; in this build nothing.
type checks struct{}

func (t *Table) checkSometimes() {}
func (t *Table) checkNow()       {}
