package benchmarks

import (
	"bufio"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ticketdProgram is built once, for all tests.
var ticketdProgram string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "benchmarks-test-")
	if err == nil {
		ticketdProgram = filepath.Join(dir, "ticketd")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", ticketdProgram, "ticketing/cmd/ticketd").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// serving is a server under test.
type serving struct{ name, target, addr string }

// allServers starts ticketd, a Redis made of Go, and the real Redis where there
// is one: all must serve the load alike.
func allServers(t *testing.T) []serving {
	servers := []serving{
		{"ticketd", "ticketd", started(t)(StartTicketd(ticketdProgram, "--memory")).Addr},
		{"fake redis", "redis", fakeRedis(t)},
	}
	if _, err := exec.LookPath("redis-server"); err == nil {
		redis := started(t)(StartRedis("--save", "", "--appendonly", "no"))
		servers = append(servers, serving{"redis", "redis", redis.Addr})
	} else {
		t.Log("no redis-server on this machine: only its stand-in is tried")
	}
	return servers
}

func started(t *testing.T) func(*Server, error) *Server {
	return func(s *Server, err error) *Server {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
}

// listen serves each connection with serve, and returns where.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { defer nc.Close(); serve(nc) })
		}
	})
	t.Cleanup(func() { ln.Close(); all.Wait() })
	return ln.Addr().String()
}

// fakeRedis knows what the generator says to Redis.
func fakeRedis(t *testing.T) string {
	var mu sync.Mutex
	values := map[string]string{}
	digest := ""
	command := func(words []string) string {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case len(words) == 3 && words[0] == "SCRIPT" && words[1] == "LOAD":
			sum := sha1.Sum([]byte(words[2]))
			digest = hex.EncodeToString(sum[:])
			return "$40\r\n" + digest + "\r\n"
		case len(words) == 6 && words[0] == "SET" && words[3] == "NX" && words[4] == "PX":
			if _, there := values[words[1]]; there {
				return "$-1\r\n"
			}
			values[words[1]] = words[2]
			return "+OK\r\n"
		case len(words) == 5 && words[0] == "EVALSHA" && words[1] == digest && words[2] == "1":
			if values[words[3]] != words[4] {
				return ":0\r\n"
			}
			delete(values, words[3])
			return ":1\r\n"
		}
		t.Errorf("redis does not know %q", words)
		return "-ERR\r\n"
	}
	return listen(t, func(nc net.Conn) {
		in, out := bufio.NewReader(nc), bufio.NewWriter(nc)
		for {
			words, err := readCommand(in)
			if err != nil {
				return
			}
			out.WriteString(command(words))
			if in.Buffered() == 0 && out.Flush() != nil {
				return
			}
		}
	})
}

// readCommand reads an array of bulk strings.
func readCommand(in *bufio.Reader) ([]string, error) {
	number := func(mark byte) (n int, err error) {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		_, err = fmt.Sscanf(strings.TrimSuffix(line, "\r\n"), string(mark)+"%d", &n)
		return n, err
	}
	n, err := number('*')
	words := make([]string, n)
	for i := range words {
		size, err := number('$')
		if err != nil {
			return nil, err
		}
		b := make([]byte, size+len("\r\n"))
		if _, err := io.ReadFull(in, b); err != nil {
			return nil, err
		}
		words[i] = string(b[:size])
	}
	return words, err
}
