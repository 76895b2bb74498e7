package sim

import (
	"runtime"
	"sync"
	"time"
)

// Many lives through the worlds of the seeds from first on: count of them, or,
// if limit is not 0, as many as begin within it. It uses all processors and
// calls each for every world, one at a time, in no particular order; it stops
// early when each returns false.
func Many(first uint64, count int, limit time.Duration, opt func(seed uint64) Options, each func(Result) bool) {
	m := &many{next: first, left: count, opt: opt, each: each}
	if limit > 0 {
		m.until = time.Now().Add(limit)
	}
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(m.work)
	}
	wg.Wait()
}

type many struct {
	mu    sync.Mutex
	next  uint64
	left  int
	until time.Time
	stop  bool
	opt   func(seed uint64) Options
	each  func(Result) bool
}

func (m *many) take() (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	late := !m.until.IsZero() && time.Now().After(m.until)
	counted := m.until.IsZero() && m.left == 0
	if m.stop || late || counted {
		return 0, false
	}
	m.left--
	m.next++
	return m.next - 1, true
}

func (m *many) work() {
	for {
		seed, ok := m.take()
		if !ok {
			return
		}
		r := Run(seed, m.opt(seed))
		m.mu.Lock()
		if !m.stop && !m.each(r) {
			m.stop = true
		}
		m.mu.Unlock()
	}
}
