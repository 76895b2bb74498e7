package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"ticketing/client"
)

// Work that runs under a lock, and stops when the lock is lost.
func Example() {
	ctx := context.Background()
	c, err := client.New(client.Config{Addrs: []string{"127.0.0.1:5225"}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	lock, err := c.Acquire(ctx, "invoices", 30*time.Second, 10*time.Second)
	if errors.Is(err, client.ErrHeld) {
		return // somebody else is at it
	}
	if err != nil {
		log.Fatal(err)
	}
	defer lock.Release(ctx)
	err = lock.Hold(ctx, func(ctx context.Context) error {
		return writeInvoices(ctx, lock.Token())
	})
	if err != nil {
		log.Fatal(err)
	}
}

// writeInvoices hands the token on: what it writes to should refuse one that is
// smaller than one it has seen.
func writeInvoices(_ context.Context, token uint64) error {
	fmt.Println("written with token", token)
	return nil
}
