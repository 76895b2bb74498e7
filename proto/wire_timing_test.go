package proto_test

import (
	"bytes"
	"strconv"
	"testing"

	"ticketing/proto"
)

// What the server does with each request of a client, and what a client does
// with each reply. Bytes per second count frames.

func BenchmarkParseRequest(b *testing.B) {
	for _, keyBytes := range []int{8, 24, proto.KeyMaxBytes} {
		key := bytes.Repeat([]byte{'k'}, keyBytes)
		frame := proto.AppendAcquire(nil, 10, 30, 0x0a0a0a0a0a0a0a0a, key)
		b.Run("acquire/key="+strconv.Itoa(keyBytes), func(b *testing.B) {
			benchParseRequest(b, bytes.Repeat(frame, 64))
		})
	}
	b.Run("release/key=24", func(b *testing.B) {
		frame := proto.AppendRelease(nil, 1<<60, bytes.Repeat([]byte{'k'}, 24))
		benchParseRequest(b, bytes.Repeat(frame, 64))
	})
	b.Run("acquire/key=24,korean", func(b *testing.B) {
		frame := proto.AppendAcquire(nil, 10, 30, 7, bytes.Repeat([]byte("잠"), 8))
		benchParseRequest(b, bytes.Repeat(frame, 64))
	})
}

// benchParseRequest parses stream round and round; one op is one frame.
func benchParseRequest(b *testing.B, stream []byte) {
	b.ReportAllocs()
	rest, frames, total := stream, 0, 0
	var r proto.Request
	for b.Loop() {
		n, reason := proto.ParseRequest(rest, &r)
		if n == 0 || reason != "" {
			b.Fatalf("n = %d, reason %q", n, reason)
		}
		frames++
		total += n
		if rest = rest[n:]; len(rest) == 0 {
			rest = stream
		}
	}
	b.SetBytes(int64(total / frames))
}

func BenchmarkParseReply(b *testing.B) {
	b.ReportAllocs()
	frame := proto.AppendAcquired(nil, 1<<60, 7, bytes.Repeat([]byte{'k'}, 24))
	var r proto.Reply
	for b.Loop() {
		if n, ok := proto.ParseReply(frame, &r); n == 0 || !ok {
			b.Fatalf("n = %d, ok %v", n, ok)
		}
	}
	b.SetBytes(int64(len(frame)))
}

func BenchmarkAppendAcquired(b *testing.B) {
	b.ReportAllocs()
	key := bytes.Repeat([]byte{'k'}, 24)
	var out []byte
	for b.Loop() {
		out = proto.AppendAcquired(out[:0], 1<<60, 7, key)
	}
	b.SetBytes(int64(len(out)))
}

func BenchmarkAppendAcquire(b *testing.B) {
	b.ReportAllocs()
	key := bytes.Repeat([]byte{'k'}, 24)
	var out []byte
	for b.Loop() {
		out = proto.AppendAcquire(out[:0], 10, 30, 7, key)
	}
	b.SetBytes(int64(len(out)))
}
