package proto

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
)

// Before the first frame, one line goes each way:
//
//	server   sha256 NONCE \n                 NONCE = base64url(random bytes)
//	client   DIGEST \n                       base64url(SHA-256(secret NONCE))
//
// base64url has no padding here. The characters of the nonce are hashed, not
// the bytes they stand for. A right digest is not answered; a wrong one gets
// E auth_failed. A server that takes no more connections sends instead
//
//	server   WORD \n                         no space; then it closes
const algorithm = "sha256"

var encoding = base64.RawURLEncoding

// AppendChallenge adds the server's first line to b. random is drawn anew for
// each connection: NonceBytes of it, out of a cryptographic source.
func AppendChallenge(b []byte, random []byte) []byte {
	if len(random) < nonceMinBytes {
		panic(fmt.Sprintf("BUG: a nonce of %d random bytes, want at least %d", len(random), nonceMinBytes))
	}
	b = append(append(b, algorithm...), ' ')
	return append(encoding.AppendEncode(b, random), newline)
}

// AppendTurnedAway adds the line that a server sends in place of the challenge
// to a connection that it will not serve. r must not hold a space: by that
// alone a client tells it from a challenge.
func AppendTurnedAway(b []byte, r Reason) []byte {
	if !validText([]byte(r), LineMaxBytes) {
		panic(fmt.Sprintf("BUG: turned away with %q", r))
	}
	return append(append(b, r...), newline)
}

// Digest is what a client answers to a challenge: DigestBytes characters, no
// newline. nonce is as it stood in the challenge, in base64url. No secret is
// the empty one.
func Digest(secret, nonce []byte) []byte {
	h := sha256.New()
	h.Write(secret)
	h.Write(nonce)
	return encoding.AppendEncode(nil, h.Sum(nil))
}

// CheckDigest says whether answer is the digest of one of the secrets. random
// are the bytes that AppendChallenge was given. No secrets at all means the
// empty one, and only that: then the digest of any other secret is refused.
//
// The time it takes depends on the number of secrets and their lengths, not on
// answer or on which of them fits.
func CheckDigest(secrets [][]byte, random, answer []byte) bool {
	nonce := encoding.AppendEncode(nil, random)
	if len(secrets) == 0 {
		secrets = [][]byte{nil}
	}
	fits := 0
	for _, s := range secrets {
		fits |= subtle.ConstantTimeCompare(Digest(s, nonce), answer)
	}
	return fits == 1
}

// ParseAnswer reads the client's line, which b begins with. answer is the
// digest and n how many bytes to consume, the rest being requests; n = 0 with
// ok: the line is not whole yet. !ok: this will be no digest, whatever follows.
// At most DigestBytes+1 bytes are ever looked at.
func ParseAnswer(b []byte) (answer []byte, n int, ok bool) {
	line := b[:min(len(b), DigestBytes+newlineBytes)]
	switch i := bytes.IndexByte(line, newline); {
	case i == DigestBytes:
		return b[:DigestBytes:DigestBytes], DigestBytes + newlineBytes, true
	case i < 0 && len(line) <= DigestBytes:
		return nil, 0, true
	}
	return nil, 0, false
}

// Challenge is the server's first line: one of its fields is set. Both alias
// the buffer they were parsed from.
type Challenge struct {
	Nonce      []byte // to be answered with Digest
	TurnedAway []byte // why the server will not serve: back off
}

// ParseChallenge reads the server's first line, which b begins with, as a
// client does: what follows the first space is the nonce, whatever it is, and a
// line without a space is a refusal. n = 0 with ok: the line is not whole yet.
// !ok: this server can't be talked to. The line is empty, does not end within
// LineMaxBytes, has no nonce, or wants another hash than SHA-256.
func ParseChallenge(b []byte, c *Challenge) (n int, ok bool) {
	line := b[:min(len(b), LineMaxBytes+newlineBytes)]
	end := bytes.IndexByte(line, newline)
	if end < 0 {
		return 0, len(line) <= LineMaxBytes
	}
	word, nonce, spaced := bytes.Cut(line[:end:end], []byte{' '})
	if !spaced {
		*c = Challenge{TurnedAway: word}
		return end + newlineBytes, len(word) > 0
	}
	*c = Challenge{Nonce: nonce}
	return end + newlineBytes, string(word) == algorithm && len(nonce) > 0
}
