package sim

import (
	"reflect"
	"testing"
)

func TestTheScheduleIsOfTheSeedAlone(t *testing.T) {
	kinds := map[faultKind]int{}
	for seed := *firstSeed; seed < *firstSeed+100; seed++ {
		p := draw(seed)
		list := schedule(seed, &p)
		if !reflect.DeepEqual(list, schedule(seed, &p)) {
			t.Fatalf("seed %d: two schedules", seed)
		}
		var last Time
		for _, f := range list {
			if f.at < last || f.at >= p.Duration || f.host >= p.Members {
				t.Fatalf("seed %d: %v comes after %d, or too late, or hits nobody", seed, f, last)
			}
			last = f.at
			kinds[f.kind]++
		}
	}
	for k := range faultKinds {
		if kinds[k] == 0 {
			t.Errorf("seeds %d to %d: no %s in any of them", *firstSeed, *firstSeed+99, faultNames[k])
		}
	}
}
