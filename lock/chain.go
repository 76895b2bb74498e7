package lock

// chain is a list of records by number. Each record has its links in itself,
// so it can leave from anywhere at once.
type chain struct{ first, last uint32 }

// links is a record's place in one chain; 0 is an end.
type links struct{ prev, next uint32 }

// push puts a record at the end; at finds the links of a record.
func (c *chain) push(ref uint32, at func(ref uint32) *links) {
	*at(ref) = links{prev: c.last}
	if c.last == 0 {
		c.first = ref
	} else {
		at(c.last).next = ref
	}
	c.last = ref
}

// remove takes a record out.
func (c *chain) remove(ref uint32, at func(ref uint32) *links) {
	l := at(ref)
	if l.prev == 0 {
		c.first = l.next
	} else {
		at(l.prev).next = l.next
	}
	if l.next == 0 {
		c.last = l.prev
	} else {
		at(l.next).prev = l.prev
	}
}
