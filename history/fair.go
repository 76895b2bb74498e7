package history

import (
	"cmp"
	"fmt"
	"slices"
)

// queuedSince tells for acquires from when on they are known to have been taken
// in: since something that was sent later on the same connection was answered
// from the log. Acquires that were answered by then are not in it.
func queuedSince(ops []Op) map[*Op]int64 {
	byConn := map[int][]*Op{}
	for i := range ops {
		if o := &ops[i]; o.Kind != Gone {
			byConn[o.Conn] = append(byConn[o.Conn], o)
		}
	}
	since := map[*Op]int64{}
	for _, list := range byConn {
		slices.SortStableFunc(list, func(a, b *Op) int { return cmp.Compare(a.Call, b.Call) })
		next := int64(never) // the first answer to something sent later
		for _, o := range slices.Backward(list) {
			if o.Kind == Acquire && o.known() && next < o.Return {
				since[o] = next
			}
			if o.known() && o.Outcome != Busy { // B may come without the log
				next = min(next, o.Return)
			}
		}
	}
	return since
}

// unfair: nobody who came after a waiter was in its queue gets the key before
// the waiter gets it or its wait is over. The one way past the queue is the
// take-over of an expired key in single mode.
func (k *keyLog) unfair(r *Rules, queued map[*Op]int64) string {
	var waiters, granted []*Op
	for _, o := range k.ops {
		if _, ok := queued[o]; ok && (o.Outcome == Granted || o.Outcome == TimedOut) {
			waiters = append(waiters, o)
		}
		if o.Kind != Acquire || o.Outcome != Granted {
			continue
		}
		if _, waited := queued[o]; waited || !r.Lazy {
			granted = append(granted, o)
		}
	}
	slices.SortStableFunc(waiters, func(a, b *Op) int { return cmp.Compare(queued[a], queued[b]) })
	var lastToken, longest *Op // among the waiters queued before the call of o
	for _, o := range granted {
		for len(waiters) > 0 && queued[waiters[0]] < o.Call {
			w := waiters[0]
			waiters = waiters[1:]
			switch {
			case w.Outcome == Granted && (lastToken == nil || lastToken.Token < w.Token):
				lastToken = w
			case w.Outcome == TimedOut && (longest == nil || r.waits(longest) < r.waits(w)):
				longest = w
			}
		}
		if lastToken != nil && o.Token < lastToken.Token {
			return fmt.Sprintf("%v overtook %v, which was queued", o, lastToken)
		}
		if longest != nil && o.Return < r.waits(longest) {
			return fmt.Sprintf("%v overtook %v, which was queued", o, longest)
		}
	}
	return ""
}

// waits is until when a queued acquire keeps its place at least.
func (r *Rules) waits(o *Op) int64 { return o.Call + r.least(o.Wait) }
