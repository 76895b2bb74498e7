package main

import "log/slog"

// cli is the command line. Each flag has an environment twin: --max-keys is
// TICKETD_MAX_KEYS; the flag wins.
type cli struct {
	Serve   serveFlags   `cmd:"" help:"Run a server. It says so in its log when it is ready."`
	Version versionFlags `cmd:"" help:"Print the version, and with --data-dir what the store there says of itself."`
}

type serveFlags struct {
	Listen    string `default:"127.0.0.1:5225" placeholder:"HOST:PORT" help:"Where clients connect (default ${default})."`
	HTTP      string `name:"http" default:"127.0.0.1:5280" placeholder:"HOST:PORT" help:"Where health, metrics and status are; empty for nowhere (default ${default}). Off loopback it wants --admin-token-file."`
	ListenTLS string `placeholder:"HOST:PORT" help:"Where clients connect by TLS (default: nowhere). Wants --tls-cert and --tls-key."`
	TLSCert   string `type:"path" placeholder:"FILE" help:"Certificate chain for --listen-tls, in PEM."`
	TLSKey    string `type:"path" placeholder:"FILE" help:"Private key for --tls-cert, in PEM."`

	DataDir      string `default:"./data" type:"path" placeholder:"DIR" help:"Where the locks are kept; made at the first start (default ./data)."`
	Memory       bool   `help:"Keep nothing: faster, and a restart forgets every lock."`
	RequireStore bool   `help:"Refuse to start where --data-dir holds no store, instead of making one."`
	TokenFloor   uint64 `placeholder:"N" help:"In a new store, or with --memory, tokens begin above N if that is above the clock's microseconds (default 0)."`

	AuthTokenFile  string `type:"path" placeholder:"FILE" help:"Secrets that clients must know one of, one a line (default: none, and only clients without one)."`
	AdminTokenFile string `type:"path" placeholder:"FILE" help:"Tokens for --http, one a line: Authorization: Bearer TOKEN (default: none)."`

	WaitZero            string `enum:"try,block" default:"try" placeholder:"try|block" help:"What an acquire with wait 0 means: answer at once, or wait without limit, as some clients want it (default ${default})."`
	ReleaseOnDisconnect bool   `help:"Release a lock when the connection that got it ends. Published clients drop healthy connections at times."`

	MaxKeys          uint32 `default:"1000000" placeholder:"N" help:"Keys held at a time (default ${default})."`
	MaxWaiters       uint32 `default:"1000000" placeholder:"N" help:"Waiting acquires, all keys together (default ${default})."`
	MaxWaitersPerKey uint32 `default:"65536" placeholder:"N" help:"Waiting acquires for one key (default ${default})."`
	MaxConns         int    `default:"0" placeholder:"N" help:"Connections at a time (default: what the limit on open files allows, at most 50000)."`
	MaxInflight      int    `default:"65536" placeholder:"N" help:"Unanswered requests of one connection (default ${default})."`

	LogFormat string     `enum:"text,json" default:"text" placeholder:"text|json" help:"Form of the log, which goes to standard error (default ${default})."`
	LogLevel  slog.Level `default:"info" placeholder:"LEVEL" help:"Least level that is logged: debug, info, warn, error (default ${default})."`
	Pprof     bool       `help:"Serve Go profiles at /debug/pprof/ of --http."`
}

type versionFlags struct {
	DataDir string `type:"path" placeholder:"DIR" help:"Also print what the store in DIR says of itself. It is only read, and may be in use."`
}
