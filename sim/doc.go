// Package sim is the world in which whole replicas live through years of
// faults, all of it out of one seed: node.Node as the server runs it, on
// simulated disks, networks and clocks, with clients that speak real frames.
// The same seed gives the same world, to the last byte.
//
// It never uses a real clock, socket or goroutine inside a world; only Many
// runs worlds side by side.
//
// Start reading at Run in world.go. host.go is what the server's loop is in
// production, disk.go, network.go, session.go and clock.go what surrounds it,
// faults.go what befalls it, client.go and task.go who uses it. Each checker
// has a file that is named by when it must hold: always_, eventually_,
// finally_.
package sim
