package lockmodel

import (
	"fmt"
	"slices"
)

const second = 1_000_000_000 // of log time

// Model is the lock table. Start must come before the first Apply. One
// goroutine at a time.
type Model struct {
	timeoutsPerEntry int
	now              uint64
	settings         Settings
	lastToken        uint64 // 0: none was ever issued
	arrivals         uint64
	keys             []*Key // the held ones, in the order of their grants
	outcomes         []Outcome
}

// New makes an empty table. timeoutsPerEntry is how many waiters at most get
// their TimedOut at the start of one entry.
func New(timeoutsPerEntry int) *Model {
	return &Model{timeoutsPerEntry: timeoutsPerEntry}
}

// Start applies a LeaderStart stamped now. It answers nobody.
func (m *Model) Start(now uint64, s Settings) {
	m.advance(now)
	m.settings = s
	for _, k := range m.keys {
		k.Queue = nil
		k.Conn = 0
	}
}

// Apply applies one entry stamped now and returns its outcomes in order.
func (m *Model) Apply(now uint64, batch []Command) []Outcome {
	m.advance(now)
	m.outcomes = nil
	m.timeOut()
	for _, c := range batch {
		m.apply(c)
	}
	return m.outcomes
}

func (m *Model) advance(now uint64) {
	if now < m.now {
		panic(fmt.Sprintf("BUG: log time goes back from %d to %d", m.now, now))
	}
	m.now = now
}

func (m *Model) apply(c Command) {
	switch c.Op {
	case Acquire:
		m.acquire(c)
	case Release:
		m.release(c)
	case Keep:
		m.keep(c)
	case Gone:
		m.gone(c)
	case Expire:
		m.expire(c)
	default:
		panic(fmt.Sprintf("BUG: unknown command %+v", c))
	}
}

func (m *Model) acquire(c Command) {
	k := m.find(c.Key)
	switch {
	case k == nil && m.makeRoom():
		m.grant(&Key{Name: c.Key}, c.Conn, c.Owner, c.Lease)
	case k == nil:
		m.answer(Busy, c.Conn, c.Owner, 0, c.Key)
	case m.settings.Lazy && m.now >= k.Deadline: // the waiters keep their places
		m.grant(k, c.Conn, c.Owner, c.Lease)
	case c.Wait == 0 && !m.settings.WaitZeroBlocks:
		m.answer(TimedOut, c.Conn, c.Owner, 0, c.Key)
	case len(k.Queue) >= int(m.settings.MaxWaitersPerKey), m.Waiters() >= int(m.settings.MaxWaiters):
		m.answer(Busy, c.Conn, c.Owner, 0, c.Key)
	default:
		m.enqueue(k, c)
	}
}

func (m *Model) release(c Command) {
	k := m.find(c.Key)
	if k == nil || k.Token != c.Token {
		m.answer(NotHeld, c.Conn, 0, c.Token, c.Key)
		return
	}
	m.answer(Released, c.Conn, 0, c.Token, c.Key)
	m.handOn(k)
}

func (m *Model) keep(c Command) {
	k := m.find(c.Key)
	if k == nil || k.Token != c.Token || m.now >= k.Deadline {
		m.answer(NotHeld, c.Conn, 0, c.Token, c.Key)
		return
	}
	k.Deadline = max(k.Deadline, m.now+uint64(c.Lease)*second)
	m.answer(Kept, c.Conn, 0, c.Token, c.Key)
}

// gone ends a connection. Nobody is told: it is gone.
func (m *Model) gone(c Command) {
	for _, k := range m.keys {
		k.Queue = slices.DeleteFunc(k.Queue, func(w Waiter) bool { return w.Conn == c.Conn })
	}
	if !m.settings.ReleaseOnGone {
		return
	}
	for _, k := range slices.Clone(m.keys) {
		if k.Conn == c.Conn {
			m.handOn(k)
		}
	}
}

func (m *Model) expire(c Command) {
	k := m.find(c.Key)
	if k != nil && k.Token == c.Token && m.now >= k.Deadline {
		m.handOn(k)
	}
}

// timeOut answers waiters whose wait is over, the longest overdue first.
func (m *Model) timeOut() {
	for range m.timeoutsPerEntry {
		k, i := m.firstWait()
		if k == nil || m.now < k.Queue[i].Until {
			return
		}
		w := k.Queue[i]
		k.Queue = slices.Delete(k.Queue, i, i+1)
		m.answer(TimedOut, w.Conn, w.Owner, 0, k.Name)
	}
}

// makeRoom reports whether one more key may be held. At the cap, in the lazy
// regime, it first frees expired keys that nobody waits for.
func (m *Model) makeRoom() bool {
	for len(m.keys) >= int(m.settings.MaxKeys) {
		k := m.firstIdle()
		if !m.settings.Lazy || k == nil || m.now < k.Deadline {
			return false
		}
		m.free(k)
	}
	return true
}

func (m *Model) enqueue(k *Key, c Command) {
	until := m.now + uint64(c.Wait)*second
	if c.Wait == 0 {
		until = Forever
	}
	m.arrivals++
	k.Queue = append(k.Queue, Waiter{c.Conn, c.Owner, c.Lease, until, m.arrivals})
}

// handOn ends a grant: the front waiter whose wait is not over gets the key;
// those passed over get TimedOut; without a waiter the key is free.
func (m *Model) handOn(k *Key) {
	for len(k.Queue) > 0 {
		w := k.Queue[0]
		k.Queue = k.Queue[1:]
		if m.now < w.Until {
			m.grant(k, w.Conn, w.Owner, w.Lease)
			return
		}
		m.answer(TimedOut, w.Conn, w.Owner, 0, k.Name)
	}
	m.free(k)
}

// grant makes conn the holder of k, by a token above all before it.
func (m *Model) grant(k *Key, conn, owner uint64, lease uint16) {
	if m.lastToken == 0 {
		m.lastToken = m.settings.TokenSeed
	}
	m.lastToken++
	k.Token, k.Conn, k.Owner = m.lastToken, conn, owner
	k.Granted, k.Deadline = m.now, m.now+uint64(lease)*second
	m.free(k)
	m.keys = append(m.keys, k)
	m.answer(Granted, conn, owner, k.Token, k.Name)
}

func (m *Model) free(k *Key) {
	m.keys = slices.DeleteFunc(m.keys, func(held *Key) bool { return held == k })
}

func (m *Model) find(name string) *Key {
	for _, k := range m.keys {
		if k.Name == name {
			return k
		}
	}
	return nil
}

func (m *Model) answer(v Verdict, conn, owner, token uint64, key string) {
	m.outcomes = append(m.outcomes, Outcome{v, conn, owner, token, key})
}
