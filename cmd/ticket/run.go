package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"ticketing/client"
)

// killAfter is how long a command has to end by itself once its lock is lost.
const killAfter = 5 * time.Second

// Run holds the key while the command runs.
func (f *runFlags) Run(g *globals, out *output) error {
	c, err := g.client()
	if err != nil {
		return err
	}
	defer c.Close()
	signals := catchSignals()
	lock, err := f.acquire(c, signals)
	if err != nil {
		return err
	}
	cmd := f.command(out, lock.Token())
	// The kernel tells the command of the end of the thread that started it,
	// not of the process: so this thread must stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return errors.Join(notStarted(err), release(lock))
	}
	job := &job{cmd: cmd, signals: signals, lost: lock.Lost(), out: out}
	supervise := func(context.Context) error { return job.supervise() }
	if f.NoKeep {
		err = supervise(context.Background())
	} else {
		err = lock.Hold(context.Background(), supervise)
	}
	if job.told {
		return err // there is nothing left to release
	}
	if err := release(lock); err != nil {
		out.say("%v", err)
	}
	return err
}

// acquire waits for the lock, or for a signal.
func (f *runFlags) acquire(c *client.Client, signals <-chan os.Signal) (*client.Lock, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type result struct {
		lock *client.Lock
		err  error
	}
	done := make(chan result, 1)
	go func() {
		lock, err := c.Acquire(ctx, f.Key, f.Wait, f.Lease)
		done <- result{lock, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, notAcquired(f.Key, r.err)
		}
		return r.lock, nil
	case s := <-signals:
		cancel()
		if r := <-done; r.err == nil {
			return nil, errors.Join(endedBy(s), release(r.lock))
		}
		return nil, endedBy(s)
	}
}

func endedBy(s os.Signal) error {
	return exitError{exitSignal + int(s.(syscall.Signal)), fmt.Errorf("not acquired: %v", s)}
}

// release gives the lock back, which a command that has ended needs no more.
func release(lock *client.Lock) error {
	if err := lock.Release(context.Background()); err != nil {
		return fmt.Errorf("%s not released: %w", lock.Key(), err)
	}
	return nil
}

func (f *runFlags) command(out *output, token uint64) *exec.Cmd {
	args := f.Command
	if args[0] == "--" {
		args = args[1:]
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TICKET_TOKEN="+strconv.FormatUint(token, 10))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out.stdout, out.stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !controllingTerminal().there}
	endWithParent(cmd.SysProcAttr)
	return cmd
}

func notStarted(err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return exitError{exitNoCommand, err}
	}
	return exitError{exitCannotRun, err}
}
