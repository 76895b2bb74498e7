package consensus

import (
	"fmt"
	"testing"
)

// replicas is three cores in one process, with a network and disks that take no
// time at all.
type replicas struct {
	cores  [3]*Core
	outs   [3]Output
	chosen int // commands handed out by the leader
	now    Mono
}

func newReplicas() *replicas {
	r := &replicas{now: 1}
	for i := range r.cores {
		r.cores[i] = New(Config{
			Node:            NodeID(i + 1),
			Members:         3,
			Heartbeat:       100_000_000,
			ElectionTimeout: 500_000_000,
			SnapshotBytes:   1 << 20,
		}, Recovered{}, r.now)
	}
	r.cores[0].campaign()
	for range 6 {
		r.round()
	}
	return r
}

// round gives each core one round: time, its work, and what comes of it.
func (r *replicas) round() {
	r.now += 10_000
	for i, c := range r.cores {
		c.Tick(r.now)
		r.take(i)
	}
}

func (r *replicas) take(i int) {
	c, out := r.cores[i], &r.outs[i]
	c.Take(out)
	for j := range out.Sends {
		s := &out.Sends[j]
		r.cores[s.To-1].Step(NodeID(i+1), &s.Message)
	}
	if n := len(out.Writes); n > 0 {
		c.Persisted(out.Writes[n-1].Seq)
	}
	if i == 0 {
		r.chosen += len(out.Chosen)
	}
	if out.WantSnapshot {
		c.SnapshotChunk([]byte("state"), true)
	}
}

// BenchmarkThreeReplicas is how many entries the cores alone can replicate: no
// disk, no network, no codec, no state machine, one goroutine.
func BenchmarkThreeReplicas(b *testing.B) {
	for _, commands := range []int{1, 64} {
		b.Run(fmt.Sprintf("commands=%d", commands), func(b *testing.B) {
			r := newReplicas()
			leader := r.cores[0]
			payload := make([]byte, 32*commands)
			before := r.chosen
			b.ReportAllocs()
			b.ResetTimer()
			for proposed := 0; r.chosen-before < b.N; {
				r.now += 1000
				leader.Tick(r.now)
				for proposed < b.N && leader.Ready() {
					leader.Propose(payload)
					proposed++
				}
				r.take(0)
				r.round()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
			b.ReportMetric(float64(b.N*commands)/b.Elapsed().Seconds(), "commands/s")
		})
	}
}

func BenchmarkCodec(b *testing.B) {
	m := &samples()[5]
	m.Entries[0].Payload = make([]byte, 2048)
	buf := AppendMessage(nil, m)
	b.Run("append", func(b *testing.B) {
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			buf = AppendMessage(buf[:0], m)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(buf)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := DecodeMessage(m.Ballot.Node, buf); err != nil {
				b.Fatal(err)
			}
		}
	})
}
