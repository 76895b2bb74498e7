package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// machine is what the figures of one comparison have in common.
type machine struct {
	Time    string  `json:"time"`
	Commit  string  `json:"commit"`
	CPU     string  `json:"cpu"`
	CPUs    int     `json:"cpus"`
	Kernel  string  `json:"kernel"`
	Go      string  `json:"go"`
	Redis   string  `json:"redis"`
	FsyncUS float64 `json:"fsync_us"` // median time to make 4 KiB durable
	// Busy is the machine's load average before the comparison: anything but 0
	// is other work, which the figures suffer from.
	Busy float64 `json:"busy"`
}

// look finds out about the machine. dir is on the disk that the servers use.
func look(dir string) (machine, error) {
	m := machine{
		Time: time.Now().UTC().Format(time.RFC3339), CPU: cpuName(), CPUs: runtime.NumCPU(),
		Go: runtime.Version(),
	}
	var err error
	if m.Commit, err = output("git", "describe", "--always", "--dirty"); err != nil {
		m.Commit = "unknown"
	}
	if m.Kernel, err = output("uname", "-sr"); err != nil {
		return m, err
	}
	version, err := output("redis-server", "--version")
	if err != nil {
		return m, err
	}
	_, m.Redis, _ = strings.Cut(version, "v=")
	m.Redis, _, _ = strings.Cut(m.Redis, " ")
	if m.Busy, err = loadAverage(); err != nil {
		return m, err
	}
	m.FsyncUS, err = fsyncMicros(dir)
	return m, err
}

// loadAverage is that of the last minute.
func loadAverage() (busy float64, err error) {
	text, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, err = fmt.Sscan(string(text), &busy)
	}
	return busy, err
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func cpuName() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	_, rest, _ := strings.Cut(string(info), "model name")
	name, _, _ := strings.Cut(strings.TrimLeft(rest, "\t :"), "\n")
	return strings.TrimSpace(name)
}

// fsyncMicros is the median of many appends of 4 KiB with fdatasync.
func fsyncMicros(dir string) (float64, error) {
	const appends = 200
	f, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	block := make([]byte, 4096)
	var micros []float64
	for range appends {
		begun := time.Now()
		if _, err := f.Write(block); err != nil {
			return 0, err
		}
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			return 0, fmt.Errorf("fdatasync: %w", err)
		}
		micros = append(micros, float64(time.Since(begun))/1e3)
	}
	return median(micros), nil
}
