package proto

import (
	"fmt"
	"unicode/utf8"
)

// ValidKey says whether key may name a lock: 1 to KeyMaxBytes bytes of UTF-8
// without space (0x20), newline or carriage return. Everything else is fine,
// control characters and other kinds of space included, and no two different
// sequences of bytes are the same key.
func ValidKey(key []byte) bool { return validText(key, KeyMaxBytes) }

// ValidAddress says whether addr can be sent to clients in M and L: what
// ValidKey asks for, but of 1 to TextMaxBytes bytes. Whether it leads anywhere
// is not looked at.
func ValidAddress(addr string) bool { return validText([]byte(addr), TextMaxBytes) }

func validText(t []byte, maxBytes int) bool {
	if len(t) == 0 || len(t) > maxBytes {
		return false
	}
	var all byte
	for _, c := range t {
		if c == ' ' || c == '\n' || c == '\r' {
			return false
		}
		all |= c
	}
	return all < utf8.RuneSelf || utf8.Valid(t)
}

// panicText is apart so that its caller stays small.
func panicText(t []byte, maxBytes int) {
	panic(fmt.Sprintf("BUG: text of a frame has a newline or more than %d bytes: %q", maxBytes, t))
}
