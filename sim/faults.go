package sim

import (
	"cmp"
	"fmt"
	"slices"
)

// faultKind is one way in which the world turns against its nodes.
type faultKind uint8

const (
	faultCrash     faultKind = iota // the process ends; it comes back later
	faultCrashAll                   // all at once
	faultStop                       // the process is asked to end
	faultStopAll                    // all at once
	faultPause                      // the process stands still, then goes on
	faultPartition                  // some links carry nothing
	faultClog                       // one link carries everything late, at once
	faultLag                        // some links take longer than an election
	faultExile                      // a node is cut off for long, clocks drift apart, and then the leader dies
	faultStall                      // the disk takes nothing for a while
	faultSyncFail                   // the next sync fails
	faultFull                       // the disk is full
	faultCorrupt                    // the process ends, and the store can't be opened for a while
	faultDrift                      // the clock changes its speed
	faultSuspend                    // a client stands still, its clock does not
	faultKinds
)

var faultNames = [faultKinds]string{
	"crash", "crash-all", "stop", "stop-all", "pause", "partition", "clog", "lag", "exile",
	"stall", "sync-fail", "full", "corrupt", "drift", "suspend",
}

// fault is one entry of the schedule. The schedule is drawn before the world
// begins, so that a part of it can be left out to find what matters.
type fault struct {
	at       Time
	kind     faultKind
	host     int
	atLeader bool // hits who leads then, if somebody does
	long     Time
	// pick chooses among the shapes of a partition and the like.
	pick uint64
	// speed is the clock's, for faultDrift.
	speed float64
}

func (f fault) String() string {
	where := fmt.Sprintf("n%d", f.host+1)
	if f.atLeader {
		where = "leader"
	}
	return fmt.Sprintf("%s %s for %.3fs", faultNames[f.kind], where, float64(f.long)/1e9)
}

// schedule draws the faults of a world, in order of time.
func schedule(seed uint64, p *Params) []fault {
	r := newStream(seed, streamFaults)
	var list []fault
	add := func(kind faultKind, every Time) {
		if every == 0 {
			return
		}
		for at := r.around(every); at < p.Duration; at += r.around(every) + millisecond {
			list = append(list, drawFault(r, p, kind, at))
		}
	}
	f := &p.Fault
	add(faultCrash, f.Crash)
	add(faultStop, f.Stop)
	add(faultPause, f.Pause)
	add(faultStall, f.Stall)
	add(faultSyncFail, f.SyncFail)
	add(faultFull, f.Full)
	add(faultCorrupt, f.Corrupt)
	add(faultDrift, f.Drift)
	add(faultSuspend, f.Suspend)
	if p.Members > 1 {
		add(faultPartition, f.Partition)
		add(faultClog, f.Clog)
		add(faultLag, f.Lag)
		add(faultExile, f.Exile)
	}
	slices.SortStableFunc(list, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
	return list
}

func drawFault(r stream, p *Params, kind faultKind, at Time) fault {
	f := fault{
		at: at, kind: kind, host: r.IntN(p.Members), pick: r.Uint64(),
		atLeader: r.chance(p.Fault.AtLeader),
		long:     r.around(p.Fault.Last),
		speed:    1 + p.Drift*(2*r.Float64()-1),
	}
	switch kind {
	case faultCrash, faultStop:
		if r.chance(p.Fault.RestartAll) {
			f.kind++
		}
		f.long = r.around(p.Fault.DownFor)
	case faultSyncFail:
		f.long = r.around(p.Fault.DownFor)
	case faultExile:
		f.long = r.span(3*second, 20*second)
		f.atLeader = false
	}
	return f
}
