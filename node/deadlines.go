package node

import (
	"ticketing/consensus"
	"ticketing/lock"
	"ticketing/planted"
)

// logTime is the stamp that an entry of this instant would carry.
func (n *Node) logTime() lock.Time { return lock.Time(n.core.LogTime(n.now)) }

// collectExpires fills n.expires with what is due. In cluster mode that is each
// key past its deadline. In single mode it is those with waiters, at once, and
// the others at the next sweep: until then the next acquire takes them over.
func (n *Node) collectExpires() {
	n.expires = n.expires[:0]
	if n.expiresUnderWay() {
		return
	}
	now := n.logTime()
	onlyWaited := n.lazy() && !n.sweepIsDue()
	var count int
	n.expires, count = n.table.AppendExpires(n.expires, now, onlyWaited, expiresPerEntry)
	n.counts.Expires += uint64(count)
	if n.lazy() && !onlyWaited && count < expiresPerEntry {
		n.lastSweep = n.now // the last slice of this sweep
	}
}

// expiresUnderWay reports whether the last Expires proposed are not applied yet.
func (n *Node) expiresUnderWay() bool {
	return n.expiring > n.core.State().Applied || planted.Is(planted.NeverExpires)
}

// sweepIsDue reports whether a multiple of sweepInterval has passed since the
// last sweep, and by then there was something to sweep.
func (n *Node) sweepIsDue() bool {
	tick := n.now - n.now%sweepInterval
	if tick <= n.lastSweep {
		return false
	}
	at, ok := n.table.NextExpiry(false)
	return ok && n.monoAt(at) <= tick
}

// timeIsDue reports whether log time must move on though nobody asks: a wait is
// over, or nothing has been logged for idleInterval while a lease or wait runs.
func (n *Node) timeIsDue() bool {
	if at, ok := n.table.NextWait(); ok && at <= n.logTime() && !n.inFlight() {
		return true
	}
	return n.timeRuns() && n.now >= n.lastEntry+idleInterval
}

// timeRuns reports whether somebody depends on log time.
func (n *Node) timeRuns() bool { return n.table.Keys() > 0 }

// inFlight reports whether an entry is on its way. Whatever it holds, it will
// end overdue waits.
func (n *Node) inFlight() bool {
	st := n.core.State()
	return st.Last > st.Applied
}

// wake returns when Flush is wanted next though nothing happens.
func (n *Node) wake() consensus.Mono {
	at := n.taken.Wake
	earlier := func(t consensus.Mono) {
		if at == 0 || t < at {
			at = t
		}
	}
	if n.snapshot.wantsRound(n.core) {
		earlier(n.now)
	}
	if !n.core.Ready() {
		return at // the end of what is in flight makes a round
	}
	if !n.batch.empty() {
		earlier(n.now)
	}
	if t, ok := n.table.NextWait(); ok && !n.inFlight() {
		earlier(n.monoAt(t))
	}
	if !n.expiresUnderWay() {
		n.wakeForExpiry(earlier)
	}
	if n.timeRuns() {
		earlier(n.lastEntry + idleInterval)
	}
	return at
}

func (n *Node) wakeForExpiry(earlier func(consensus.Mono)) {
	if t, ok := n.table.NextExpiry(n.lazy()); ok {
		earlier(n.monoAt(t))
	}
	if !n.lazy() {
		return
	}
	if t, ok := n.table.NextExpiry(false); ok {
		earlier(sweepTick(max(n.monoAt(t), n.lastSweep+1)))
	}
}

// sweepTick returns the first multiple of sweepInterval from t on.
func sweepTick(t consensus.Mono) consensus.Mono {
	return (t + sweepInterval - 1) / sweepInterval * sweepInterval
}

func (n *Node) monoAt(t lock.Time) consensus.Mono {
	return n.core.MonoAt(consensus.Stamp(t))
}
