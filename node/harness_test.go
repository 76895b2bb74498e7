package node

import (
	"fmt"
	"strings"
	"testing"

	"ticketing/consensus"
	"ticketing/lock"
	"ticketing/proto"
)

// replica is a single server with a disk that the test moves by hand.
type replica struct {
	t    *testing.T
	node *Node
	now  consensus.Mono
	out  Output
	// written is on its way to the disk, disk what is on it.
	written []consensus.Write
	disk    []consensus.Write
	// got is what each connection was answered, a word each.
	got map[Conn][]string
}

func settings() lock.Settings {
	return lock.Settings{Version: 1, MaxKeys: 100, MaxWaiters: 100, MaxWaitersPerKey: 100, Lazy: true, TokenSeed: 1000}
}

func newReplica(t *testing.T, change ...func(*Config)) *replica {
	cfg := Config{
		Consensus:   consensus.Config{Node: 1, Members: 1},
		Settings:    settings(),
		MaxInflight: 10,
	}
	for _, f := range change {
		f(&cfg)
	}
	r := &replica{t: t, now: 50 * second, got: map[Conn][]string{}}
	n, err := New(cfg, consensus.Recovered{}, nil, r.now)
	if err != nil {
		t.Fatal(err)
	}
	r.node = n
	r.settle()
	if !n.Serving() {
		t.Fatal("a single server does not serve after its first entry")
	}
	return r
}

// flush ends a round; the disk does nothing.
func (r *replica) flush() {
	r.node.Flush(r.now, &r.out)
	r.written = append(r.written, r.out.Writes...)
	for _, reply := range r.out.Replies {
		word := words(r.t, reply.Bytes)
		if reply.Drop {
			word = append(word, "drop")
		}
		r.got[reply.Conn] = append(r.got[reply.Conn], word...)
	}
}

// sync makes everything written durable.
func (r *replica) sync() {
	if n := len(r.written); n > 0 {
		r.disk = append(r.disk, r.written...)
		r.written = nil
		r.node.Persisted(r.disk[len(r.disk)-1].Seq)
	}
}

// settle goes on until nothing is left to do at this instant.
func (r *replica) settle() {
	for range 1000 {
		r.flush()
		if len(r.written) == 0 && (r.out.Wake == 0 || r.out.Wake > r.now) {
			return
		}
		r.sync()
	}
	r.t.Fatal("the node never comes to rest")
}

// pass lets time pass, with a round at each wake.
func (r *replica) pass(d consensus.Mono) {
	end := r.now + d
	for r.out.Wake != 0 && r.out.Wake <= end {
		r.now = max(r.now, r.out.Wake)
		r.settle()
	}
	r.now = end
	r.settle()
}

func (r *replica) acquire(c Conn, key string, wait, lease uint16, owner uint64) {
	r.node.Request(c, &proto.Request{Op: proto.OpAcquire, Wait: wait, Lease: lease, Owner: owner, Key: []byte(key)})
}

func (r *replica) release(c Conn, key string, token uint64) {
	r.node.Request(c, &proto.Request{Op: proto.OpRelease, Token: token, Key: []byte(key)})
}

// expect checks and forgets what c was answered.
func (r *replica) expect(c Conn, want string) {
	r.t.Helper()
	if got := strings.Join(r.got[c], ", "); got != want {
		r.t.Errorf("connection %d was answered %q, want %q", c.Index(), got, want)
	}
	delete(r.got, c)
}

// words turns replies into text: "A 1001 7 key", "T 7 key", "E no_leader".
func words(t *testing.T, b []byte) (list []string) {
	var f proto.Reply
	for len(b) > 0 {
		n, ok := proto.ParseReply(b, &f)
		if n == 0 || !ok {
			t.Fatalf("no whole frame: %q", b)
		}
		b = b[n:]
		switch f.Op {
		case 'A':
			list = append(list, fmt.Sprintf("A %d %d %s", f.Token, f.Owner, f.Text))
		case 'T', 'B':
			list = append(list, fmt.Sprintf("%c %d %s", f.Op, f.Owner, f.Text))
		case 'R', 'N', 'K':
			list = append(list, fmt.Sprintf("%c %d %s", f.Op, f.Token, f.Text))
		default:
			list = append(list, fmt.Sprintf("%c %s", f.Op, f.Text))
		}
	}
	return list
}

// reopen starts a new process on the disk.
func (r *replica) reopen(change ...func(*Config)) {
	cfg := r.node.cfg
	for _, f := range change {
		f(&cfg)
	}
	var rec consensus.Recovered
	for _, w := range r.disk {
		if rec.Promised.Less(w.Promised) {
			rec.Promised = w.Promised
		}
		rec.Commit = max(rec.Commit, w.Commit)
		for _, e := range w.Entries {
			if i := int(e.Slot) - 1; i < len(rec.Entries) {
				rec.Entries[i] = e
			} else {
				rec.Entries = append(rec.Entries, e)
			}
		}
	}
	n, err := New(cfg, rec, nil, r.now)
	if err != nil {
		r.t.Fatal(err)
	}
	r.node, r.written = n, nil
	r.got = map[Conn][]string{}
	r.disk = nil // the test reopens at most once
	r.settle()
}
