package sim

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

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// queue is the order of events, and the true time of the last.
type queue struct {
	now  Time
	seq  uint64
	heap []event // container/heap would box each event: a third of a world's time
}

// after plans do to happen d from now.
func (q *queue) after(d Time, do func()) { q.at(q.now+d, do) }

// at plans do to happen at t, or now if that has passed.
func (q *queue) at(t Time, do func()) {
	q.seq++
	q.heap = append(q.heap, event{max(t, q.now), q.seq, do})
	for i := len(q.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.heap[i].before(&q.heap[parent]) {
			return
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}

// step lets the next event before limit happen; false when there is none.
func (q *queue) step(limit Time) bool {
	if len(q.heap) == 0 || q.heap[0].at >= limit {
		return false
	}
	e := q.pop()
	q.now = e.at
	e.do()
	return true
}

func (q *queue) pop() event {
	first := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap[last] = event{}
	q.heap = q.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if q.heap[child].before(&q.heap[least]) {
				least = child
			}
		}
		if least == i {
			return first
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}
