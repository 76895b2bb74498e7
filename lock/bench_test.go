package lock

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// discard is a sink that only counts.
type discard struct{ outcomes int }

func (d *discard) Outcome(*Outcome) { d.outcomes++ }

// roomy are settings whose caps nothing here reaches.
func roomy(lazy bool) Settings {
	return Settings{Version: Version, MaxKeys: 4 << 20, MaxWaiters: 4 << 20, MaxWaitersPerKey: 4 << 20, Lazy: lazy, TokenSeed: 1}
}

// writeKey makes key, of 20 bytes, the i-th of them, at no cost to speak of.
func writeKey(key []byte, i uint64) {
	copy(key, "resource")
	for at := 19; at >= 8; at-- {
		key[at] = "0123456789abcdef"[i%16]
		i /= 16
	}
}

// holdMany fills a table with n keys that are all held, 256 to an entry.
func holdMany(table *Table, n int, lease uint16) {
	var batch []byte
	var key [20]byte
	for i := range n {
		writeKey(key[:], uint64(i))
		batch = AppendAcquire(batch, 1, 7, 0, lease, key[:])
		if i%256 == 255 || i == n-1 {
			table.Apply(table.now+50_000, batch, &discard{})
			batch = batch[:0]
		}
	}
}

// reportCommands reports commands by the second of processor time since began:
// what one core does, whoever else uses the machine.
func reportCommands(b *testing.B, commands int, began time.Duration) {
	spent := processorTime(b) - began
	b.ReportMetric(float64(commands)/spent.Seconds()/1e6, "Mcommands/cpu-s")
	b.ReportMetric(0, "ns/op")
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Acquire and release of a few keys, 256 commands to an entry.
func BenchmarkFewKeys(b *testing.B) {
	var key [20]byte
	table := New()
	table.Start(0, roomy(true))
	var sink discard
	var batch []byte
	b.ReportAllocs()
	commands, began := 0, processorTime(b)
	for b.Loop() {
		batch = batch[:0]
		token := max(table.LastToken(), 1)
		for i := range 128 {
			token++
			writeKey(key[:], uint64(i%16))
			batch = AppendAcquire(batch, 1, 7, 0, 30, key[:])
			batch = AppendRelease(batch, 1, token, key[:])
		}
		table.Apply(table.now+50_000, batch, &sink)
		commands += 256
	}
	reportCommands(b, commands, began)
}

// Release of a random one of a million held keys and acquire of it again.
func BenchmarkMillionKeys(b *testing.B) {
	const n = 1_000_000
	var key [20]byte
	table := New()
	table.Start(0, roomy(true))
	holdMany(table, n, 30)
	tokens := make([]uint64, n)
	for i := range tokens {
		tokens[i] = uint64(i) + 2
	}
	random := rand.New(rand.NewPCG(1, 1))
	var sink discard
	var batch []byte
	b.ReportAllocs()
	commands, began := 0, processorTime(b)
	for b.Loop() {
		batch = batch[:0]
		token := table.LastToken()
		for range 128 {
			i := random.IntN(n)
			token++
			writeKey(key[:], uint64(i))
			batch = AppendRelease(batch, 1, tokens[i], key[:])
			batch = AppendAcquire(batch, 1, 7, 0, 30, key[:])
			tokens[i] = token
		}
		table.Apply(table.now+50_000, batch, &sink)
		commands += 256
	}
	reportCommands(b, commands, began)
}

// A queue of 1000 at each of 16 keys: each release hands on, each acquire waits.
func BenchmarkHandOff(b *testing.B) {
	var key [20]byte
	table := New()
	table.Start(0, roomy(true))
	holdMany(table, 16, 65535)
	var batch []byte
	for i := range 16 * 1000 {
		writeKey(key[:], uint64(i%16))
		batch = AppendAcquire(batch, 2, 7, 65535, 65535, key[:])
	}
	var sink discard
	table.Apply(table.now, batch, &sink)
	var tokens [16]uint64
	table.List(func(h *Held) bool { tokens[h.Token-2] = h.Token; return true })
	b.ReportAllocs()
	commands, began := 0, processorTime(b)
	for b.Loop() {
		batch = batch[:0]
		token := table.LastToken()
		for i := range 128 {
			token++
			writeKey(key[:], uint64(i%16))
			batch = AppendRelease(batch, 1, tokens[i%16], key[:])
			batch = AppendAcquire(batch, Conn(2+i), 7, 65535, 65535, key[:])
			tokens[i%16] = token
		}
		table.Apply(table.now+50, batch, &sink)
		commands += 256
	}
	reportCommands(b, commands, began)
}

// What a million held keys of 20 bytes cost, and a garbage collection with them.
func BenchmarkMillionKeysMemory(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		before := heapInUse()
		table := New()
		table.Start(0, roomy(true))
		holdMany(table, n, 30)
		b.ReportMetric(float64(heapInUse()-before)/n, "bytes/key")
		began := time.Now()
		runtime.GC()
		b.ReportMetric(float64(time.Since(began).Microseconds()), "µs/gc")
		runtime.KeepAlive(table)
	}
	b.ReportMetric(0, "ns/op")
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
