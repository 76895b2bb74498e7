package lock

func (x *index) doubleDirectory() {
	double := make([]*segment, 0, 2*len(x.segments))
	for _, s := range x.segments {
		double = append(double, s, s)
	}
	x.segments = double
	x.depth++
	x.deepest = 0
}

// split moves the keys of s, the segment of hash, with the next bit of the hash
// set to a segment of their own. Neither half has a grave.
func (x *index) split(hash uint64, s *segment) {
	if uint(s.depth) == x.depth {
		x.doubleDirectory()
	}
	old := s.slots
	*s = segment{depth: s.depth + 1}
	upper := &segment{depth: s.depth}
	bit := uint64(1) << (64 - uint(s.depth))
	for _, slot := range old {
		ref := slot & refMask
		if ref == 0 {
			continue
		}
		if h := x.hashOf(ref); h&bit != 0 {
			upper.add(h, ref)
		} else {
			s.add(h, ref)
		}
	}
	x.point(hash|bit, upper)
	if uint(s.depth) == x.depth {
		x.deepest += 2
	}
}

// point makes s the segment of all hashes that begin like hash.
func (x *index) point(hash uint64, s *segment) {
	span := 1 << (x.depth - uint(s.depth))
	first := int(hash>>(64-x.depth)) &^ (span - 1)
	for i := first; i < first+span; i++ {
		x.segments[i] = s
	}
}

// merge makes s, the segment of hash, one with its other half again, if that
// is there and both are nearly empty.
func (x *index) merge(hash uint64, s *segment) {
	bit := uint64(1) << (64 - uint(s.depth))
	other := x.segment(hash ^ bit)
	if other.depth != s.depth || s.live+other.live > segmentMerged {
		return
	}
	if uint(s.depth) == x.depth {
		x.deepest -= 2
	}
	whole := &segment{depth: s.depth - 1}
	for _, half := range []*segment{s, other} {
		for _, slot := range half.slots {
			if ref := slot & refMask; ref != 0 {
				whole.add(x.hashOf(ref), ref)
			}
		}
	}
	x.point(hash, whole)
	for x.deepest == 0 && x.depth > 0 {
		x.halveDirectory()
	}
}

// halveDirectory drops the last bit of the directory, which no segment needs.
func (x *index) halveDirectory() {
	half := make([]*segment, 0, len(x.segments)/2)
	x.depth--
	for i := 0; i < len(x.segments); i += 2 {
		s := x.segments[i]
		half = append(half, s)
		if uint(s.depth) == x.depth {
			x.deepest++
		}
	}
	x.segments = half
}
