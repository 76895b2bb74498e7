package lockmodel

import "slices"

// set runs commands of op under settings that were changed for them.
func set(op Op, change func(s *Settings)) func(*Model, Command, func(Command)) {
	return func(m *Model, c Command, run func(Command)) {
		kept := m.settings
		if c.Op == op {
			change(&m.settings)
		}
		run(c)
		m.settings = kept
	}
}

// onFree breaks acquires of keys that nobody holds.
func onFree(breaking func(m *Model)) func(*Model, Command, func(Command)) {
	return func(m *Model, c Command, run func(Command)) {
		kept := m.settings
		if c.Op == Acquire && m.find(c.Key) == nil {
			breaking(m)
		}
		run(c)
		m.settings = kept
	}
}

// onHeld breaks commands of op on keys that are held.
func onHeld(op Op, breaking func(m *Model, k *Key, c Command, run func(Command))) func(*Model, Command, func(Command)) {
	return func(m *Model, c Command, run func(Command)) {
		if k := m.find(c.Key); k != nil && c.Op == op {
			breaking(m, k, c, run)
			return
		}
		run(c)
	}
}

// onHandOn breaks the hand-off by a release or an Expire: before and after it.
// queue is the queue as it was.
func onHandOn(before func(k *Key), after func(m *Model, k *Key, queue []Waiter)) func(*Model, Command, func(Command)) {
	return func(m *Model, c Command, run func(Command)) {
		k := m.find(c.Key)
		due := k != nil && k.Token == c.Token && (c.Op == Release || c.Op == Expire && m.now >= k.Deadline)
		if !due {
			run(c)
			return
		}
		queue := slices.Clone(k.Queue)
		before(k)
		run(c)
		after(m, k, queue)
	}
}

func asBefore(*Key) {}

// expired reports whether k is past its deadline.
func (m *Model) expired(k *Key) bool { return m.now >= k.Deadline }

func (m *Model) full(k *Key) bool {
	return len(k.Queue) >= int(m.settings.MaxWaitersPerKey) || m.Waiters() >= int(m.settings.MaxWaiters)
}

func (m *Model) atCap() bool { return len(m.keys) >= int(m.settings.MaxKeys) }

var acquireTwins = []twin{
	{rule: "same owner is the holder", command: onHeld(Acquire, func(m *Model, k *Key, c Command, run func(Command)) {
		if k.Conn == c.Conn && k.Owner == c.Owner && !m.expired(k) {
			m.answer(Granted, c.Conn, c.Owner, k.Token, k.Name)
			return
		}
		run(c)
	})},
	{rule: "wait 0 always waits", command: set(Acquire, func(s *Settings) { s.WaitZeroBlocks = true })},
	{rule: "wait 0 never waits", command: set(Acquire, func(s *Settings) { s.WaitZeroBlocks = false })},
	{rule: "wait 0 is busy at a full queue", command: onHeld(Acquire, func(m *Model, k *Key, c Command, run func(Command)) {
		if m.full(k) && c.Wait == 0 && !(m.settings.Lazy && m.expired(k)) {
			m.answer(Busy, c.Conn, c.Owner, 0, k.Name)
			return
		}
		run(c)
	})},
	{rule: "strict takes over", command: onHeld(Acquire, func(m *Model, _ *Key, c Command, run func(Command)) {
		set(Acquire, func(s *Settings) { s.Lazy = true })(m, c, run)
	})},
	{rule: "lazy never takes over", command: onHeld(Acquire, func(m *Model, _ *Key, c Command, run func(Command)) {
		set(Acquire, func(s *Settings) { s.Lazy = false })(m, c, run)
	})},
	{rule: "lazy takes over an instant late", command: onHeld(Acquire, func(m *Model, k *Key, c Command, run func(Command)) {
		if m.now == k.Deadline {
			set(Acquire, func(s *Settings) { s.Lazy = false })(m, c, run)
			return
		}
		run(c)
	})},
	{rule: "lazy takes over only where nobody waits", command: onHeld(Acquire, func(m *Model, k *Key, c Command, run func(Command)) {
		if len(k.Queue) > 0 {
			set(Acquire, func(s *Settings) { s.Lazy = false })(m, c, run)
			return
		}
		run(c)
	})},
	{rule: "take-over sends the waiters away", command: onHeld(Acquire, func(m *Model, k *Key, c Command, run func(Command)) {
		token := k.Token
		if run(c); k.Token != token {
			k.Queue = nil
		}
	})},
	{rule: "take-over is refused at the cap on keys", command: onHeld(Acquire, func(m *Model, k *Key, c Command, run func(Command)) {
		if m.settings.Lazy && m.expired(k) && m.atCap() {
			m.answer(Busy, c.Conn, c.Owner, 0, k.Name)
			return
		}
		run(c)
	})},
	{rule: "take-over is refused at a full queue", command: onHeld(Acquire, func(m *Model, k *Key, c Command, run func(Command)) {
		if m.settings.Lazy && m.expired(k) && m.full(k) {
			m.answer(Busy, c.Conn, c.Owner, 0, k.Name)
			return
		}
		run(c)
	})},
	{rule: "take-over keeps the place in the list", command: onHeld(Acquire, func(m *Model, k *Key, c Command, run func(Command)) {
		place := slices.Index(m.keys, k)
		run(c)
		m.free(k)
		m.keys = slices.Insert(m.keys, place, k)
	})},
}

var roomTwins = []twin{
	{rule: "one key too many", command: onFree(func(m *Model) { m.settings.MaxKeys++ })},
	{rule: "one waiter too many", command: set(Acquire, func(s *Settings) { s.MaxWaiters++ })},
	{rule: "one waiter of a key too many", command: set(Acquire, func(s *Settings) { s.MaxWaitersPerKey++ })},
	{rule: "lazy frees nothing at the cap", command: onFree(func(m *Model) { m.settings.Lazy = false })},
	{rule: "strict frees expired keys at the cap", command: onFree(func(m *Model) { m.settings.Lazy = true })},
	{rule: "more is freed than needed", command: onFree(func(m *Model) {
		for _, k := range slices.Clone(m.keys) {
			if m.settings.Lazy && m.atCap() && len(m.keys) > 1 && m.expired(k) && len(k.Queue) == 0 {
				m.free(k)
			}
		}
	})},
	{rule: "what is freed is by token", command: onFree(func(m *Model) {
		for _, k := range slices.Clone(m.keys) {
			if m.settings.Lazy && m.atCap() && m.expired(k) && len(k.Queue) == 0 {
				m.free(k)
			}
		}
	})},
	{rule: "keys with waiters are freed at the cap", command: onFree(func(m *Model) {
		for _, k := range m.byDeadline() {
			if m.settings.Lazy && m.atCap() && m.expired(k) {
				m.free(k)
			}
		}
	})},
	{rule: "one key is freed though the cap was lowered by more", command: onFree(func(m *Model) {
		if len(m.keys) > int(m.settings.MaxKeys) {
			m.settings.Lazy = false
		}
	})},
}

var endTwins = []twin{
	{rule: "last in, first out", command: onHandOn(
		func(k *Key) { slices.Reverse(k.Queue) },
		func(_ *Model, k *Key, _ []Waiter) { slices.Reverse(k.Queue) })},
	{rule: "a waiter whose wait is over is granted", command: onHandOn(
		func(k *Key) {
			for i := range k.Queue {
				k.Queue[i].Until = Forever
			}
		},
		func(_ *Model, k *Key, queue []Waiter) { copy(k.Queue, queue[len(queue)-len(k.Queue):]) })},
	{rule: "a wait is over an instant late", command: onHandOn(
		func(k *Key) {
			for i := range k.Queue {
				k.Queue[i].Until += min(1, Forever-k.Queue[i].Until)
			}
		},
		func(_ *Model, k *Key, queue []Waiter) { copy(k.Queue, queue[len(queue)-len(k.Queue):]) })},
	{rule: "those passed over are not told", command: func(m *Model, c Command, run func(Command)) {
		told := len(m.outcomes)
		run(c)
		if c.Op != Acquire {
			m.outcomes = append(m.outcomes[:told], slices.DeleteFunc(m.outcomes[told:],
				func(o Outcome) bool { return o.Verdict == TimedOut })...)
		}
	}},
	{rule: "a hand-off leaves the rest of the queue behind", command: onHandOn(asBefore,
		func(_ *Model, k *Key, _ []Waiter) { k.Queue = nil })},
	{rule: "the lease of a waiter runs from its enqueue", command: leaseFromEnqueue()},
	{rule: "a waiter inherits the deadline", command: onHeld(Release, func(m *Model, k *Key, c Command, run func(Command)) {
		deadline := k.Deadline
		run(c)
		k.Deadline = deadline
	})},
	{rule: "a tie outlives the hand-off", command: onHeld(Release, func(m *Model, k *Key, c Command, run func(Command)) {
		conn := k.Conn
		run(c)
		k.Conn = conn
	})},
	{rule: "a token is used again", command: onHandOn(asBefore, func(m *Model, k *Key, queue []Waiter) {
		if m.find(k.Name) == nil && m.lastToken == k.Token {
			m.lastToken--
		}
	})},
	{rule: "the grant is told before the release", command: func(m *Model, c Command, run func(Command)) {
		told := len(m.outcomes)
		run(c)
		if c.Op == Release {
			slices.Reverse(m.outcomes[told:])
		}
	}},
	{rule: "an old token releases", command: onHeld(Release, func(m *Model, k *Key, c Command, run func(Command)) {
		asked := c.Token
		if asked > 0 && asked < k.Token {
			c.Token = k.Token
		}
		told := len(m.outcomes)
		run(c)
		m.outcomes[told].Token = asked
	})},
	{rule: "a release past the deadline is refused", command: onHeld(Release, func(m *Model, k *Key, c Command, run func(Command)) {
		if m.expired(k) {
			m.answer(NotHeld, c.Conn, 0, c.Token, c.Key)
			return
		}
		run(c)
	})},
	{rule: "a keep shortens the lease", command: onHeld(Keep, func(m *Model, k *Key, c Command, run func(Command)) {
		if k.Token == c.Token && !m.expired(k) {
			k.Deadline = m.now + 1
		}
		run(c)
	})},
	{rule: "a keep adds to the lease", command: onHeld(Keep, func(m *Model, k *Key, c Command, run func(Command)) {
		deadline := k.Deadline
		if run(c); k.Deadline > deadline {
			k.Deadline = deadline + uint64(c.Lease)*second
		}
	})},
	{rule: "a keep revives an expired key", command: onHeld(Keep, func(m *Model, k *Key, c Command, run func(Command)) {
		if k.Token == c.Token {
			k.Deadline = max(k.Deadline, m.now+1)
		}
		run(c)
	})},
	{rule: "a keep at the deadline is in time", command: onHeld(Keep, func(m *Model, k *Key, c Command, run func(Command)) {
		if k.Token == c.Token && m.now == k.Deadline {
			k.Deadline++
		}
		run(c)
	})},
	{rule: "Expire does not look at the token", command: onHeld(Expire, func(m *Model, k *Key, c Command, run func(Command)) {
		c.Token = k.Token
		run(c)
	})},
	{rule: "Expire does not look at the deadline", command: onHeld(Expire, func(m *Model, k *Key, c Command, run func(Command)) {
		if k.Token == c.Token {
			k.Deadline = m.now
		}
		run(c)
	})},
	{rule: "Expire at the deadline is early", command: onHeld(Expire, func(m *Model, k *Key, c Command, run func(Command)) {
		if m.now != k.Deadline {
			run(c)
		}
	})},
	{rule: "Expire frees a key that has waiters", command: onHeld(Expire, func(m *Model, k *Key, c Command, run func(Command)) {
		if k.Token == c.Token && m.expired(k) {
			k.Queue = nil
		}
		run(c)
	})},
	{rule: "Expire does nothing in the lazy regime", command: func(m *Model, c Command, run func(Command)) {
		if c.Op != Expire || !m.settings.Lazy {
			run(c)
		}
	}},
}

// leaseFromEnqueue remembers when each waiter came, by its arrival.
func leaseFromEnqueue() func(*Model, Command, func(Command)) {
	came := map[uint64]uint64{}
	handOn := onHandOn(asBefore, func(m *Model, k *Key, queue []Waiter) {
		if m.find(k.Name) != nil {
			w := queue[len(queue)-len(k.Queue)-1]
			k.Deadline = came[w.Arrival] + uint64(w.Lease)*second
		}
	})
	return func(m *Model, c Command, run func(Command)) {
		handOn(m, c, run)
		if c.Op == Acquire {
			came[m.arrivals] = m.now
		}
	}
}

// hide gives the waiters of conn another name for the time of a run.
func (m *Model) hide(conn uint64, run func()) {
	const hidden = 1 << 40
	rename := func(from, to uint64) {
		for _, k := range m.keys {
			for i := range k.Queue {
				if k.Queue[i].Conn == from {
					k.Queue[i].Conn = to
				}
			}
		}
	}
	rename(conn, hidden)
	run()
	rename(hidden, conn)
}

var goneTwins = []twin{
	{rule: "waiters outlive their connection", command: func(m *Model, c Command, run func(Command)) {
		if c.Op != Gone {
			run(c)
			return
		}
		m.hide(c.Conn, func() { run(c) })
	}},
	{rule: "keys are handed on before the waiters leave", command: func(m *Model, c Command, run func(Command)) {
		if c.Op == Gone {
			m.hide(c.Conn, func() { run(c) })
		}
		set(Gone, func(s *Settings) { s.ReleaseOnGone = false })(m, c, run)
	}},
	{rule: "tied keys stay", command: set(Gone, func(s *Settings) { s.ReleaseOnGone = false })},
	{rule: "keys that are not tied go", command: set(Gone, func(s *Settings) { s.ReleaseOnGone = true })},
	{rule: "tied keys go without a hand-off", command: func(m *Model, c Command, run func(Command)) {
		for _, k := range slices.Clone(m.keys) {
			if c.Op == Gone && m.settings.ReleaseOnGone && k.Conn == c.Conn {
				m.free(k)
			}
		}
		run(c)
	}},
	{rule: "tied keys go in the order of their names", command: func(m *Model, c Command, run func(Command)) {
		grants := slices.Clone(m.keys)
		if c.Op == Gone && m.settings.ReleaseOnGone {
			slices.SortFunc(m.keys, func(a, b *Key) int { return len(a.Name) - len(b.Name) })
		}
		run(c)
		slices.SortStableFunc(m.keys, func(a, b *Key) int { return slices.Index(grants, a) - slices.Index(grants, b) })
	}},
}

var entryTwins = []twin{
	{rule: "waiters outlive a Start", start: func(m *Model, run func()) {
		queues := map[*Key][]Waiter{}
		for _, k := range m.keys {
			queues[k] = k.Queue
		}
		run()
		for _, k := range m.keys {
			k.Queue = queues[k]
		}
	}},
	{rule: "ties outlive a Start", start: func(m *Model, run func()) {
		conns := map[*Key]uint64{}
		for _, k := range m.keys {
			conns[k] = k.Conn
		}
		run()
		for _, k := range m.keys {
			k.Conn = conns[k]
		}
	}},
	{rule: "keys that expired are freed by a Start", start: func(m *Model, run func()) {
		run()
		for _, k := range slices.Clone(m.keys) {
			if m.expired(k) {
				m.free(k)
			}
		}
	}},
	{rule: "a Start gives keys their lease anew", start: func(m *Model, run func()) {
		run()
		for _, k := range m.keys {
			k.Deadline = m.now + k.Deadline - k.Granted
		}
	}},
	{rule: "a Start changes no setting but the first", start: func(m *Model, run func()) {
		kept := m.settings
		if run(); kept != (Settings{}) {
			m.settings = kept
		}
	}},
	{rule: "a later seed raises the counter", start: func(m *Model, run func()) {
		run()
		m.lastToken = max(m.lastToken, m.settings.TokenSeed*min(m.lastToken, 1))
	}},
	{rule: "the first seed stays", start: func(m *Model, run func()) {
		seed := m.settings.TokenSeed
		if run(); seed > 0 {
			m.settings.TokenSeed = seed
		}
	}},
	{rule: "nobody is timed out", timeOut: func(*Model, func()) {}},
	{rule: "all that are overdue are timed out", timeOut: allTimeOut},
	{rule: "time-outs come an instant late", timeOut: func(m *Model, run func()) {
		now := m.now
		m.now -= min(1, now)
		run()
		m.now = now
	}},
	{rule: "time-outs come in the order of arrival", timeOut: timeOutByArrival},
}

func allTimeOut(m *Model, run func()) {
	kept := m.timeoutsPerEntry
	m.timeoutsPerEntry = m.Waiters()
	run()
	m.timeoutsPerEntry = kept
}

func timeOutByArrival(m *Model, run func()) {
	until := map[uint64]uint64{}
	each := func(f func(w *Waiter)) {
		for _, k := range m.keys {
			for i := range k.Queue {
				f(&k.Queue[i])
			}
		}
	}
	each(func(w *Waiter) {
		until[w.Arrival] = w.Until
		if m.now >= w.Until {
			w.Until = 0
		}
	})
	run()
	each(func(w *Waiter) { w.Until = until[w.Arrival] })
}
