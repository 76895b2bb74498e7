package sim

import "container/heap"

// Time is true time in nanoseconds since the world began. No node can see it.
type Time uint64

const (
	microsecond Time = 1_000
	millisecond      = 1_000 * microsecond
	second           = 1_000 * millisecond
)

// event is something that happens at an instant. Those of one instant happen in
// the order in which they were planned.
type event struct {
	at  Time
	seq uint64
	do  func()
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1].do = nil
	*h = old[:len(old)-1]
	return last
}

// queue is the order of events, and the true time of the last.
type queue struct {
	now  Time
	seq  uint64
	heap eventHeap
}

// after plans do to happen d from now.
func (q *queue) after(d Time, do func()) { q.at(q.now+d, do) }

// at plans do to happen at t, or now if that has passed.
func (q *queue) at(t Time, do func()) {
	q.seq++
	heap.Push(&q.heap, event{max(t, q.now), q.seq, do})
}

// step lets the next event before limit happen; false when there is none.
func (q *queue) step(limit Time) bool {
	if len(q.heap) == 0 || q.heap[0].at >= limit {
		return false
	}
	e := heap.Pop(&q.heap).(event)
	q.now = e.at
	e.do()
	return true
}
