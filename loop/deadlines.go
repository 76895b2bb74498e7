package loop

import (
	"container/heap"

	"ticketing/consensus"
)

// deadlines orders connections by when something has to be done about them:
// what that is depends on the connection's phase (conn.go). Each open
// connection is in it exactly once.
type deadlines struct{ heap []*conn }

// set puts c in, or moves it.
func (d *deadlines) set(c *conn, at consensus.Mono) {
	c.due = at
	if c.place == nowhere {
		heap.Push(d, c)
		return
	}
	heap.Fix(d, c.place)
}

func (d *deadlines) remove(c *conn) {
	if c.place != nowhere {
		heap.Remove(d, c.place)
	}
}

// next returns the earliest deadline; 0 is none.
func (d *deadlines) next() consensus.Mono {
	if len(d.heap) == 0 {
		return 0
	}
	return d.heap[0].due
}

// first returns the connection with the earliest deadline if that has come.
func (d *deadlines) first(now consensus.Mono) *conn {
	if len(d.heap) == 0 || d.heap[0].due > now {
		return nil
	}
	return d.heap[0]
}

// nowhere is the place of a connection that is in no list.
const nowhere = -1

// Len, Less, Swap, Push and Pop are for container/heap.

func (d *deadlines) Len() int           { return len(d.heap) }
func (d *deadlines) Less(i, j int) bool { return d.heap[i].due < d.heap[j].due }
func (d *deadlines) Swap(i, j int) {
	d.heap[i], d.heap[j] = d.heap[j], d.heap[i]
	d.heap[i].place, d.heap[j].place = i, j
}

func (d *deadlines) Push(x any) {
	c := x.(*conn)
	c.place = len(d.heap)
	d.heap = append(d.heap, c)
}

func (d *deadlines) Pop() any {
	last := len(d.heap) - 1
	c := d.heap[last]
	d.heap[last] = nil
	d.heap = d.heap[:last]
	c.place = nowhere
	return c
}
