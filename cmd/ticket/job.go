package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"ticketing/client"
)

// job is the command while it runs.
type job struct {
	cmd     *exec.Cmd
	signals <-chan os.Signal
	lost    <-chan struct{}
	out     *output
	told    bool // that the lock is lost
}

// supervise waits for the command. Signals are passed on; when the lock is lost
// the command is told to end, and then ended.
func (j *job) supervise() error {
	ended := make(chan error, 1)
	go func() { ended <- j.cmd.Wait() }()
	lost := j.lost
	var kill <-chan time.Time
	for {
		select {
		case err := <-ended:
			return j.exit(err)
		case s := <-j.signals:
			if !controllingTerminal().sent(s) {
				j.signal(s.(syscall.Signal))
			}
		case <-lost:
			j.out.say("the lock is lost: SIGTERM to the command, SIGKILL in %v", killAfter)
			j.told, lost = true, nil
			j.signal(syscall.SIGTERM)
			kill = time.After(killAfter)
		case <-kill:
			j.signal(syscall.SIGKILL)
		}
	}
}

// signal reaches all of the command's process group where it has its own.
func (j *job) signal(s syscall.Signal) {
	pid := j.cmd.Process.Pid
	if j.cmd.SysProcAttr.Setpgid {
		pid = -pid
	}
	if err := syscall.Kill(pid, s); err != nil && err != syscall.ESRCH {
		j.out.say("%v to the command: %v", s, err)
	}
}

// exit is how ticket ends after its command.
func (j *job) exit(err error) error {
	var failed *exec.ExitError
	switch {
	case j.told:
		return exitError{exitLost, fmt.Errorf("%w; the command ended with: %s", client.ErrLost, j.cmd.ProcessState)}
	case err == nil:
		return nil
	case !errors.As(err, &failed):
		return exitError{exitCannotRun, err}
	}
	if status := failed.Sys().(syscall.WaitStatus); status.Signaled() {
		return exitError{code: exitSignal + int(status.Signal())}
	}
	return exitError{code: failed.ExitCode()}
}

// catchSignals are those that are passed on. What is ignored (nohup) stays so.
func catchSignals() <-chan os.Signal {
	c := make(chan os.Signal, 16)
	for _, s := range []os.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
	} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}
