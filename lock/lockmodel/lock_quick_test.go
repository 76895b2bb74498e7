package lockmodel

import (
	"fmt"
	"math/rand/v2"
	"os"
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

// Two states of one log never have the same digest.
func TestDigestTellsStatesApart(t *testing.T) {
	first := firstSeed(t)
	for seed := first; seed < first+300; seed++ {
		b := &table{t: lock.New()}
		g := newGenerator(seed, contest{timeoutsPerEntry: lock.TimeoutsPerEntry})
		states := map[uint64]string{}
		for s, ok := g.next(); ok; s, ok = g.next() {
			g.model.play(s)
			b.play(s)
			state := stateText(g.model)
			if other, known := states[b.t.Digest()]; known && other != state {
				t.Fatalf("LOCK_SEED=%d: digest %x is of\n%s\nand of\n%s", seed, b.t.Digest(), other, state)
			}
			states[b.t.Digest()] = state
		}
	}
}

// stateText is all of the state that later answers depend on, but the clock
// and the count of arrivals.
func stateText(m *Model) string {
	text := fmt.Sprintf("%s last=%d", settingsText(m.settings), m.lastToken)
	for _, k := range m.List() {
		text += fmt.Sprintf("\n%s, tied to c%d:", keyText(k), k.Conn)
		for _, w := range k.Queue {
			text += fmt.Sprintf(" c%d o%d l%d until %d;", w.Conn, w.Owner, w.Lease, w.Until)
		}
	}
	return text
}
