package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

const (
	// httpTimeout is for a whole answer; a list may take the server 10 s.
	httpTimeout = 20 * time.Second
	// answerMaxBytes is more than the longest list.
	answerMaxBytes = 64 << 20
)

// get asks the server's HTTP side.
func (g *globals) get(path string, query url.Values) ([]byte, error) {
	token, err := firstLine(g.AdminTokenFile)
	if err != nil {
		return nil, exitError{exitUsage, fmt.Errorf("--admin-token-file: %w", err)}
	}
	u := url.URL{Scheme: "http", Host: g.HTTP, Path: path, RawQuery: query.Encode()}
	request, err := http.NewRequest(http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, exitError{exitUsage, fmt.Errorf("--http: %w", err)}
	}
	if token != nil {
		request.Header.Set("Authorization", "Bearer "+string(token))
	}
	answer, err := (&http.Client{Timeout: httpTimeout}).Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, answerMaxBytes))
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %s", u.Host, answer.Status, strings.TrimSpace(string(body)))
	}
	return body, nil
}

// Run shows the server's status, one line for each field.
func (f *statusFlags) Run(g *globals, out *output) error {
	body, err := g.get("/status", nil)
	if err != nil {
		return err
	}
	if f.JSON {
		return out.print("%s", body)
	}
	table := tabwriter.NewWriter(out.stdout, 0, 0, 2, ' ', 0)
	if err := eachField(body, func(name string, value json.RawMessage) {
		fmt.Fprintf(table, "%s\t%s\n", name, plain(value))
	}); err != nil {
		return fmt.Errorf("%s does not answer like ticketd: %w", g.HTTP, err)
	}
	return table.Flush()
}

// eachField goes through a JSON object in its own order, so that a newer
// server's fields are shown too.
func eachField(object []byte, f func(name string, value json.RawMessage)) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("no JSON object: %.100q", object)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		f(fmt.Sprint(name), value)
	}
	return nil
}

// plain is a value on one line, text without quotes.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var line bytes.Buffer
	if json.Compact(&line, value) != nil {
		return string(value)
	}
	return line.String()
}

type heldLock struct {
	Key        string  `json:"key"`
	Token      uint64  `json:"token,string"`
	Owner      uint64  `json:"owner,string"`
	HeldS      float64 `json:"held_s"`
	RemainingS float64 `json:"remaining_s"`
	Waiters    int     `json:"waiters"`
}

// Run lists held keys.
func (f *locksFlags) Run(g *globals, out *output) error {
	query := url.Values{"limit": {strconv.Itoa(f.Limit)}}
	if f.Prefix != "" {
		query.Set("prefix", f.Prefix)
	}
	if f.HeldFor != 0 {
		query.Set("held_for", f.HeldFor.String())
	}
	body, err := g.get("/locks", query)
	if err != nil {
		return err
	}
	if f.JSON {
		return out.print("%s", body)
	}
	var locks []heldLock
	if err := json.Unmarshal(body, &locks); err != nil {
		return fmt.Errorf("%s does not answer like ticketd: %w", g.HTTP, err)
	}
	table := tabwriter.NewWriter(out.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tTOKEN\tOWNER\tHELD\tLEFT\tWAITERS")
	for _, l := range locks {
		fmt.Fprintf(table, "%s\t%d\t%d\t%.1fs\t%.1fs\t%d\n", printable(l.Key), l.Token, l.Owner, l.HeldS, l.RemainingS, l.Waiters)
	}
	return table.Flush()
}

// printable quotes a key that would do something to a terminal.
func printable(key string) string {
	if quoted := strconv.Quote(key); quoted[1:len(quoted)-1] != key {
		return quoted
	}
	return key
}
