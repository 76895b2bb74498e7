package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ticketing/admin"
	"ticketing/consensus"
	"ticketing/lock"
	"ticketing/node"
	"ticketing/proto"
)

// memoryNode is a node without a disk, driven by hand.
type memoryNode struct {
	*node.Node
	conn node.Conn
	out  node.Output
	now  consensus.Mono
	// tokens of the keys held, by key
	tokens map[string]uint64
}

func newMemoryNode(t *testing.T) *memoryNode {
	t.Helper()
	settings := lock.Settings{Version: lock.Version, MaxKeys: 1 << 20, MaxWaiters: 1, MaxWaitersPerKey: 1, Lazy: true}
	n, err := node.New(node.Config{
		Consensus:   consensus.Config{Node: 1, Members: 1},
		Settings:    settings,
		MaxInflight: 1 << 20,
	}, consensus.Recovered{}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := &memoryNode{Node: n, now: 1, tokens: map[string]uint64{}}
	m.settle()
	m.conn = n.Open()
	return m
}

// settle carries out what was asked.
func (m *memoryNode) settle() {
	for {
		m.now++
		m.Flush(m.now, &m.out)
		for _, r := range m.out.Replies {
			m.take(r.Bytes)
		}
		if len(m.out.Writes) == 0 {
			return
		}
		m.Persisted(m.out.Writes[len(m.out.Writes)-1].Seq)
	}
}

func (m *memoryNode) take(b []byte) {
	var r proto.Reply
	for len(b) > 0 {
		used, _ := proto.ParseReply(b, &r)
		switch b = b[used:]; r.Op {
		case 'A':
			m.tokens[string(r.Text)] = r.Token
		case 'R':
			delete(m.tokens, string(r.Text))
		}
	}
}

func (m *memoryNode) acquire(key string) {
	m.Request(m.conn, &proto.Request{Op: proto.OpAcquire, Lease: 60, Key: []byte(key)})
}

func (m *memoryNode) release(key string) {
	m.Request(m.conn, &proto.Request{Op: proto.OpRelease, Token: m.tokens[key], Key: []byte(key)})
}

// While locks come and go between the visits, those that stay are all listed,
// once, in the order of their grants; even if all that the last visit saw are
// gone.
func TestListingWhileLocksComeAndGo(t *testing.T) {
	for _, tc := range []struct {
		name  string
		leave func(i int, r *rand.Rand) bool // of the keys that may
	}{
		{"few go", func(_ int, r *rand.Rand) bool { return r.IntN(50) == 0 }},
		{"half go", func(_ int, r *rand.Rand) bool { return r.IntN(2) == 0 }},
		{"all go", func(int, *rand.Rand) bool { return true }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			m := newMemoryNode(t)
			const keys = 5 * visitLocks
			stays := func(i int) bool { return i%(2*placesKept+5) == 0 }
			for i := range keys {
				m.acquire(fmt.Sprint("key-", i))
			}
			m.settle()
			l := &listing{node: m.Node, query: admin.Query{Limit: keys * 2}}
			visits := 0
			for ; !l.done; visits++ {
				l.visit()
				if l.looked > visitLocks {
					t.Fatalf("a visit looked at %d", l.looked)
				}
				for i := range keys {
					key := fmt.Sprint("key-", i)
					if _, held := m.tokens[key]; held && !stays(i) && tc.leave(i, rng) {
						m.release(key)
						m.acquire(fmt.Sprint("late-", visits, "-", i))
					}
				}
				m.settle()
				if visits > 100 {
					t.Fatal("it does not end")
				}
			}
			var last uint64
			listed := map[string]bool{}
			for _, found := range l.found {
				if found.Token <= last {
					t.Fatalf("token %d after %d", found.Token, last)
				}
				last = found.Token
				listed[found.Key] = true
			}
			for i := range keys {
				if key := fmt.Sprint("key-", i); stays(i) && !listed[key] {
					t.Fatalf("%s is missing after %d visits", key, visits)
				}
			}
		})
	}
}

func TestListingStopsAtItsLimit(t *testing.T) {
	m := newMemoryNode(t)
	for i := range 3 * visitLocks {
		m.acquire(fmt.Sprint("key-", i))
	}
	m.settle()
	for _, limit := range []int{1, visitLocks, visitLocks + 1} {
		l := &listing{node: m.Node, query: admin.Query{Limit: limit, Prefix: "key-"}}
		for !l.done {
			l.visit()
		}
		if len(l.found) != limit || !strings.HasPrefix(l.found[limit-1].Key, "key-") {
			t.Fatalf("%d listed, limit %d", len(l.found), limit)
		}
	}
}
