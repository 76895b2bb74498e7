package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/pprof"
)

// Config is what the HTTP side is made of.
type Config struct {
	Source Source
	// Tokens, if there are any, are asked for on every path but /healthz and
	// /readyz: Authorization: Bearer TOKEN.
	Tokens [][]byte
	// Profiling adds /debug/pprof/.
	Profiling bool
}

// Handler returns the paths of the HTTP side.
func Handler(cfg Config) http.Handler {
	h := &handler{cfg.Source}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", h.healthz)
	mux.HandleFunc("GET /readyz", h.readyz)
	private := func(pattern string, f http.HandlerFunc) { mux.Handle(pattern, guarded(cfg.Tokens, f)) }
	private("GET /metrics", h.metrics)
	private("GET /status", h.status)
	private("GET /locks", h.locks)
	if cfg.Profiling {
		private("/debug/pprof/", pprof.Index)
		private("/debug/pprof/cmdline", pprof.Cmdline)
		private("/debug/pprof/profile", pprof.Profile)
		private("/debug/pprof/symbol", pprof.Symbol)
		private("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// Server returns an HTTP server that bounds what each client may cost.
func Server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerMaxBytes,
	}
}

type handler struct{ source Source }

func (h *handler) healthz(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }

func (h *handler) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
	defer cancel()
	if err := h.source.Ready(ctx); err != nil {
		fail(w, fmt.Errorf("not ready: %w", err))
		return
	}
	fmt.Fprintln(w, "ready")
}

func (h *handler) metrics(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
	defer cancel()
	var page bytes.Buffer
	h.source.Metrics(ctx, &page)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = page.WriteTo(w) // the client may have gone
}

func (h *handler) status(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
	defer cancel()
	s, err := h.source.Status(ctx)
	if err != nil {
		fail(w, err)
		return
	}
	if s.Digests == nil {
		s.Digests = []Digest{}
	}
	answer(w, s)
}

func (h *handler) locks(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), locksTimeout)
	defer cancel()
	locks, err := h.source.Locks(ctx, q)
	if err != nil {
		fail(w, err)
		return
	}
	if locks == nil {
		locks = []Lock{}
	}
	answer(w, locks)
}

func answer(w http.ResponseWriter, v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("BUG: no JSON of %+v: %v", v, err))
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n')) // the client may have gone
}

// fail says that the server can't answer now.
func fail(w http.ResponseWriter, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("the server did not answer in time: its disk or its processor is overloaded")
	}
	http.Error(w, err.Error(), http.StatusServiceUnavailable)
}
