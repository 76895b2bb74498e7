package lock

// Snapshot is a view of the table as it was when the snapshot began, read in
// chunks while the table goes on changing.
//
// Held keys come in the order of their tokens, then waiters in the order of
// their arrival. Both orders are lists that only grow at their ends, so a
// cursor can walk them: what was granted or enqueued after the beginning lies
// behind a bound, and what the cursor has not reached is still as it was,
// unless it is about to change. Then it is encoded aside first, and taken from
// there when its turn comes. A waiter carries its key and not its holder, so
// that a hand-off copies one held key, however many wait for it.
type Snapshot struct {
	table   *Table
	header  []byte // until the first chunk
	holds   stream
	waiters stream
}

// Snapshot begins a snapshot of the table as it is now. There is at most one
// at a time: it ends with its last chunk, or by Close.
func (t *Table) Snapshot() *Snapshot {
	if t.snapshot != nil {
		panic("BUG: lock: a second snapshot at a time")
	}
	s := &Snapshot{table: t, header: t.appendHeader(nil)}
	s.holds = stream{
		number: func(ref uint32) uint64 { return t.term(ref).tie },
		next:   func(ref uint32) uint32 { return t.holds.at(ref).next },
		append: t.appendHold,
		bound:  t.lastToken, cursor: t.grants.first, left: t.Keys(),
	}
	s.waiters = stream{
		number: func(ref uint32) uint64 { return t.waiters.at(ref).arrival },
		next:   func(ref uint32) uint32 { return t.waiters.at(ref).all.next },
		append: t.appendWaiter,
		bound:  t.arrivals, cursor: t.arrived.first, left: t.Waiters(),
	}
	t.snapshot = s
	return s
}

// Next returns the next chunk, which the caller may keep, and whether it was
// the last. A chunk ends with the first record that reaches max bytes, so it
// exceeds max by less than one record. Chunks are a function of the state at
// the beginning and of max alone, whatever happened meanwhile.
func (s *Snapshot) Next(max int) (chunk []byte, last bool) {
	if s.table == nil {
		panic("BUG: lock: Next of a snapshot that has ended")
	}
	chunk = make([]byte, 0, min(max, (1+s.holds.left+s.waiters.left)*recordMax)+recordMax)
	chunk = append(chunk, s.header...)
	s.header = nil
	chunk = s.holds.fill(chunk, max)
	chunk = s.waiters.fill(chunk, max)
	last = s.holds.left == 0 && s.waiters.left == 0
	if last {
		s.Close()
	}
	return chunk, last
}

// Close ends a snapshot that is not wanted any more. It may be called again.
func (s *Snapshot) Close() {
	if s.table != nil {
		s.table.snapshot = nil
		*s = Snapshot{}
	}
}

// holdChanges is told of each hold before it changes or vanishes.
func (s *Snapshot) holdChanges(ref uint32) { s.holds.changes(ref) }

// waiterLeaves is told of each waiter before it leaves.
func (s *Snapshot) waiterLeaves(ref uint32) { s.waiters.changes(ref) }

// stream hands out the records of one list as they were at the beginning.
type stream struct {
	number func(ref uint32) uint64 // rises along the list
	next   func(ref uint32) uint32 // in the list
	append func(b []byte, ref uint32) []byte

	bound  uint64 // records with higher numbers came later
	cursor uint32 // first record of the list that was not dealt with, or 0
	left   int    // records not handed out
	aside  aside
}

// fill appends records to chunk until it has max bytes or none is left.
func (s *stream) fill(chunk []byte, max int) []byte {
	for ; s.left > 0 && len(chunk) < max; s.left-- {
		number, saved := s.aside.lowest()
		if !saved || s.cursor != 0 && s.number(s.cursor) < number {
			chunk = s.append(chunk, s.cursor)
			s.advance()
			continue
		}
		if s.cursor != 0 && s.number(s.cursor) == number {
			s.advance()
		}
		chunk = s.aside.take(chunk)
	}
	return chunk
}

func (s *stream) advance() {
	s.cursor = s.next(s.cursor)
	if s.cursor != 0 && s.number(s.cursor) > s.bound {
		s.cursor = 0
	}
}

// changes saves a record that has not been dealt with. The cursor does not
// stay on it: it may be about to leave the list.
func (s *stream) changes(ref uint32) {
	if s.cursor == 0 {
		return
	}
	number := s.number(ref)
	if number < s.number(s.cursor) || number > s.bound {
		return
	}
	if !s.aside.has(number) {
		s.aside.put(number, func(b []byte) []byte { return s.append(b, ref) })
	}
	if ref == s.cursor {
		s.advance()
	}
}
