package lock

// aside keeps encoded records by number, for a snapshot that is not there yet.
type aside struct {
	order  heap                // (number, where it begins), aux is its length
	saved  map[uint64]struct{} // numbers ever put
	blocks [][]byte
}

// asideBlock is how many bytes are allocated together.
const asideBlock = 64 << 10

func (a *aside) has(number uint64) bool {
	_, ok := a.saved[number]
	return ok
}

// put saves what encode appends, of at most recordMax bytes.
func (a *aside) put(number uint64, encode func([]byte) []byte) {
	if a.saved == nil {
		a.saved = make(map[uint64]struct{})
		a.order.moved = func(uint32, uint32) {}
	}
	n := len(a.blocks)
	if n == 0 || cap(a.blocks[n-1])-len(a.blocks[n-1]) < recordMax {
		a.blocks = append(a.blocks, make([]byte, 0, asideBlock))
		n++
	}
	block := a.blocks[n-1]
	begin := len(block)
	block = encode(block)
	a.blocks[n-1] = block
	a.saved[number] = struct{}{}
	a.order.push(heapItem{
		rank: number,
		tie:  uint64(n-1)*asideBlock + uint64(begin),
		aux:  uint32(len(block) - begin),
	})
}

// lowest is the lowest number that was put and not taken.
func (a *aside) lowest() (number uint64, ok bool) {
	if a.order.len == 0 {
		return 0, false
	}
	return a.order.at(0).rank, true
}

// take moves the record with the lowest number to the end of b.
func (a *aside) take(b []byte) []byte {
	item := *a.order.at(0)
	a.order.remove(0)
	begin := item.tie % asideBlock
	return append(b, a.blocks[item.tie/asideBlock][begin:begin+uint64(item.aux)]...)
}
