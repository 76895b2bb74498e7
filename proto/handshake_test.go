package proto_test

import (
	"bytes"
	"strings"
	"testing"

	"ticketing/proto"
)

var (
	random = []byte("0123456789abcdefghijklmn") // as long as the server draws it
	secret = []byte("secret")
	other  = []byte("other")
)

// challenged is the nonce as a client finds it in the challenge.
func challenged(t *testing.T, random []byte) []byte {
	t.Helper()
	line := proto.AppendChallenge(nil, random)
	c := proto.Challenge{TurnedAway: random}
	n, ok := proto.ParseChallenge(line, &c)
	if n != len(line) || !ok || c.TurnedAway != nil {
		t.Fatalf("%q: n = %d, ok %v, %+v", line, n, ok, c)
	}
	return c.Nonce
}

func TestDigestIsThatOfThePublishedClients(t *testing.T) {
	for _, c := range []struct{ secret, nonce, want string }{
		{"secret", "aB3dEf_g", "WvDLEd0VIA9cVatiwxXYXRGMDSXw0ibHllLgAMBffdg"},
		{"", "", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"}, // SHA-256 of nothing
		{"abc", "", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"},
		{"", "abc", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"},
		{"a", "bc", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"},
	} {
		got := proto.Digest([]byte(c.secret), []byte(c.nonce))
		if string(got) != c.want || len(got) != proto.DigestBytes {
			t.Errorf("Digest(%q, %q) = %q, want %q", c.secret, c.nonce, got, c.want)
		}
	}
}

func TestWhoIsLetIn(t *testing.T) {
	var none [][]byte
	one, two := [][]byte{secret}, [][]byte{other, secret}
	nonce := challenged(t, random)
	cases := []struct {
		name    string
		secrets [][]byte
		answer  []byte
		want    bool
	}{
		{"no secret on either side", none, proto.Digest(nil, nonce), true},
		{"the only secret", one, proto.Digest(secret, nonce), true},
		{"the first of two", two, proto.Digest(other, nonce), true},
		{"the second of two", two, proto.Digest(secret, nonce), true},
		{"a secret, and the server has none", none, proto.Digest(secret, nonce), false},
		{"none, and the server has one", one, proto.Digest(nil, nonce), false},
		{"none, and the server has two", two, proto.Digest(nil, nonce), false},
		{"the wrong secret", one, proto.Digest(other, nonce), false},
		{"the beginning of the secret", one, proto.Digest(secret[:5], nonce), false},
		{"the digest for another nonce", one, proto.Digest(secret, challenged(t, random[1:])), false},
		{"the digest for the raw nonce", one, proto.Digest(secret, random), false},
		{"nothing", one, nil, false},
		{"nothing, and no secret", none, nil, false},
		{"cut short", one, proto.Digest(secret, nonce)[:42], false},
		{"too long", one, append(proto.Digest(secret, nonce), 'A'), false},
		{"in capitals", one, bytes.ToUpper(proto.Digest(secret, nonce)), false},
		{"the secret itself", one, secret, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := proto.CheckDigest(c.secrets, random, c.answer); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestEachCharacterOfTheDigestCounts(t *testing.T) {
	right := proto.Digest(secret, challenged(t, random))
	for i := range right {
		wrong := bytes.Clone(right)
		wrong[i] ^= 1
		if proto.CheckDigest([][]byte{secret}, random, wrong) {
			t.Errorf("character %d may be wrong", i)
		}
	}
}

func TestChallengeIsOneShortLine(t *testing.T) {
	for _, n := range []int{16, proto.NonceBytes, 32} {
		line := proto.AppendChallenge([]byte("before"), bytes.Repeat([]byte{0xfb}, n))
		text, found := strings.CutPrefix(string(line), "beforesha256 ")
		nonce, _ := strings.CutSuffix(text, "\n")
		if !found || len(nonce) != (n*4+2)/3 || strings.ContainsAny(nonce, "=+/ \r\n") || len(line) > 192 {
			t.Errorf("%d bytes: %q", n, line)
		}
	}
	mustPanic(t, func() { proto.AppendChallenge(nil, random[:15]) })
}

func TestTurnedAwayHasNoSpace(t *testing.T) {
	for _, r := range []proto.Reason{proto.TooManyConnections, proto.ShuttingDown} {
		line := proto.AppendTurnedAway(nil, r)
		c := proto.Challenge{Nonce: random}
		n, ok := proto.ParseChallenge(line, &c)
		if n != len(line) || !ok || string(c.TurnedAway) != string(r) || c.Nonce != nil {
			t.Errorf("%q: n = %d, ok %v, %+v", line, n, ok, c)
		}
	}
	for _, r := range []string{"", "too many", "a\n", strings.Repeat("k", 193)} {
		mustPanic(t, func() { proto.AppendTurnedAway(nil, proto.Reason(r)) })
	}
}

func TestFirstLineOfAServer(t *testing.T) {
	cases := []struct {
		name, line      string
		n               int
		ok              bool
		nonce, turnAway string
	}{
		{"challenge", "sha256 abc\n", 11, true, "abc", ""},
		{"nonce is all behind the first space", "sha256 a b=\r\n", 13, true, "a b=\r", ""},
		{"with the first frame behind it", "sha256 abc\n\nLx", 11, true, "abc", ""},
		{"turned away", "too_many_connections\n", 21, true, "", "too_many_connections"},
		{"not whole", "sha256 abc", 0, true, "", ""},
		{"nothing", "", 0, true, "", ""},
		{"192 bytes, not whole", strings.Repeat("k", 192), 0, true, "", ""},
		{"192 bytes", strings.Repeat("k", 192) + "\n", 193, true, "", strings.Repeat("k", 192)},
		{"193 bytes", strings.Repeat("k", 193), 0, false, "", ""},
		{"193 bytes, whole", strings.Repeat("k", 193) + "\n", 0, false, "", ""},
		{"empty", "\n", 1, false, "", ""},
		{"no algorithm", " abc\n", 5, false, "", ""},
		{"no nonce", "sha256 \n", 8, false, "", ""},
		{"another algorithm", "sha512 abc\n", 11, false, "", ""},
		{"another protocol", "HTTP/1.1 400 Bad Request\r\n", 26, false, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got proto.Challenge
			n, ok := proto.ParseChallenge([]byte(c.line), &got)
			if n != c.n || ok != c.ok {
				t.Errorf("n = %d, ok %v; want %d, %v", n, ok, c.n, c.ok)
			}
			if n > 0 && ok && (string(got.Nonce) != c.nonce || string(got.TurnedAway) != c.turnAway) {
				t.Errorf("got %q, %q", got.Nonce, got.TurnedAway)
			}
		})
	}
}

func TestAnswerIsExactly43CharactersAndANewline(t *testing.T) {
	digest := strings.Repeat("d", 43)
	cases := []struct {
		name, line string
		n          int
		ok         bool
	}{
		{"whole", digest + "\n", 44, true},
		{"requests in the same segment", digest + "\nR........k\n\n", 44, true},
		{"nothing", "", 0, true},
		{"not whole", digest[:42], 0, true},
		{"newline missing", digest, 0, true},
		{"a character too many", digest + "d", 0, false},
		{"a character too many, whole", digest + "d\n", 0, false},
		{"a carriage return", digest + "\r\n", 0, false},
		{"a character too few", digest[:42] + "\n", 0, false},
		{"a character too few, and more", digest[:42] + "\n\n", 0, false},
		{"empty", "\n", 0, false},
		{"no newline ever", strings.Repeat("d", 1<<20), 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			answer, n, ok := proto.ParseAnswer([]byte(c.line))
			if n != c.n || ok != c.ok || (n > 0) != (string(answer) == digest) {
				t.Errorf("n = %d, ok %v, answer %q", n, ok, answer)
			}
		})
	}
}

func TestNonceCannotGrowIntoTheRepliesBehindIt(t *testing.T) {
	for _, line := range []string{"sha256 abc\nLx\n", "busy\nLx\n"} {
		segment := []byte(line)
		var c proto.Challenge
		proto.ParseChallenge(segment, &c)
		_ = append(append(c.Nonce, c.TurnedAway...), "XX"...)
		_ = append(c.TurnedAway, "XX"...)
		equalBytes(t, segment, []byte(line))
	}
}

func TestAnswerCannotGrowIntoTheRequestsBehindIt(t *testing.T) {
	segment := append([]byte(strings.Repeat("d", 43)+"\n"), proto.AppendRelease(nil, 1, k)...)
	answer, n, _ := proto.ParseAnswer(segment)
	_ = append(answer, "XX"...)
	if got := parseAll(segment[n:]); len(got) != 1 || got[0].Token != 1 || segment[n-1] != '\n' {
		t.Errorf("written over: %q", segment)
	}
}
