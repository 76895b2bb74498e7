// Package storagetest says what every store of a replica must do, as one suite
// of tests: the real one on a disk, the real one in memory, and the disks of
// the simulator. It also has the model that the suite holds a store against,
// and a source of random writes that follow from one another.
//
// Start reading at run.go.
package storagetest
