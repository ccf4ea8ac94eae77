package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// providers is a fake of all model servers: a proxy that leads to one server whatever the
// host, and that server without the proxy for servers on this machine. The proxy requires
// a password.
type providers struct {
	env   []string // lets a process use the proxy and trust the server
	local string   // address for servers on this machine

	mu    sync.Mutex
	chats []providerRequest
}

// A providerRequest is a chat request as it was received.
type providerRequest struct {
	host, path string // path with query
	header     http.Header
	body       map[string]any
}

const docsServersPage = "docs/servers.md"

const proxyPassword = "pass-w0rd/of:proxy@1"

func newProviders(t *testing.T) *providers {
	t.Helper()
	p := &providers{}
	backend := &testServer{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			body, err := io.ReadAll(r.Body)
			q := providerRequest{host: r.Host, path: r.URL.RequestURI(), header: r.Header}
			if err = errors.Join(err, json.Unmarshal(body, &q.body)); err != nil {
				t.Error(err)
			}
			p.mu.Lock()
			p.chats = append(p.chats, q)
			p.mu.Unlock()
			r.Body = io.NopCloser(bytes.NewReader(body))
			backend.answer(w, r)
			return
		}
		reply := map[string]string{
			"/ollama/v1/models":                     `{"data":[{"id":"qwen3:4b"},{"id":"llama3.2:3b"}]}`,
			"/ollama/api/ps":                        `{"models":[{"name":"qwen3:4b","context_length":16384}]}`,
			"/llamacpp/v1/models":                   `{"data":[{"id":"model.gguf"}]}`,
			"/lmstudio/v1/models":                   `{"data":[{"id":"qwen/qwen3-4b"}]}`,
			"/lmstudio/api/v0/models/qwen/qwen3-4b": `{"state":"loaded","loaded_context_length":16384}`,
			"/vllm/v1/models":                       `{"data":[{"id":"Qwen/Qwen3-4B","max_model_len":32768}]}`,
		}[r.URL.Path]
		if reply == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, reply)
	})
	plain := httptest.NewServer(handler)
	t.Cleanup(plain.Close)
	p.local = plain.URL
	authority, secure := newTestAuthority(t)
	server := httptest.NewUnstartedServer(handler)
	server.TLS = secure
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	server.StartTLS()
	t.Cleanup(server.Close)
	proxy := httptest.NewServer(connectProxy("me", proxyPassword, server.Listener.Addr().String()))
	t.Cleanup(proxy.Close)
	file := tempFile(t, "ca.pem", authority)
	address := strings.Replace(proxy.URL, "http://", "http://me:pass-w0rd%2Fof%3Aproxy%401@", 1)
	p.env = []string{"HTTPS_PROXY=" + address, "NO_PROXY=localhost,127.0.0.1", "SSL_CERT_FILE=" + file}
	for _, name := range []string{"OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "OPENROUTER_API_KEY", "LITELLM_KEY"} {
		p.env = append(p.env, name+"=secret of "+name)
	}
	return p
}

// connectProxy returns an HTTP proxy that requires a password and connects to target.
func connectProxy(user, password, target string) http.Handler {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != want {
			w.WriteHeader(http.StatusProxyAuthRequired)
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
	})
}

// newTestAuthority returns a certificate authority in PEM, and a configuration with
// certificates of it for any host.
func newTestAuthority(t *testing.T) (string, *tls.Config) {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := must(x509.CreateCertificate(rand.Reader, authority, authority, &key.PublicKey, key))
	config := &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		leaf := &x509.Certificate{
			SerialNumber: big.NewInt(2), NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
			DNSNames: []string{hello.ServerName}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		der, err := x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, key)
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
	}}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), config
}

// requests returns the chat requests so far.
func (p *providers) requests() []providerRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.chats)
}

// redirect makes a script send requests for servers on this machine to p, each below a
// path of its name.
func (p *providers) redirect(script string) string {
	script = strings.ReplaceAll(script, "http://localhost:4000", p.local)
	return regexp.MustCompile(`--judge (ollama|lmstudio|llamacpp|vllm)\S*`).ReplaceAllString(script, "$0 --base-url "+p.local+"/$1/v1")
}

// TestDocsServersSendWhatProvidersExpect runs each block of docs/servers.md, and compares
// address, key and body of the requests with the reference of the provider.
func TestDocsServersSendWhatProvidersExpect(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("SSL_CERT_FILE has no effect")
	}
	const azure, chat = "RESOURCE.openai.azure.com", "/v1/chat/completions"
	want := map[string]struct{ url, authorization, apiKey, model, extra string }{
		"OpenAI":                     {"api.openai.com" + chat, "Bearer secret of OPENAI_API_KEY", "", "gpt-4o-mini", ""},
		"Azure OpenAI with a key":    {azure + "/openai/deployments/DEPLOYMENT/chat/completions?api-version=2024-10-21", "", "secret of AZURE_OPENAI_API_KEY", "DEPLOYMENT", ""},
		"Azure OpenAI with Entra ID": {azure + "/openai" + chat, "Bearer token of az", "", "DEPLOYMENT", ""},
		"Anthropic":                  {"api.anthropic.com" + chat, "Bearer secret of ANTHROPIC_API_KEY", "", "claude-haiku-4-5", ""},
		"Gemini":                     {"generativelanguage.googleapis.com/v1beta/openai/chat/completions", "Bearer secret of GEMINI_API_KEY", "", "gemini-2.5-flash", ""},
		"Amazon Bedrock":             {"bedrock-runtime.us-west-2.amazonaws.com/openai" + chat, "Bearer secret of AWS_BEARER_TOKEN_BEDROCK", "", "openai.gpt-oss-20b-1:0", ""},
		"Vertex AI":                  {"us-central1-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-central1/endpoints/openapi/chat/completions", "Bearer token of gcloud", "", "google/gemini-2.5-flash", ""},
		"OpenRouter":                 {"openrouter.ai/api" + chat, "Bearer secret of OPENROUTER_API_KEY", "", "meta-llama/llama-3.3-70b-instruct", `{"provider":{"require_parameters":true}}`},
		"LiteLLM":                    {"LOCAL" + chat, "Bearer secret of LITELLM_KEY", "", "MODEL", ""},
		"Ollama":                     {"LOCAL/ollama" + chat, "", "", "qwen3:4b", ""},
		"llama.cpp":                  {"LOCAL/llamacpp" + chat, "", "", "model.gguf", ""},
		"LM Studio":                  {"LOCAL/lmstudio" + chat, "", "", "qwen/qwen3-4b", ""},
		"vLLM":                       {"LOCAL/vllm" + chat, "", "", "Qwen/Qwen3-4B", `{"chat_template_kwargs":{"enable_thinking":false}}`},
	}
	const page = docsServersPage
	lines := strings.Split(readFile(t, filepath.Join(docsRoot, page)), "\n")
	for _, b := range docsBlocks(t, page) {
		heading := ""
		for _, line := range slices.Backward(lines[:b.line]) {
			if text := strings.TrimLeft(line, "#"); text != line {
				heading = strings.TrimSpace(text)
				break
			}
		}
		expected, ok := want[heading]
		delete(want, heading)
		if !ok || !b.has("providers") {
			t.Errorf("%s: got heading %q, want a known one, each with one block that has the word providers", b, heading)
			continue
		}
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			r := newDocsRunner(t)
			r.runBlock(t, b)
			if r.providers == nil || len(r.providers.requests()) == 0 {
				t.Fatal("got no request")
			}
			local := strings.TrimPrefix(r.providers.local, "http://")
			for _, q := range r.providers.requests() {
				if got, want := q.host+q.path, strings.Replace(expected.url, "LOCAL", local, 1); !strings.EqualFold(got, want) {
					t.Errorf("got address %s, want %s", got, want)
				}
				if got := q.header.Get("Authorization"); got != expected.authorization {
					t.Errorf("got Authorization %q, want %q", got, expected.authorization)
				}
				if got := q.header.Get("Api-Key"); got != expected.apiKey {
					t.Errorf("got api-key %q, want %q", got, expected.apiKey)
				}
				if q.body["model"] != expected.model || q.body["messages"] == nil || q.body["response_format"] == nil {
					t.Errorf("got body %v, want messages for %s with a schema", q.body, expected.model)
				}
				var extra map[string]any
				_ = json.Unmarshal([]byte(expected.extra), &extra) // empty if there is none
				for name, value := range extra {
					got, _ := json.Marshal(q.body[name])
					if want, _ := json.Marshal(value); !bytes.Equal(got, want) {
						t.Errorf("got %s %s, want %s", name, got, want)
					}
				}
			}
		})
	}
	for heading := range want {
		t.Errorf("%s: no block", heading)
	}
}
