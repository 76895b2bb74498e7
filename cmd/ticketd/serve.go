package main

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"

	"ticketing/loop"
)

// checked is what the flags come to once they make sense.
type checked struct {
	secrets     [][]byte
	adminTokens [][]byte
	tls         *tls.Config
	maxConns    int
}

// check holds the flags against each other and against the machine.
func (f *serveFlags) check() (checked, error) {
	var c checked
	switch {
	case f.Memory && f.RequireStore:
		return c, usage("--memory and --require-store can't be had together: there is no store to require")
	case f.MaxKeys < 1 || f.MaxWaitersPerKey < 1 || f.MaxWaiters < 1 || f.MaxInflight < 1 || f.MaxConns < 0:
		return c, usage("--max-keys, --max-waiters, --max-waiters-per-key, --max-conns and --max-inflight must be at least 1")
	case f.Pprof && f.HTTP == "":
		return c, usage("--pprof wants --http")
	}
	var err error
	if c.secrets, err = readSecrets("--auth-token-file", f.AuthTokenFile); err != nil {
		return c, err
	}
	if c.adminTokens, err = readSecrets("--admin-token-file", f.AdminTokenFile); err != nil {
		return c, err
	}
	if c.tls, err = f.loadTLS(); err != nil {
		return c, err
	}
	if err := f.checkAddresses(c); err != nil {
		return c, err
	}
	c.maxConns, err = f.checkConns()
	return c, err
}

func (f *serveFlags) checkAddresses(c checked) error {
	for _, a := range []struct{ flag, value string }{
		{"--listen", f.Listen}, {"--http", f.HTTP}, {"--listen-tls", f.ListenTLS},
	} {
		if a.value == "" && a.flag != "--listen" {
			continue
		}
		if _, err := net.ResolveTCPAddr("tcp", a.value); err != nil {
			return usage("%s: %w", a.flag, err)
		}
	}
	if f.HTTP != "" && len(c.adminTokens) == 0 && !onLoopback(f.HTTP) {
		return usage("--http %s can be reached from other machines: give --admin-token-file, or an address on 127.0.0.1", f.HTTP)
	}
	return nil
}

func onLoopback(address string) bool {
	a, err := net.ResolveTCPAddr("tcp", address)
	return err == nil && a.IP.IsLoopback()
}

func (f *serveFlags) loadTLS() (*tls.Config, error) {
	if f.ListenTLS == "" && f.TLSCert == "" && f.TLSKey == "" {
		return nil, nil
	}
	if f.ListenTLS == "" || f.TLSCert == "" || f.TLSKey == "" {
		return nil, usage("--listen-tls, --tls-cert and --tls-key go together")
	}
	pair, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
	if err != nil {
		return nil, usage("--tls-cert, --tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

func (f *serveFlags) checkConns() (int, error) {
	most, err := loop.MaxConns()
	if err != nil {
		return 0, err
	}
	if f.MaxConns > most {
		return 0, usage("--max-conns %d: at most %d can be had with this limit on open files (ulimit -n)", f.MaxConns, most)
	}
	if f.MaxConns == 0 {
		return most, nil
	}
	return f.MaxConns, nil
}

func (f *serveFlags) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: f.LogLevel}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
