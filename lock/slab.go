package lock

// slab keeps records of one kind, named by numbers from 1 on; 0 names none.
// T must be free of pointers. A record's address is good until it is given
// back.
type slab[T any] struct {
	numbers numbers
	chunks  []*[chunkLen]T
}

func (s *slab[T]) at(ref uint32) *T {
	return &s.chunks[ref>>chunkBits][ref&chunkMask]
}

// take returns a new record, all zero.
func (s *slab[T]) take() uint32 {
	if len(s.chunks) == 0 {
		s.takeNumber() // 0
	}
	return s.takeNumber()
}

func (s *slab[T]) takeNumber() uint32 {
	ref, made := s.numbers.take()
	if made {
		c := int(ref >> chunkBits)
		if c == len(s.chunks) {
			s.chunks = append(s.chunks, nil)
		}
		s.chunks[c] = new([chunkLen]T)
	}
	return ref
}

// give takes a record back.
func (s *slab[T]) give(ref uint32) {
	var zero T
	*s.at(ref) = zero
	if c, dropped := s.numbers.give(ref); dropped {
		s.chunks[c] = nil
	}
}

// used is how many records there are.
func (s *slab[T]) used() int {
	return max(0, s.numbers.used-1)
}
