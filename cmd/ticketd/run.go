package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ticketing/admin"
	"ticketing/loop"
)

// stopTimeout bounds the time from the first signal to the end. What hangs by
// then, a disk above all, will not be waited for.
const stopTimeout = 4900 * time.Millisecond

// errLogged is a failure that the log has told already.
var errLogged = errors.New("failed")

// Run runs a server until it is told to stop, or fails.
func (f *serveFlags) Run(out *output) error {
	c, err := f.check()
	if err != nil {
		return err
	}
	log := f.logger(out.stderr)
	if err := f.run(c, log); err != nil {
		log.Error("ticketd ends", "error", err)
		return errLogged
	}
	return nil
}

func (f *serveFlags) run(c checked, log *slog.Logger) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	f.announce(log)
	src := &source{set: metrics.NewSet(), started: time.Now()}
	web, err := f.serveHTTP(c, src, log)
	if err != nil {
		return err
	}
	defer web.close()
	replica, err := openReplica(f, log)
	if err != nil {
		return err
	}
	server, err := loop.Start(f.loopConfig(c, replica, src.set, log))
	if err != nil {
		return errors.Join(portError(err), replica.close())
	}
	src.live.Store(&live{replica, server})
	log.Info("ready", "listen", shown(server.Addr()), "tls", shown(server.AddrTLS()), "http", shown(web.addr), "max_conns", c.maxConns)

	err = awaitEnd(server, signals, log)
	src.live.Store(nil)
	web.close()
	return errors.Join(err, replica.close())
}

// announce says what an operator should not have to find out.
func (f *serveFlags) announce(log *slog.Logger) {
	log.Info("ticketd starts", "version", version, "pid", os.Getpid())
	if f.Memory {
		log.Warn("nothing is kept on disk (--memory): when this process ends, every lock is free")
	} else {
		log.Info("locks are kept on disk", "dir", f.DataDir)
	}
	if f.ReleaseOnDisconnect {
		log.Warn("locks end with the connection that got them (--release-on-disconnect); published clients drop healthy connections at times")
	}
	if f.WaitZero == "block" {
		log.Info("an acquire with wait 0 waits without limit (--wait-zero=block)")
	}
}

func (f *serveFlags) loopConfig(c checked, r *replica, set *metrics.Set, log *slog.Logger) loop.Config {
	cfg := loop.Config{
		Replica:     r.node,
		WriteOnLoop: true,
		Listen:      f.Listen,
		ListenTLS:   f.ListenTLS,
		TLS:         c.tls,
		Secrets:     c.secrets,
		MaxConns:    c.maxConns,
		Limits:      loop.DefaultLimits(),
		Log:         log,
		Metrics:     set,
		Clock:       loop.BootClock,
	}
	if r.store != nil {
		cfg.Store = r.store
	}
	return cfg
}

// portError says what to do about an address that can't be had.
func portError(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: another server runs there; stop it, or choose another address", err)
	}
	return err
}

// web is the HTTP side; without a server there is none.
type web struct {
	server *http.Server
	addr   net.Addr
}

// serveHTTP comes before everything else: it says that the server is starting,
// and a second server by mistake fails before it looks at a store.
func (f *serveFlags) serveHTTP(c checked, src *source, log *slog.Logger) (web, error) {
	if f.HTTP == "" {
		return web{}, nil
	}
	ln, err := net.Listen("tcp", f.HTTP)
	if err != nil {
		return web{}, portError(err)
	}
	server := admin.Server(admin.Handler(admin.Config{Source: src.admin(), Tokens: c.adminTokens, Profiling: f.Pprof}))
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	go func() {
		if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			log.Error("HTTP has ended; locks are served on", "error", err)
		}
	}()
	return web{server, ln.Addr()}, nil
}

// close lets answers that are under way end, for a moment. The store must not
// be closed before it.
func (w web) close() {
	if w.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if w.server.Shutdown(ctx) != nil {
		_ = w.server.Close()
	}
}

// shown is an address for the log.
func shown(a net.Addr) string {
	if a == nil {
		return "none"
	}
	return a.String()
}

// awaitEnd returns when the server has ended: as asked, or by a failure.
func awaitEnd(server *loop.Server, signals <-chan os.Signal, log *slog.Logger) error {
	select {
	case <-server.Done():
		return server.Err()
	case sig := <-signals:
		log.Info("stopping: what is in flight is answered first; a second signal ends it at once", "signal", sig.String())
	}
	server.Drain()
	select {
	case <-server.Done():
		if server.Err() == nil {
			log.Info("stopped")
		}
		return server.Err()
	case sig := <-signals:
		log.Warn("ended at once by a second signal; what was acknowledged is kept", "signal", sig.String())
	case <-time.After(stopTimeout):
		log.Error("the server does not stop, most likely because its disk hangs; it is ended, and what was acknowledged is kept")
	}
	os.Exit(exitFailure)
	return nil
}
