package lock

// NextWait is when the next wait is over. The entry that ends it may have any
// stamp from then on.
func (t *Table) NextWait() (Time, bool) {
	return t.waits.next()
}

// NextExpiry is the earliest deadline of a held key: with onlyWaited, of keys
// that have waiters.
func (t *Table) NextExpiry(onlyWaited bool) (Time, bool) {
	waited, ok := t.waited.next()
	if onlyWaited {
		return waited, ok
	}
	idle, also := t.idle.next()
	if !ok || also && idle < waited {
		return idle, also
	}
	return waited, ok
}

func (h *heap) next() (Time, bool) {
	if h.len == 0 {
		return 0, false
	}
	return Time(h.at(0).rank), true
}

// AppendExpires appends to b an Expire for each key whose deadline has come at
// now (with onlyWaited, of those that have waiters), at most max, ordered by
// (deadline, token); n is how many. It changes nothing, so what it returns is
// the same until an entry is applied.
func (t *Table) AppendExpires(b []byte, now Time, onlyWaited bool, max int) (out []byte, n int) {
	f := &t.frontier
	f.reset(now)
	f.add(&t.waited, 0)
	if !onlyWaited {
		f.add(&t.idle, 0)
	}
	for ; n < max && len(f.items) > 0; n++ {
		least := f.pop()
		b = AppendExpire(b, least.tie, t.keyOf(least.ref))
		for child := range uint32(4) {
			f.add(least.heap, 4*least.position+1+child)
		}
	}
	return b, n
}

// frontier visits the due items of heaps in order without changing them: it is
// a small heap of those whose parents have been visited.
type frontier struct {
	now   Time
	items []frontierItem // a binary heap
}

type frontierItem struct {
	heapItem
	heap     *heap
	position uint32
}

func (f *frontier) reset(now Time) {
	f.now = now
	f.items = f.items[:0]
}

// add enters the item of h at position, if there is one and it is due.
func (f *frontier) add(h *heap, position uint32) {
	if position >= h.len || Time(h.at(position).rank) > f.now {
		return
	}
	item := frontierItem{*h.at(position), h, position}
	f.items = append(f.items, item)
	i := len(f.items) - 1
	for i > 0 && item.less(&f.items[(i-1)/2].heapItem) {
		f.items[i] = f.items[(i-1)/2]
		i = (i - 1) / 2
	}
	f.items[i] = item
}

func (f *frontier) pop() frontierItem {
	least := f.items[0]
	item := f.items[len(f.items)-1]
	f.items = f.items[:len(f.items)-1]
	i, n := 0, len(f.items)
	for child := 1; child < n; child = 2*i + 1 {
		if child+1 < n && f.items[child+1].less(&f.items[child].heapItem) {
			child++
		}
		if !f.items[child].less(&item.heapItem) {
			break
		}
		f.items[i] = f.items[child]
		i = child
	}
	if n > 0 {
		f.items[i] = item
	}
	return least
}
