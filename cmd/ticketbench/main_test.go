package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
)

// redis answers each SET and EVALSHA as a Redis without any other client.
func redis(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			go answer(nc)
		}
	}()
	return ln.Addr().String()
}

func answer(nc net.Conn) {
	defer nc.Close()
	for scan := bufio.NewScanner(nc); scan.Scan(); {
		switch scan.Text() {
		case "LOAD":
			fmt.Fprintf(nc, "$40\r\n%040d\r\n", 0)
		case "SET":
			fmt.Fprint(nc, "+OK\r\n")
		case "EVALSHA":
			fmt.Fprint(nc, ":1\r\n")
		}
	}
}

func bench(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestARunIsPrinted(t *testing.T) {
	addr := redis(t)
	args := []string{"--target=redis", "--addr=" + addr, "--conns=2", "--pipeline=3", "--for=300ms"}
	code, stdout, stderr := bench(append(args, "--json")...)
	if code != 0 || strings.Count(stdout, "\n") != 1 {
		t.Fatalf("ended with %d: %s%s", code, stdout, stderr)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got["target"] != "redis" || got["conns"] != 2.0 || got["pipeline"] != 3.0 || got["errors"] != 0.0 || got["pairs"].(float64) < 1 {
		t.Errorf("got %s", stdout)
	}
	if code, stdout, _ := bench(args...); code != 0 || !strings.Contains(stdout, "pairs of acquire and release") {
		t.Errorf("ended with %d: %s", code, stdout)
	}
	code, stdout, _ = bench("--target=redis", "--addr="+addr, "--conns=1", "--hold=100", "--json")
	if code != 0 || !strings.Contains(stdout, `"held":100,`) || !strings.Contains(stdout, `"pairs":100,`) {
		t.Errorf("ended with %d: %s", code, stdout)
	}
}

func TestWhatCannotBeRun(t *testing.T) {
	for args, want := range map[string]int{
		"--target=mysql": exitUsage, "--conns=0": exitUsage, "--pipeline=x": exitUsage, "--keys=none": exitUsage,
		"--keys=0": exitUsage, "--for=0s": exitUsage, "--hold=-1": exitUsage, "--fly": exitUsage, "extra": exitUsage,
		"--hold=1 --keys=1": exitUsage, "--addr=127.0.0.1:1 --target=redis": exitFailure,
	} {
		if code, stdout, stderr := bench(strings.Fields(args)...); code != want || !strings.HasPrefix(stderr, "ticketbench: ") {
			t.Errorf("%q ended with %d, want %d: %s%s", args, code, want, stdout, stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	code, stdout, _ := bench("--help")
	if code != 0 || !strings.Contains(stdout, "$TICKETBENCH_PIPELINE") || !strings.Contains(stdout, "default 64") {
		t.Errorf("ended with %d:\n%s", code, stdout)
	}
}
