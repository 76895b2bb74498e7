package lock

// heap orders records by (rank, tie), the lowest first. Each record learns
// where its item stands, so that it can be changed or removed at any time:
// nothing stale is left in it. It is four-ary: half the levels of a binary
// heap, and the four children of a node stand side by side.
type heap struct {
	chunks []*[chunkLen]heapItem
	len    uint32
	moved  func(ref, position uint32)
}

// heapItem is the place of one record in the order.
type heapItem struct {
	rank uint64
	tie  uint64
	ref  uint32
	aux  uint32 // rides along
}

func (a *heapItem) less(b *heapItem) bool {
	return a.rank < b.rank || a.rank == b.rank && a.tie < b.tie
}

func (h *heap) at(position uint32) *heapItem {
	return &h.chunks[position>>chunkBits][position&chunkMask]
}

func (h *heap) push(item heapItem) {
	if int(h.len>>chunkBits) == len(h.chunks) {
		h.chunks = append(h.chunks, new([chunkLen]heapItem))
	}
	h.len++
	h.up(h.len-1, item)
}

// remove takes the item at position out.
func (h *heap) remove(position uint32) {
	h.len--
	last := *h.at(h.len)
	if position != h.len {
		h.set(position, last)
	}
	if len(h.chunks)-int(h.len>>chunkBits) > sparesMax {
		h.chunks[len(h.chunks)-1] = nil
		h.chunks = h.chunks[:len(h.chunks)-1]
	}
}

// set puts item in the place of the one at position, and then where it belongs.
func (h *heap) set(position uint32, item heapItem) {
	if position > 0 && item.less(h.at((position-1)/4)) {
		h.up(position, item)
		return
	}
	h.down(position, item)
}

// up puts item at position, or above it.
func (h *heap) up(position uint32, item heapItem) {
	for position > 0 {
		parent := (position - 1) / 4
		above := h.at(parent)
		if !item.less(above) {
			break
		}
		h.put(position, above)
		position = parent
	}
	h.put(position, &item)
}

// down puts item at position, or below it.
func (h *heap) down(position uint32, item heapItem) {
	for {
		first := 4*position + 1
		if first >= h.len {
			break
		}
		least, child := h.at(first), first
		for c := first + 1; c < min(first+4, h.len); c++ {
			if other := h.at(c); other.less(least) {
				least, child = other, c
			}
		}
		if !least.less(&item) {
			break
		}
		h.put(position, least)
		position = child
	}
	h.put(position, &item)
}

func (h *heap) put(position uint32, item *heapItem) {
	*h.at(position) = *item
	h.moved(item.ref, position)
}
