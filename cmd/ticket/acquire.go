package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ticketing/client"
)

// Run prints the token of a lock that outlives this program.
func (f *acquireFlags) Run(g *globals, out *output) error {
	c, err := g.client()
	if err != nil {
		return err
	}
	defer c.Close()
	lock, err := c.Acquire(context.Background(), f.Key, f.Wait, f.Lease)
	if err != nil {
		return notAcquired(f.Key, err)
	}
	if !f.JSON {
		return out.print("%d\n", lock.Token())
	}
	b, err := json.Marshal(struct {
		Key    string `json:"key"`
		Token  uint64 `json:"token,string"`
		LeaseS int    `json:"lease_s"`
	}{f.Key, lock.Token(), int(f.Lease.Seconds())})
	if err != nil {
		return err
	}
	return out.print("%s\n", b)
}

func notAcquired(key string, err error) error {
	return exitError{exitNotAcquired, fmt.Errorf("%s not acquired: %w", key, err)}
}

// Run gives a key back.
func (f *releaseFlags) Run(g *globals) error {
	c, err := g.client()
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Release(context.Background(), f.Key, f.Token)
	switch {
	case errors.Is(err, client.ErrNotHeld):
		return exitError{exitNo, fmt.Errorf("%s not released: %w", f.Key, err)}
	case err != nil:
		return exitError{exitNotAcquired, fmt.Errorf("%s not released: %w", f.Key, err)}
	}
	return nil
}
