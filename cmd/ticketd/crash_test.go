package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	crashes       = 20
	crashClients  = 16
	keysPerClient = 8
	crashLease    = 3600 // seconds: nothing expires during the test
)

// belief is what the client of a key knows about it.
type belief struct {
	key   string
	token uint64 // holds it; 0: free
	// open: a request of ours has not been answered, so it may hold or not.
	open bool
}

// crashClient works on keys of its own, one request after the other.
type crashClient struct {
	rng     *rand.Rand
	keys    [keysPerClient]belief
	highest uint64 // token seen
}

// work goes on until the connection breaks.
func (c *crashClient) work(addr string, owner uint64, answers *atomic.Int64) error {
	conn, err := dial(addr, "")
	if err != nil {
		return nil // killed before we came
	}
	defer conn.Close()
	for {
		k := &c.keys[c.rng.IntN(len(c.keys))]
		if k.open {
			continue
		}
		request := acquire(0, crashLease, owner, k.key)
		if k.token != 0 {
			request = release(k.token, k.key)
		}
		k.open = true
		got, err := conn.ask(request)
		if err != nil {
			return nil // killed
		}
		k.open = false
		answers.Add(1)
		if err := c.learn(k, got); err != nil {
			return err
		}
		if c.allOpen() {
			return nil
		}
	}
}

func (c *crashClient) allOpen() bool {
	for i := range c.keys {
		if !c.keys[i].open {
			return false
		}
	}
	return true
}

// learn takes in the answer to what was asked in belief k.
func (c *crashClient) learn(k *belief, got reply) error {
	switch {
	case k.token == 0 && got.op == 'A' && got.token > c.highest:
		k.token, c.highest = got.token, got.token
	case k.token != 0 && got.op == 'R' && got.token == k.token:
		k.token = 0
	default:
		return fmt.Errorf("%+v, believed %+v, highest token so far %d", got, *k, c.highest)
	}
	return nil
}

// verify holds what a restarted server says against what was acknowledged, and
// settles what is open.
func (c *crashClient) verify(conn *client, highest uint64) error {
	for i := range c.keys {
		k := &c.keys[i]
		got, err := conn.ask(acquire(0, crashLease, 1, k.key))
		if err != nil {
			return err
		}
		switch {
		case got.op == 'A' && got.token <= highest:
			return fmt.Errorf("token %d of %s is not above %d, of before", got.token, k.key, highest)
		case got.op == 'A' && k.token != 0 && !k.open:
			return fmt.Errorf("%s was acknowledged under token %d, and is free", k.key, k.token)
		case got.op == 'T' && k.token == 0 && !k.open:
			return fmt.Errorf("%s was acknowledged as released, and is held", k.key)
		case got.op == 'T' && k.token != 0 && !k.open:
			continue
		case got.op == 'T':
			// Held by a grant that we never heard of, or whose release got lost:
			// of the latter we know the token.
			if err := c.settle(conn, k); err != nil {
				return err
			}
			continue
		case got.op != 'A':
			return fmt.Errorf("%+v for %s", got, k.key)
		}
		k.token, k.open = got.token, false
		c.highest = got.token
	}
	return nil
}

// settle ends what is open and held. A grant that nobody heard of can't be
// released: its key is retired.
func (c *crashClient) settle(conn *client, k *belief) error {
	if k.token != 0 {
		if got, err := conn.ask(release(k.token, k.key)); err != nil || got.op != 'R' {
			return errors.Join(fmt.Errorf("release of %+v: %+v", *k, got), err)
		}
	} else {
		k.key += "+"
	}
	k.token, k.open = 0, false
	return nil
}

func newCrashClients() []*crashClient {
	clients := make([]*crashClient, crashClients)
	for i := range clients {
		clients[i] = &crashClient{rng: rand.New(rand.NewPCG(uint64(i), 0))}
		for k := range clients[i].keys {
			clients[i].keys[k].key = fmt.Sprintf("key-%d-%d", i, k)
		}
	}
	return clients
}

func verifyAll(s *server, clients []*crashClient) {
	s.t.Helper()
	var highest uint64
	for _, c := range clients {
		highest = max(highest, c.highest)
	}
	conn := s.connect()
	for i, c := range clients {
		if err := c.verify(conn, highest); err != nil {
			s.t.Fatalf("client %d: %v", i, err)
		}
	}
}

// Decision 19: after kill -9 in the middle of load, again and again, the store
// opens, what was acknowledged is as it was, and tokens only rise.
func TestKillInTheMiddleOfLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	clients := newCrashClients()
	var answers, working atomic.Int64
	for round := range crashes {
		s := serve(t, "--data-dir", dir)
		verifyAll(s, clients)
		var wg sync.WaitGroup
		before := answers.Load()
		for i, c := range clients {
			working.Add(1)
			wg.Go(func() {
				defer working.Add(-1)
				if err := c.work(s.addr, uint64(i), &answers); err != nil {
					t.Errorf("start %d, client %d: %v", round, i, err)
				}
			})
		}
		// Each time a little later in the life of the store.
		for until := before + int64(100+50*round); answers.Load() < until && working.Load() > 0; {
			<-time.After(time.Millisecond)
		}
		s.kill()
		wg.Wait()
		if t.Failed() || answers.Load() == before {
			t.Fatalf("start %d: %d answers:\n%s", round, answers.Load()-before, s.log)
		}
	}
	t.Logf("%d answers, %d kills", answers.Load(), crashes)
	if n := answers.Load(); n < crashes*100 {
		t.Fatalf("only %d answers: the load was none", n)
	}
}

// Decision 21, case E8: a disk that takes no more ends the server with exit code
// 1 and a message that names the file; what was acknowledged is kept. (A limit
// on the size of files stands in for the full disk.)
func TestDiskThatIsFull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := serve(t, "--data-dir", dir)
	s.stop()
	limited := append([]string{"-c", `ulimit -f 1000 && exec "$0" "$@"`, os.Args[0]}, serveArgs("--data-dir", dir)...)
	s = serveCommand(t, asServer(exec.Command("sh", limited...)))
	clients := newCrashClients()
	var answers atomic.Int64
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() {
			if err := c.work(s.addr, uint64(i), &answers); err != nil {
				t.Error(err)
			}
		})
	}
	if code := s.exit(); code != exitFailure {
		t.Fatalf("exit code %d:\n%s", code, s.log)
	}
	wg.Wait()
	if log := s.log.String(); !strings.Contains(log, dir) || !strings.Contains(log, "what was acknowledged is kept") {
		t.Fatalf("log:\n%s", log)
	}
	t.Logf("%d answers before", answers.Load())
	verifyAll(serve(t, "--data-dir", dir), clients)
}
