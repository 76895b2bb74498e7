// Package tidy is the project's house rules, kept by tests: which package may
// import which, what the deterministic packages must never touch, how long a
// function may be, and that the documents speak of things that exist.
//
// It holds no code of the server and nothing imports it. Each rule is a
// function from the tree of files to what is wrong with it, and has a
// self-test that shows it a bad example. Start reading in rules_test.go.
package tidy
