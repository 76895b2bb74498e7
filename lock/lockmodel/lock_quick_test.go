package lockmodel

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"ticketing/lock"
)

// firstSeed is the first world to play: LOCK_SEED, or any.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	text, set := os.LookupEnv("LOCK_SEED")
	if !set {
		return rand.Uint64N(1_000_000_000)
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("LOCK_SEED: %v", err)
	}
	return seed
}

// mustAgree plays worlds until so many commands were compared; a tenth of it
// in a short run.
func mustAgree(t *testing.T, c contest, volume int) {
	t.Helper()
	if testing.Short() {
		volume /= 10
	}
	for seed := firstSeed(t); volume > 0; seed++ {
		log, difference := c.world(seed)
		volume -= commands(log)
		if difference == "" {
			continue
		}
		if !c.crowd { // too long a story
			difference = c.story(c.shrink(log))
		}
		t.Fatalf("model and table part; repeat with LOCK_SEED=%d\n%s", seed, difference)
	}
}

func TestTableAgreesWithModel(t *testing.T) {
	mustAgree(t, contest{timeoutsPerEntry: lock.TimeoutsPerEntry, challenger: newTable}, 1_000_000)
}

func TestTableAgreesWithModelInACrowd(t *testing.T) {
	mustAgree(t, contest{timeoutsPerEntry: lock.TimeoutsPerEntry, challenger: newTable, crowd: true}, 100_000)
}

// Twins that break the bound on time-outs are caught at the table's own bound
// too: the crowd is large enough.
func TestTheCrowdReachesTheBoundOnTimeouts(t *testing.T) {
	for _, w := range entryTwins {
		if w.rule == "all that are overdue are timed out" || w.rule == "time-outs come in the order of arrival" {
			mustCatch(t, contest{lock.TimeoutsPerEntry, w.challenger(lock.TimeoutsPerEntry), true})
		}
	}
}

// Two states never have the same digest: neither in one log, nor in logs that
// differ by one field of one command.
func TestDigestTellsStatesApart(t *testing.T) {
	first := firstSeed(t)
	for seed := first; seed < first+200; seed++ {
		g := newGenerator(seed, contest{timeoutsPerEntry: lock.TimeoutsPerEntry})
		var log []step
		for s, ok := g.next(); ok; s, ok = g.next() {
			log = append(log, s)
			g.model.play(s)
		}
		states := map[uint64]string{}
		for range 5 {
			if one, other := collision(log, states); one != other {
				t.Fatalf("LOCK_SEED=%d: one digest of\n%s\nand of\n%s", seed, one, other)
			}
			log = altered(g, log)
		}
	}
}

// collision plays log and enters each state under its digest. It returns two
// states with one digest, if there are any.
func collision(log []step, states map[uint64]string) (one, other string) {
	m, b := New(lock.TimeoutsPerEntry), &table{t: lock.New()}
	for _, s := range log {
		m.play(s)
		b.play(s)
		state, digest := stateText(m), b.t.Digest()
		if known, met := states[digest]; met && known != state {
			return known, state
		}
		states[digest] = state
	}
	return "", ""
}

// altered changes one field of an acquire, if it hits on one.
func altered(g *generator, log []step) []step {
	log = slices.Clone(log)
	i := g.rng.IntN(len(log))
	log[i].batch = slices.Clone(log[i].batch)
	for j := range log[i].batch {
		a := &log[i].batch[j]
		if a.Op != Acquire {
			continue
		}
		switch g.rng.IntN(4) {
		case 0:
			a.Conn++
		case 1:
			a.Owner++
		case 2:
			a.Lease++
		case 3:
			a.Wait++
		}
		return log
	}
	return log
}

// stateText is all of the state that later answers depend on, but the clock
// and the count of arrivals. Without ReleaseOnGone ties decide nothing: the
// Start that could set it cuts them.
func stateText(m *Model) string {
	text := fmt.Sprintf("%s last=%d", settingsText(m.settings), m.lastToken)
	for _, k := range m.List() {
		text += fmt.Sprintf("\n%s", keyText(k))
		if m.settings.ReleaseOnGone {
			text += fmt.Sprintf(" tied to c%d", k.Conn)
		}
		for _, w := range k.Queue {
			text += fmt.Sprintf("; c%d o%d l%d until %d", w.Conn, w.Owner, w.Lease, w.Until)
		}
	}
	return text
}
