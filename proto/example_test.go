package proto_test

import (
	"fmt"

	"ticketing/proto"
)

// How a server reads: all whole frames of what has come, the rest is kept.
func ExampleParseRequest() {
	key := []byte("order-1")
	buf := proto.AppendAcquire(nil, 10, 30, 7, key)
	buf = proto.AppendKeepAlive(buf)
	buf = proto.AppendRelease(buf, 42, nil) // no key
	buf = proto.AppendRelease(buf, 42, key)[:len(buf)+5]

	var r proto.Request
	for {
		n, reason := proto.ParseRequest(buf, &r)
		switch {
		case reason == proto.BadFrame:
			fmt.Println("answer bad_frame and close")
			return
		case n == 0:
			fmt.Println(len(buf), "bytes of the next frame")
			return
		case reason != "":
			fmt.Println("answer", reason)
		case r.Op == 0:
			fmt.Println("the client lives")
		default:
			fmt.Printf("%c %s, lease %d s\n", r.Op, r.Key, r.Lease)
		}
		buf = buf[n:]
	}
	// Output:
	// A order-1, lease 30 s
	// the client lives
	// answer bad_key
	// 5 bytes of the next frame
}

// How a client begins: it answers the challenge and goes on at once.
func ExampleParseChallenge() {
	var c proto.Challenge
	n, ok := proto.ParseChallenge([]byte("sha256 aB3dEf_g\n"), &c)
	if n == 0 || !ok || c.TurnedAway != nil {
		fmt.Println("read more, give up, or come back later")
		return
	}
	out := append(proto.Digest([]byte("secret"), c.Nonce), '\n')
	out = proto.AppendAcquire(out, 0, 30, 7, []byte("order-1"))
	fmt.Printf("%q\n", out)
	// Output:
	// "WvDLEd0VIA9cVatiwxXYXRGMDSXw0ibHllLgAMBffdg\nA\x00\x00\x00\x1e\x00\x00\x00\x00\x00\x00\x00\aorder-1\n"
}
