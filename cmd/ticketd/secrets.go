package main

import (
	"bytes"
	"fmt"
	"os"
)

// readSecrets returns the lines of a file without their ends. An empty one
// anywhere would let in everybody who knows nothing.
func readSecrets(flag, file string) ([][]byte, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("%s: %w", flag, err)
	}
	var secrets [][]byte
	for line := range bytes.Lines(text) {
		secret := bytes.TrimRight(line, "\r\n")
		if len(secret) == 0 {
			return nil, usage("%s: line %d of %s is empty: each line is a secret", flag, len(secrets)+1, file)
		}
		secrets = append(secrets, secret)
	}
	if len(secrets) == 0 {
		return nil, usage("%s: %s is empty: write a secret into it, or leave the flag out", flag, file)
	}
	return secrets, nil
}

// seed is what tokens begin above where none was ever issued: the clock, read
// this once, so that even a store that forgot everything goes on above the one
// before it.
func seed(micros int64, builtMicros int64, floor uint64) (uint64, error) {
	if micros < builtMicros {
		return 0, fmt.Errorf("the clock is wrong: it is before the build of this program, and tokens must begin above " +
			"all that were issued before; set the clock and start again")
	}
	return max(uint64(micros), floor), nil
}
