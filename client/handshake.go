package client

import (
	"fmt"
	"net"
	"time"

	"ticketing/proto"
)

// handshake proves to the server that this client knows the secret. A right
// proof is not answered, so that requests may follow at once; a wrong one comes
// back as an E frame. The caller has set a deadline.
func handshake(nc net.Conn, secret []byte) error {
	line := make([]byte, 0, proto.LineMaxBytes+1)
	for {
		n, err := nc.Read(line[len(line):cap(line)])
		if err != nil {
			return fmt.Errorf("handshake: %w", err)
		}
		line = line[:len(line)+n]
		var ch proto.Challenge
		taken, ok := proto.ParseChallenge(line, &ch)
		switch {
		case !ok:
			return fmt.Errorf("%w: a server that greets with %q", ErrProtocol, line)
		case taken == 0:
			continue
		case ch.TurnedAway != nil:
			return fmt.Errorf("turned away: %s", ch.TurnedAway)
		case taken != len(line):
			return fmt.Errorf("%w: the server spoke out of turn", ErrProtocol)
		}
		_, err = nc.Write(append(proto.Digest(secret, ch.Nonce), '\n'))
		return err
	}
}

// dialTCP is how a Client dials, except in tests.
func dialTCP(addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Control: setUserTimeout}
	return d.Dial("tcp", addr)
}

// dial opens a connection to addr, handshake included.
func (c *Client) dial(addr string) (net.Conn, error) {
	deadline := time.Now().Add(dialTimeout)
	nc, err := c.dialer(addr)
	if err != nil {
		return nil, err
	}
	err = nc.SetDeadline(deadline)
	if err == nil {
		err = handshake(nc, c.secret)
	}
	if err == nil {
		err = nc.SetDeadline(time.Time{})
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}
