package lockmodel

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A duel plays one log through a fresh model and a fresh subject and compares
// everything that both show after each step.

// subject is what is compared with the model: the lock table, or a model with
// one rule broken. It panics on what it finds wrong by itself.
type subject interface {
	play(s step) []Outcome
	view(p probe) view
}

// step is one entry of a log, and what is looked at after it.
type step struct {
	now   uint64
	start *Settings // a LeaderStart; nil: a batch
	batch []Command
	// snapshot > 0: before the entry, begin a snapshot in chunks of so many
	// bytes. Once it is read, the table that grows out of it carries on.
	snapshot int
	probe    probe
}

// probe is a question about due Expires.
type probe struct {
	now        uint64
	onlyWaited bool
	limit      int
}

// view is what a table shows.
type view struct {
	Keys, Waiters    int
	LastToken        uint64
	NextWait         instant
	NextExpiry       instant
	NextWaitedExpiry instant
	Held             []held
	Expires          []Command
}

type instant struct {
	At    uint64
	Known bool
}

type held struct {
	Key               string
	Token, Owner      uint64
	Granted, Deadline uint64
	Waiters           int
}

func (i instant) String() string {
	if !i.Known {
		return "none"
	}
	return clockText(i.At)
}

func (h held) String() string {
	k := Key{Name: h.Key, Token: h.Token, Owner: h.Owner, Granted: h.Granted, Deadline: h.Deadline}
	return fmt.Sprintf("%s, %d waiters", keyText(k), h.Waiters)
}

func (m *Model) play(s step) []Outcome {
	if s.start != nil {
		m.Start(s.now, *s.start)
		return nil
	}
	return m.Apply(s.now, s.batch)
}

func (m *Model) view(p probe) view {
	v := view{Keys: m.Keys(), Waiters: m.Waiters(), LastToken: m.LastToken()}
	v.NextWait.At, v.NextWait.Known = m.NextWait()
	v.NextExpiry.At, v.NextExpiry.Known = m.NextExpiry(false)
	v.NextWaitedExpiry.At, v.NextWaitedExpiry.Known = m.NextExpiry(true)
	for _, k := range m.List() {
		v.Held = append(v.Held, held{k.Name, k.Token, k.Owner, k.Granted, k.Deadline, len(k.Queue)})
	}
	v.Expires = m.Expires(p.now, p.onlyWaited, p.limit)
	return v
}

// compare plays s on both sides and says how they differ; "" is not at all.
func compare(m *Model, other subject, s step) (difference string) {
	defer func() {
		if p := recover(); p != nil {
			difference = fmt.Sprint("panic: ", p)
		}
	}()
	want, got := m.play(s), other.play(s)
	if !slices.Equal(want, got) {
		return fmt.Sprintf("outcomes:\n model: %s\n other: %s", joined(want, outcomeText), joined(got, outcomeText))
	}
	return compareViews(m.view(s.probe), other.view(s.probe))
}

func compareViews(model, other view) (difference string) {
	want, got := reflect.ValueOf(model), reflect.ValueOf(other)
	for i := range want.NumField() {
		if want, got := want.Field(i).Interface(), got.Field(i).Interface(); !reflect.DeepEqual(want, got) {
			difference += fmt.Sprintf("%s:\n model: %v\n other: %v\n", reflect.TypeFor[view]().Field(i).Name, want, got)
		}
	}
	return difference
}

// contest says how duels are held.
type contest struct {
	timeoutsPerEntry int
	challenger       func() subject
	crowd            bool // worlds with more overdue waiters than one entry may time out
}

// duel plays log and returns the step at which the sides differ first, or -1.
func (c contest) duel(log []step) (at int, difference string) {
	m, other := New(c.timeoutsPerEntry), c.challenger()
	for i, s := range log {
		if difference := compare(m, other, s); difference != "" {
			return i, difference
		}
	}
	return -1, ""
}

// world makes up the log of a seed and plays it meanwhile. It returns the log
// up to the first difference, "" for none.
func (c contest) world(seed uint64) (log []step, difference string) {
	g := newGenerator(seed, c)
	other := c.challenger()
	for s, ok := g.next(); ok && difference == ""; s, ok = g.next() {
		log = append(log, s)
		difference = compare(g.model, other, s)
	}
	return log, difference
}

// shrink drops steps and commands from a failing log as long as it fails.
func (c contest) shrink(log []step) []step {
	for before := 0; before != size(log); {
		before = size(log)
		for i := len(log) - 1; i > 0; i-- {
			log = c.without(log, i)
		}
	}
	return log
}

// without drops step i, or else what it can of its batch, if the log still fails.
func (c contest) without(log []step, i int) []step {
	if i >= len(log) {
		return log
	}
	if shorter, ok := c.failsAfter(i, slices.Delete(slices.Clone(log), i, i+1)); ok {
		return shorter
	}
	for j := len(log[i].batch) - 1; j >= 0 && i < len(log); j-- {
		smaller := slices.Clone(log)
		smaller[i].batch = slices.Delete(slices.Clone(log[i].batch), j, j+1)
		if shorter, ok := c.failsAfter(i, smaller); ok {
			log = shorter
		}
	}
	return log
}

// failsAfter is fails for a log in which something was dropped at step i. That
// may have been grants, so it also tries lower tokens from there on.
func (c contest) failsAfter(i int, log []step) (cut []step, ok bool) {
	for lower := uint64(0); lower < 4 && !ok; lower++ {
		cut, ok = c.fails(withLowerTokens(log, i, lower))
	}
	return cut, ok
}

func withLowerTokens(log []step, i int, lower uint64) []step {
	log = slices.Clone(log)
	for ; i < len(log); i++ {
		log[i].batch = slices.Clone(log[i].batch)
		for j := range log[i].batch {
			log[i].batch[j].Token -= min(lower, log[i].batch[j].Token)
		}
	}
	return log
}

// fails cuts log behind its first difference, if it has one.
func (c contest) fails(log []step) (cut []step, ok bool) {
	at, _ := c.duel(log)
	return log[:at+1], at >= 0
}

// size is how many steps and commands a log has.
func size(log []step) int { return len(log) + commands(log) }

func commands(log []step) (n int) {
	for _, s := range log {
		n += len(s.batch)
	}
	return n
}

// story tells a failing log in the notation of scripts, with the model's
// outcomes, and how the sides differ at its end.
func (c contest) story(log []step) string {
	var b strings.Builder
	m := New(c.timeoutsPerEntry)
	for _, s := range log {
		if s.snapshot > 0 {
			fmt.Fprintf(&b, "snapshot in chunks of %d\n", s.snapshot)
		}
		outcomes := m.play(s)
		if s.start != nil {
			fmt.Fprintf(&b, "%s %s\n", clockText(s.now), settingsText(*s.start))
			continue
		}
		fmt.Fprintf(&b, "%s %s = %s\n", clockText(s.now), joined(s.batch, commandText), joined(outcomes, outcomeText))
	}
	_, difference := c.duel(log)
	return b.String() + difference
}
