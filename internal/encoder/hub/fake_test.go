package hub

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testToken = "hf_secret0123456789"

var (
	firstCommit  = strings.Repeat("1", sha1Digits)
	secondCommit = strings.Repeat("2", sha1Digits)
)

type fakeFile struct {
	content []byte
	large   bool // stored on the second host, like LFS files
}

func (f fakeFile) sha256() string {
	sum := sha256.Sum256(f.content)
	return hex.EncodeToString(sum[:])
}

func (f fakeFile) blob() string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(f.content), f.content))
	return hex.EncodeToString(sum[:])
}

// hash returns the hash that names the content in a store.
func (f fakeFile) hash() string {
	if f.large {
		return f.sha256()
	}
	return f.blob()
}

type fakeRepo struct {
	commit string
	files  map[string]fakeFile
}

// A request records a request to a fakeHub.
type request struct {
	store         bool // received by the host for large files
	path          string
	authorization string
	span          string
}

// A fakeHub serves repositories like a hub, large files from a second host.
type fakeHub struct {
	*httptest.Server
	store *httptest.Server
	token string // required token, if any
	repos map[string]*fakeRepo
	// fault, if set, is called for each request and reports whether it handled it.
	// n is the number of requests for the same path so far, starting at 1.
	fault func(n int, w http.ResponseWriter, r *http.Request) bool
	// editListing, if set, modifies the listing of a repository.
	editListing func(l map[string]any)

	mu    sync.Mutex
	log   []*request
	count map[string]int
}

func newFakeHub(t *testing.T) *fakeHub {
	h := &fakeHub{repos: make(map[string]*fakeRepo), count: make(map[string]int)}
	h.Server = httptest.NewServer(h.logRequests(false, h.serveHub))
	h.store = httptest.NewServer(h.logRequests(true, h.serveLarge))
	t.Cleanup(h.Close)
	t.Cleanup(h.store.Close)
	return h
}

func (h *fakeHub) logRequests(store bool, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := &request{store: store, path: r.URL.EscapedPath(), authorization: r.Header.Get("Authorization"), span: r.Header.Get("Range")}
		h.mu.Lock()
		h.log = append(h.log, a)
		h.count[a.path]++
		n, fault := h.count[a.path], h.fault
		h.mu.Unlock()
		if fault == nil || !fault(n, w, r) {
			next(w, r)
		}
	}
}

// answer answers the first requests of each path that contains part with reply; times 0
// means all.
func (h *fakeHub) answer(part string, times int, reply http.HandlerFunc) {
	h.fault = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, part) || times > 0 && n > times {
			return false
		}
		reply(w, r)
		return true
	}
}

// serveHub serves everything except large files.
func (h *fakeHub) serveHub(w http.ResponseWriter, r *http.Request) {
	if h.token != "" && r.Header.Get("Authorization") != "Bearer "+h.token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	elements := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case len(elements) >= 6 && elements[0] == "api" && elements[4] == "revision":
		repo := h.repos[elements[2]+"/"+elements[3]]
		revision := strings.Join(elements[5:], "/")
		if repo == nil || revision != "main" && revision != repo.commit && revision != "refs/pr/1" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		h.serveListing(w, repo)
	case len(elements) >= 5 && elements[2] == "resolve":
		repo := h.repos[elements[0]+"/"+elements[1]]
		name := strings.Join(elements[4:], "/")
		if repo == nil || elements[3] != repo.commit || repo.files[name].content == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		f := repo.files[name]
		if !f.large {
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.content))
			return
		}
		http.Redirect(w, r, h.store.URL+"/"+f.sha256()+"?signature=opens-it", http.StatusFound)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (h *fakeHub) serveListing(w http.ResponseWriter, repo *fakeRepo) {
	siblings := []any{}
	for name, f := range repo.files {
		s := map[string]any{"rfilename": name, "size": len(f.content), "blobId": f.blob()}
		if f.large {
			s["blobId"] = strings.Repeat("0", sha1Digits) // hash of the LFS pointer
			s["lfs"] = map[string]any{"sha256": f.sha256(), "size": len(f.content), "pointerSize": 135}
		}
		siblings = append(siblings, s)
	}
	l := map[string]any{"id": "it", "sha": repo.commit, "siblings": siblings}
	if h.editListing != nil {
		h.editListing(l)
	}
	_ = json.NewEncoder(w).Encode(l)
}

// serveLarge serves large files.
func (h *fakeHub) serveLarge(w http.ResponseWriter, r *http.Request) {
	for _, repo := range h.repos {
		for name, f := range repo.files {
			if r.URL.Path == "/"+f.sha256() {
				http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.content))
				return
			}
		}
	}
	w.WriteHeader(http.StatusNotFound)
}

// requests returns the requests whose path contains substr.
func (h *fakeHub) requests(substr string) []request {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []request
	for _, a := range h.log {
		if strings.Contains(a.path, substr) {
			all = append(all, *a)
		}
	}
	return all
}

// weights returns n pseudo-random bytes.
func weights(n int) []byte {
	content := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)}).Read(content)
	return content
}

// A fakeClock returns immediately from sleeping, which it records in waits, except for
// polling a lock.
type fakeClock struct {
	mu     sync.Mutex
	waits  []time.Duration
	onPoll func() // optional, called while a lock is polled
}

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	if d == lockPoll {
		if c.onPoll != nil {
			c.onPoll()
		}
		t := time.NewTimer(time.Millisecond)
		defer t.Stop()
		<-t.C
		return ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = append(c.waits, d)
	return ctx.Err()
}

// mini is the short name of the model that most tests download.
const mini = "minilm-l6"

const weightsFile = "model.safetensors"

// newMini returns a hub with the first commit of mini.
func newMini(t *testing.T) *fakeHub {
	h := newFakeHub(t)
	h.repos["sentence-transformers/all-MiniLM-L6-v2"] = &fakeRepo{firstCommit, map[string]fakeFile{
		"config.json":           {content: []byte(`{"model_type":"bert"}`)},
		"tokenizer.json":        {content: []byte(`{"version":"1.0"}`)},
		"tokenizer_config.json": {content: []byte(`{}`)},
		"modules.json":          {content: []byte(`[]`)},
		"1_Pooling/config.json": {content: []byte(`{"pooling_mode_mean_tokens":true}`)},
		"model.safetensors":     {content: weights(3 << 20), large: true},
		"README.md":             {content: []byte("# read me")},
		"pytorch_model.bin":     {content: weights(999), large: true},
		"onnx/model.onnx":       {content: weights(998), large: true},
	}}
	return h
}

func (h *fakeHub) mini() *fakeRepo { return h.repos["sentence-transformers/all-MiniLM-L6-v2"] }

// newPuller returns a puller with an empty store.
func newPuller(t *testing.T, h *fakeHub) *Puller {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &Puller{
		Store: Store{Dir: t.TempDir()}, Endpoint: h.URL, HTTP: &http.Client{Transport: transport},
		Clock: &fakeClock{}, Stall: DefaultStall, Retries: 5,
	}
}

// pull downloads a model.
func pull(t *testing.T, p *Puller, name, revision string) *Model {
	t.Helper()
	n, err := Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Pull(t.Context(), n, revision)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lookup returns a model on disk.
func lookup(t *testing.T, p *Puller, name string) *Model {
	t.Helper()
	n, err := Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Store.Lookup(n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// failToPull downloads a model, which must fail, and returns the error.
func failToPull(t *testing.T, p *Puller, name string) error {
	t.Helper()
	n, err := Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Pull(t.Context(), n, "")
	if err == nil {
		t.Fatalf("got model %v, want an error", m)
	}
	if dir, findErr := p.Store.Find(name); findErr == nil {
		t.Errorf("Find after a failed pull: got %s, want an error", dir)
	}
	return err
}

// checkIntact checks that all files of a model match their checksums.
func checkIntact(t *testing.T, m *Model) {
	t.Helper()
	if mismatches, err := m.Verify(t.Context()); err != nil || mismatches != nil {
		t.Errorf("got mismatches %v, error %v; want none", mismatches, err)
	}
}
