package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// certificate makes a key and a certificate for 127.0.0.1, as files.
func certificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})))
	pool = x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(cert)
	return certFile, keyFile, pool
}

// Interface: --listen-tls, beside --listen, with a secret.
func TestClientsByTLS(t *testing.T) {
	certFile, keyFile, pool := certificate(t)
	secrets := filepath.Join(t.TempDir(), "secrets")
	write(t, secrets, "old\nnew\n")
	s := serve(t, "--memory", "--auth-token-file", secrets,
		"--listen-tls", "127.0.0.1:0", "--tls-cert", certFile, "--tls-key", keyFile)
	nc, err := tls.Dial("tcp", s.tls, &tls.Config{RootCAs: pool})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	secure, err := handshake(nc, "new")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := dial(s.addr, "old")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	ask := must(t)
	got := ask(secure.ask(acquire(0, 60, 1, "k")))
	if got.op != 'A' {
		t.Fatalf("got %+v", got)
	}
	if other := ask(plain.ask(release(got.token, "k"))); other.op != 'R' {
		t.Fatalf("got %+v", other)
	}
	s.stop()
}
