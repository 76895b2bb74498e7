package benchmarks

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// redisDialect takes a lock as people do on one Redis: SET with NX, PX and a
// random value, and a script that deletes the key if it still has that value.
// Redis has no queue for a held key: an acquire that finds one is sent again at
// once, and counted as a retry. Real clients pause before that, which costs less
// and waits longer.
type redisDialect struct {
	setEnd      []byte // the end of a SET, from NX on
	eval        []byte // the start of an EVALSHA
	leaseMillis int
}

const releaseScript = `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`

const redisSetStart = "*6\r\n$3\r\nSET\r\n"

func newRedis(lease int) *redisDialect { return &redisDialect{leaseMillis: lease * 1000} }

func (d *redisDialect) find(addrs []string) (string, error) { return addrs[0], nil }

// open loads the script. All connections get the same digest of it.
func (d *redisDialect) open(nc net.Conn) error {
	fmt.Fprintf(nc, "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$%d\r\n%s\r\n", len(releaseScript), releaseScript)
	in := bufio.NewReader(nc)
	head, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	if head != "$40\r\n" {
		return fmt.Errorf("SCRIPT LOAD: %q", strings.TrimSpace(head))
	}
	digest, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	millis := strconv.Itoa(d.leaseMillis)
	d.setEnd = fmt.Appendf(nil, "$2\r\nNX\r\n$2\r\nPX\r\n$%d\r\n%s\r\n", len(millis), millis)
	d.eval = fmt.Appendf(nil, "*5\r\n$7\r\nEVALSHA\r\n$40\r\n%s$1\r\n1\r\n", digest)
	return nil
}

func (d *redisDialect) acquire(b []byte, c *conn, slot int) []byte {
	p := &c.pairs[slot]
	p.token = c.random()
	c.order.push(slot)
	b = append(b, redisSetStart...)
	b = appendArguments(b, p)
	return append(b, d.setEnd...)
}

func (d *redisDialect) release(b []byte, c *conn, slot int) []byte {
	c.order.push(slot)
	b = append(b, d.eval...)
	return appendArguments(b, &c.pairs[slot])
}

// appendArguments adds key and value, which both requests have next to each
// other.
func appendArguments(b []byte, p *pair) []byte {
	b = append(b, "$22\r\n"...)
	b = append(b, p.key[:]...)
	b = append(b, "\r\n$16\r\n"...)
	b = appendHex(b, p.token)
	return append(b, "\r\n"...)
}

const _ = uint(keyBytes-22) + uint(22-keyBytes) // appendArguments has it in its text

// parse: replies come in the order of the requests.
func (d *redisDialect) parse(b []byte, c *conn) (reply, int, error) {
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		return reply{}, 0, nil
	}
	line := b[:max(end-1, 0)]
	slot, ok := c.order.pop()
	if !ok {
		return reply{}, 0, fmt.Errorf("%w: %q", errStray, line)
	}
	r := reply{slot: slot}
	switch string(line) {
	case "+OK":
		r.verdict = granted
	case "$-1":
		r.verdict = held
	case ":1":
		r.verdict = released
	case ":0":
		r.verdict = notHeld
	default:
		return r, 0, fmt.Errorf("redis says %q", line)
	}
	return r, end + 1, nil
}

// order remembers which slots asked, oldest first. Each slot has at most one
// request open, so it never holds more than there are slots.
type order struct {
	slots []uint16
	head  int
	n     int
}

func (o *order) push(slot int) {
	if o.n == len(o.slots) {
		panic(fmt.Sprintf("BUG: more than %d requests open", o.n))
	}
	o.slots[(o.head+o.n)%len(o.slots)] = uint16(slot)
	o.n++
}

func (o *order) pop() (slot int, ok bool) {
	if o.n == 0 {
		return 0, false
	}
	slot = int(o.slots[o.head])
	o.head = (o.head + 1) % len(o.slots)
	o.n--
	return slot, true
}
