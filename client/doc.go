// Package client acquires, keeps and releases tickets on a ticketd server or
// cluster.
//
//	c, err := client.New(client.Config{Addrs: []string{"127.0.0.1:5225"}})
//	...
//	lock, err := c.Acquire(ctx, "invoices", 30*time.Second, 10*time.Second)
//	...
//	defer lock.Release(ctx)
//	err = lock.Hold(ctx, func(ctx context.Context) error {
//		return writeInvoices(ctx, lock.Token())
//	})
//
// A lock is a lease: it ends when it is released or when its time is over,
// whatever its holder thinks. The token of a grant is larger than that of any
// grant before it; whatever the lock guards should refuse a token smaller than
// one that it has seen. That is the only protection against a holder that
// sleeps through the end of its lease. Lost tells a holder that is awake.
//
// A Client keeps one connection to each server that it needs and sends all
// requests over it, many at a time. It follows a cluster's leader, and comes
// back after a lost connection, so long as the request it works for has time
// left. It never renews a lease unless it is asked to, keeps nothing on disk,
// and never decides that a lock is held: only a server does.
//
// All methods may be called from any goroutine. Start reading at client.go;
// then retry.go (one request, until it is answered), node.go (which server,
// when to dial), conn.go (one connection), and lock.go (what a holder may
// believe).
package client
