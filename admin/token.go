package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// guarded lets through whoever names one of the tokens; everybody, if there
// are none.
func guarded(tokens [][]byte, next http.Handler) http.Handler {
	if len(tokens) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !bears(r, tokens) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the admin token is missing or wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// bears compares hashes, so that time tells neither content nor length.
func bears(r *http.Request, tokens [][]byte) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return false
	}
	hash := sha256.Sum256([]byte(given))
	fits := 0
	for _, t := range tokens {
		want := sha256.Sum256(t)
		fits |= subtle.ConstantTimeCompare(hash[:], want[:])
	}
	return fits == 1
}
