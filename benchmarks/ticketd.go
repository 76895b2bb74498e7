package benchmarks

import (
	"bufio"
	"fmt"
	"net"
	"time"

	"ticketing/proto"
)

// ticketdDialect speaks wire 2. Where keys are shared its acquires wait in the
// server's queue.
type ticketdDialect struct {
	wait, lease uint16 // seconds
}

// open does the handshake of a server without a secret.
func (d *ticketdDialect) open(nc net.Conn) error {
	line, err := bufio.NewReader(nc).ReadBytes('\n')
	if err != nil {
		return err
	}
	var ch proto.Challenge
	if n, ok := proto.ParseChallenge(line, &ch); !ok || n != len(line) || ch.Nonce == nil {
		return fmt.Errorf("not a challenge: %q", line)
	}
	_, err = nc.Write(append(proto.Digest(nil, ch.Nonce), '\n'))
	return err
}

// find asks from node to node until one is the leader.
func (d *ticketdDialect) find(addrs []string) (string, error) {
	addr, next := addrs[0], 1
	for deadline := time.Now().Add(leaderTimeout); ; {
		leader, err := d.leaderFrom(addr)
		if err == nil && leader == addr {
			return addr, nil
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("no leader within %v: %s: %w", leaderTimeout, addr, err)
		}
		if err == nil {
			addr = leader
			continue
		}
		addr, next = addrs[next%len(addrs)], next+1
		time.Sleep(50 * time.Millisecond)
	}
}

// leaderFrom returns which node addr says is the leader, itself perhaps. It
// asks by a release of what was never granted: only a leader decides that.
func (d *ticketdDialect) leaderFrom(addr string) (string, error) {
	nc, err := dial(addr)
	if err != nil {
		return "", err
	}
	defer nc.Close()
	if err := d.open(nc); err != nil {
		return "", err
	}
	if _, err := nc.Write(proto.AppendRelease(nil, 0, []byte(keyPrefix+"leader"))); err != nil {
		return "", err
	}
	in := bufio.NewReader(nc)
	var frame []byte
	for {
		c, err := in.ReadByte()
		if err != nil {
			return "", err
		}
		frame = append(frame, c)
		var r proto.Reply
		n, ok := proto.ParseReply(frame, &r)
		switch {
		case !ok:
			return "", fmt.Errorf("not a reply: %q", frame)
		case n == 0:
			continue
		case r.Op == proto.ReplyMoved:
			return string(r.Text), nil
		case r.Op == proto.ReplyError:
			return "", fmt.Errorf("ticketd says %s", r.Text)
		case r.Op == 0 || r.Op == proto.ReplyLeader:
			frame = frame[:0]
			continue
		}
		return addr, nil
	}
}

// acquire: the owner names the slot.
func (d *ticketdDialect) acquire(b []byte, c *conn, slot int) []byte {
	return proto.AppendAcquire(b, d.wait, d.lease, uint64(slot), c.pairs[slot].key[:])
}

func (d *ticketdDialect) release(b []byte, c *conn, slot int) []byte {
	p := &c.pairs[slot]
	return proto.AppendRelease(b, p.token, p.key[:])
}

func (d *ticketdDialect) parse(b []byte, c *conn) (reply, int, error) {
	for skipped := 0; ; {
		var r proto.Reply
		n, ok := proto.ParseReply(b[skipped:], &r)
		if !ok {
			return reply{}, 0, fmt.Errorf("not a reply: %q", b[skipped:min(len(b), skipped+proto.ReplyMaxBytes)])
		}
		if n == 0 {
			return reply{}, 0, nil
		}
		if r.Op == 0 { // a keep-alive
			skipped += n
			continue
		}
		got, err := d.reply(&r, c)
		return got, skipped + n, err
	}
}

func (d *ticketdDialect) reply(r *proto.Reply, c *conn) (reply, error) {
	switch r.Op {
	case proto.ReplyAcquired:
		got, err := asked(r, c, granted)
		if err == nil {
			c.pairs[got.slot].token = r.Token
		}
		return got, err
	case proto.ReplyTimedOut:
		return asked(r, c, held)
	case proto.ReplyBusy:
		return asked(r, c, refused)
	case proto.ReplyReleased:
		return releasedBy(r, c, released)
	case proto.ReplyNotHeld:
		return releasedBy(r, c, notHeld)
	case proto.ReplyMoved, proto.ReplyLeader:
		return reply{}, fmt.Errorf("the leader changed to %s", r.Text)
	}
	return reply{}, fmt.Errorf("ticketd says %q", r.Text)
}

func asked(r *proto.Reply, c *conn, v verdict) (reply, error) {
	slot := r.Owner
	if slot >= uint64(len(c.pairs)) || string(c.pairs[slot].key[:]) != string(r.Text) {
		return reply{}, fmt.Errorf("%w: owner %d, key %q", errStray, slot, r.Text)
	}
	return reply{int(slot), v}, nil
}

// releasedBy finds the pair by its token, which no two have in common.
func releasedBy(r *proto.Reply, c *conn, v verdict) (reply, error) {
	for slot := range c.pairs {
		if p := &c.pairs[slot]; p.state == releasing && p.token == r.Token {
			return reply{slot, v}, nil
		}
	}
	return reply{}, fmt.Errorf("%w: token %d, key %q", errStray, r.Token, r.Text)
}
