package llm

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newAuthProxy starts an HTTP proxy that requires a user and password. It sends all
// requests to target.
func newAuthProxy(t *testing.T, user, password, target string) *url.URL {
	t.Helper()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != want {
			w.Header().Set("Proxy-Authenticate", "Basic")
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method != http.MethodConnect {
			writeReply(w, validReply, "stop")
			return
		}
		server, err := (&net.Dialer{}).DialContext(context.WithoutCancel(r.Context()), "tcp", target)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		client, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			_ = server.Close()
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}))
	t.Cleanup(proxy.Close)
	u := must(url.Parse(proxy.URL))
	return u
}

func TestProxyWithPassword(t *testing.T) {
	const user, password = "corp\\me", "p@ss:w0rd-of-proxy"
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("the server received the password of the proxy")
		}
		writeReply(w, validReply, "stop")
	}))
	defer srv.Close()
	proxy := newAuthProxy(t, user, password, srv.Listener.Addr().String())
	for _, tt := range []struct {
		base string
		user *url.Userinfo
		want string // in the error; "" for none
	}{
		{"https://example.com/v1", url.UserPassword(user, password), ""},
		{"http://example.com/v1", url.UserPassword(user, password), ""},
		{"https://example.com/v1", url.UserPassword(user, "wrong-p@ss:w0rd"), "the proxy requires a valid user and password (407)"},
		{"https://example.com/v1", nil, "the proxy requires a valid user and password (407)"},
		{"http://example.com/v1", url.UserPassword(user, "wrong-p@ss:w0rd"), "the proxy requires a valid user and password (407)"},
	} {
		s := newStack(t, Options{Client: Config{BaseURL: tt.base}, Retries: 3})
		at := *proxy
		at.User = tt.user
		tr := s.Client.wire.http.Transport.(*http.Transport)
		tr.Proxy, tr.TLSClientConfig = http.ProxyURL(&at), srv.Client().Transport.(*http.Transport).TLSClientConfig
		reply, err := s.Complete(t.Context(), newRequest(verdicts()))
		switch {
		case tt.want == "" && (err != nil || string(reply.JSON) != validReply):
			t.Errorf("%s: got %v, %v; want a reply", tt.base, reply, err)
		case tt.want != "" && (!IsFatal(err) || UsageOf(err).Requests > 1 || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "w0rd")):
			t.Errorf("%s: got error %v after %d requests, want %q, fatal, without the password", tt.base, err, UsageOf(err).Requests, tt.want)
		}
	}
}

// newCertificate returns a self-signed client certificate and its key in PEM.
func newCertificate(t *testing.T) (cert, key string, parsed *x509.Certificate) {
	t.Helper()
	private := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	pkcs8, err2 := x509.MarshalPKCS8PrivateKey(private)
	parsed, err3 := x509.ParseCertificate(der)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", pkcs8), parsed
}

func TestReadClientCert(t *testing.T) {
	cert, key, _ := newCertificate(t)
	_, otherKey, _ := newCertificate(t)
	path := filepath.Join(t.TempDir(), "client.pem")
	for _, tt := range []struct{ name, text, want string }{
		{"certificate first", cert + key, ""},
		{"key first", key + cert, ""},
		{"empty", "", "not a PEM file with a certificate and its private key"},
		{"no key", cert, "contains no private key; append it to the certificate"},
		{"no certificate", key, "contains no certificate"},
		{"another key", cert + otherKey, "private key does not match public key"},
		{"encrypted", cert + strings.ReplaceAll(key, "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"), "the private key is encrypted; decrypt it"},
		{"old encryption", cert + "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n", "the private key is encrypted; decrypt it"},
	} {
		writeFile(t, path, tt.text)
		_, err := ReadClientCert(path)
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), path+": ") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q after the file name", tt.name, err, tt.want)
		}
	}
	if _, err := ReadClientCert(path + "x"); err == nil || err.Error() != path+"x: no such file or directory" {
		t.Errorf("got error %v, want one about a missing file", err)
	}
}

func TestClientCertificate(t *testing.T) {
	certPEM, key, parsed := newCertificate(t)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeReply(w, validReply, "stop") }))
	clients := x509.NewCertPool()
	clients.AddCert(parsed)
	srv.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	srv.StartTLS()
	defer srv.Close()
	path := filepath.Join(t.TempDir(), "client.pem")
	writeFile(t, path, certPEM+key)
	cert := must(ReadClientCert(path))
	other, otherKey, _ := newCertificate(t)
	stranger := must(tls.X509KeyPair([]byte(other), []byte(otherKey)))
	for name, certificate := range map[string]*tls.Certificate{"its": cert, "none": nil, "another": &stranger} {
		c := newTestClient(t, Config{BaseURL: srv.URL, Certificate: certificate})
		tr := c.wire.http.Transport.(*http.Transport)
		if tr.TLSClientConfig == nil {
			tr.TLSClientConfig = &tls.Config{}
		}
		tr.TLSClientConfig.RootCAs = srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		_, err := c.Complete(t.Context(), newRequest(verdicts()))
		if name == "its" {
			if err != nil {
				t.Errorf("got error %v, want none", err)
			}
			continue
		}
		if e := mustAs[*NetworkError](t, err); !e.Permanent || !strings.Contains(e.Error(), "the server requires a client certificate that it trusts (--client-cert)") {
			t.Errorf("%s: got %v, want a permanent error about the client certificate", name, e)
		}
	}
}
