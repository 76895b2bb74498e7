package admin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// fakeSource answers what it is told to.
type fakeSource struct {
	err   error
	asked Query
	locks []Lock
}

func (f *fakeSource) source() Source {
	return Source{
		Ready:   func(context.Context) error { return f.err },
		Metrics: func(_ context.Context, w io.Writer) { _, _ = io.WriteString(w, "ticketd_x 1\n") },
		Status:  func(context.Context) (Status, error) { return Status{Mode: "single"}, f.err },
		Locks: func(_ context.Context, q Query) ([]Lock, error) {
			f.asked = q
			return f.locks, f.err
		},
	}
}

func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

// Interface: health does not depend on the server, readiness and all else does,
// and says why not.
func TestServerThatDoesNotAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"stopping":   {errors.New("the server is stopping"), "the server is stopping"},
		"overloaded": {context.DeadlineExceeded, "overloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			h := Handler(Config{Source: (&fakeSource{err: tc.err}).source()})
			if code, _ := get(t, h, "/healthz"); code != 200 {
				t.Errorf("/healthz: %d", code)
			}
			if code, body := get(t, h, "/metrics"); code != 200 || body != "ticketd_x 1\n" {
				t.Errorf("/metrics: %d, %q", code, body)
			}
			for _, path := range []string{"/readyz", "/status", "/locks"} {
				if code, body := get(t, h, path); code != http.StatusServiceUnavailable || !strings.Contains(body, tc.want) {
					t.Errorf("%s: %d, %q", path, code, body)
				}
			}
		})
	}
}

// The context that a source gets has a time limit.
func TestSourcesGetATimeLimit(t *testing.T) {
	var limits []time.Duration
	note := func(ctx context.Context) {
		end, ok := ctx.Deadline()
		if !ok {
			t.Error("no time limit")
		}
		limits = append(limits, time.Until(end))
	}
	h := Handler(Config{Source: Source{
		Ready:   func(ctx context.Context) error { note(ctx); return nil },
		Metrics: func(ctx context.Context, _ io.Writer) { note(ctx) },
		Status:  func(ctx context.Context) (Status, error) { note(ctx); return Status{}, nil },
		Locks:   func(ctx context.Context, _ Query) ([]Lock, error) { note(ctx); return nil, nil },
	}})
	for _, path := range []string{"/readyz", "/metrics", "/status", "/locks"} {
		get(t, h, path)
	}
	if len(limits) != 4 {
		t.Fatalf("%d sources were asked", len(limits))
	}
	for _, d := range limits {
		if d <= 0 || d > locksTimeout {
			t.Errorf("time limit %v", d)
		}
	}
}

// Interface: u64 values are strings, and no list is null.
func TestJSON(t *testing.T) {
	f := &fakeSource{}
	h := Handler(Config{Source: f.source()})
	if _, body := get(t, h, "/locks"); strings.TrimSpace(body) != "[]" {
		t.Errorf("no locks: %q", body)
	}
	if _, body := get(t, h, "/status"); !strings.Contains(body, `"digests": []`) {
		t.Errorf("no digests: %q", body)
	}
	f.locks = []Lock{{Key: `"<&`, Token: 1<<64 - 1, Owner: 1 << 63, HeldS: 1.5}}
	var got []map[string]any
	_, body := get(t, h, "/locks")
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"key": `"<&`, "token": "18446744073709551615", "owner": "9223372036854775808",
		"held_s": 1.5, "remaining_s": 0.0, "waiters": 0.0}
	for name, value := range want {
		if got[0][name] != value {
			t.Errorf("%s is %v, want %v", name, got[0][name], value)
		}
	}
}

func TestQueries(t *testing.T) {
	for query, want := range map[string]Query{
		"":                         {Limit: locksDefault},
		"prefix=a%2Fb&limit=10000": {Prefix: "a/b", Limit: 10_000},
		"held_for=90":              {Limit: locksDefault, HeldFor: 90 * time.Second},
		"held_for=1m30s":           {Limit: locksDefault, HeldFor: 90 * time.Second},
		"held_for=0":               {Limit: locksDefault},
	} {
		f := &fakeSource{}
		code, body := get(t, Handler(Config{Source: f.source()}), "/locks?"+query)
		if code != 200 || f.asked != want {
			t.Errorf("%q: %d, %q, asked %+v", query, code, body, f.asked)
		}
	}
	for _, query := range []string{"limit=0", "limit=10001", "limit=1e3", "limit=-1", "held_for=soon", "held_for=-1s",
		"held_for=-1", "held_for=99999999999", "key=a"} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if q, err := parseQuery(values); err == nil {
			t.Errorf("%q is %+v", query, q)
		}
	}
}

// Nothing can be changed by what only shows, and unknown paths are not found.
func TestMethodsAndPaths(t *testing.T) {
	h := Handler(Config{Source: (&fakeSource{}).source()})
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/status", "/locks"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/nothing", "/locks/release", "/debug/pprof/"} {
		if code, _ := get(t, h, path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}
