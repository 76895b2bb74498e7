package lock

import "fmt"

// Command is one command of a batch, for those who read a log and do not apply
// it. Op is the letter of the batch format: A, R, K, G or E.
type Command struct {
	Op          byte
	Conn        Conn
	Owner       uint64
	Token       uint64
	Wait, Lease uint16 // seconds
	Key         string
}

// Decode returns the commands of a batch in order, or an error if it is not
// whole and valid.
func Decode(batch []byte) ([]Command, error) {
	var list []Command
	for rest := batch; len(rest) > 0; {
		var c command
		n := c.decode(rest)
		if n == 0 {
			return nil, fmt.Errorf("byte %d of a batch of %d begins no command", len(batch)-len(rest), len(batch))
		}
		list = append(list, Command{
			Op: c.op, Conn: c.conn, Owner: c.owner, Token: c.token,
			Wait: c.wait, Lease: c.lease, Key: string(c.key),
		})
		rest = rest[n:]
	}
	return list, nil
}
