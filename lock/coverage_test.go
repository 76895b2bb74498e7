package lock

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// matrix is what the specification says a table must do, row by row; each row
// has a scenario in each regime.
var matrix = []string{
	// Acquire.
	"acquire_free",
	"acquire_expired",
	"acquire_held_wait_zero",
	"acquire_held_waits",
	"acquire_at_cap",
	"release_path_is_fifo",
	"expiry_path",
	"same_owner",
	"answers_out_of_order",
	// Release.
	"release_hands_on",
	"release_deletes",
	"release_wrong_token",
	"release_unknown_key",
	// When expiry is processed.
	"release_after_deadline",
	"expire_checks_token",
	"expired_without_waiters",
}

// decisions are those on what the matrix leaves open that concern the table;
// each has a scenario at least.
var decisions = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 26, 28}

func TestEachRuleHasAScenario(t *testing.T) {
	for _, row := range matrix {
		for _, regime := range []string{"lazy", "strict"} {
			path := fmt.Sprintf("testdata/matrix_%s_%s.txt", row, regime)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
				continue
			}
			if regimes := regimesOf(string(text)); len(regimes) != 1 || !regimes[regime] {
				t.Errorf("%s starts in %v", path, regimes)
			}
		}
	}
	for _, number := range decisions {
		pattern := fmt.Sprintf("testdata/decision_%02d_*.txt", number)
		if paths, err := filepath.Glob(pattern); err != nil || len(paths) == 0 {
			t.Errorf("no %s: %v", pattern, err)
		}
	}
}

// regimesOf a story: those that its starts name.
func regimesOf(story string) map[string]bool {
	regimes := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^start (\w+)`).FindAllStringSubmatch(story, -1) {
		regimes[m[1]] = true
	}
	return regimes
}

func TestEachScenarioTellsItsStory(t *testing.T) {
	for _, path := range scenarios(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "# ") || !strings.Contains(string(text), "\n>") {
			t.Errorf("%s does not begin with a comment, or nothing follows from it", path)
		}
	}
}
