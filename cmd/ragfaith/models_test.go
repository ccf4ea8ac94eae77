package main

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// hubCommit is the commit of every repository on a testHub.
const hubCommit = "0123456789abcdef0123456789abcdef01234567"

// A testHub is a fake Hugging Face hub. It serves weights from a second host, which
// rejects requests that carry a token.
type testHub struct {
	hub, store *httptest.Server
	token      string        // required token, or "" if the hub is public
	corrupt    string        // file to corrupt
	truncate   bool          // truncate the first transfer of weights
	released   chan struct{} // if not nil, files are sent after it is closed
	requested  chan struct{} // receives when the first file is requested

	// files returns the contents of a repository by file name, or nil if it does not
	// exist.
	files func(repo string) map[string]string

	transfers, resolved atomic.Int64
}

const testHubToken = "hf_0123456789"

// hubFiles returns the default files of a repository.
func hubFiles(repo string) map[string]string {
	files := map[string]string{
		"config.json": `{"model_type":"bert","architectures":["BertForSequenceClassification"]}`, "tokenizer.json": `{"version":"1.0"}`, "README.md": "# it",
		"model.safetensors": strings.Repeat("weights of "+repo+"\n", 5000),
	}
	switch repo {
	case "sentence-transformers/all-MiniLM-L6-v2", "org/plain":
		return files
	case "org/chat", "lytang/MiniCheck-Flan-T5-Large", "google/flan-t5-base":
		files["config.json"] = `{"model_type":"t5","architectures":["T5ForConditionalGeneration"]}`
		if repo == "org/chat" {
			files["config.json"] = `{"model_type":"llama","architectures":["LlamaForCausalLM"]}`
		}
		return files
	case "org/torch", "org/onnx":
		files[map[string]string{"org/torch": "pytorch_model.bin", "org/onnx": "model.onnx"}[repo]] = files["model.safetensors"]
		delete(files, "model.safetensors")
		return files
	}
	return nil
}

// gitHash returns git's hash of a file.
func gitHash(content string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content)))
}

func sha256Hex(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }

// newTestHub starts a hub configured by set.
func newTestHub(set func(h *testHub)) *testHub {
	h := &testHub{requested: make(chan struct{}, 1), files: hubFiles}
	set(h)
	h.store = httptest.NewServer(http.HandlerFunc(h.serveWeights)) // started first, because the hub redirects to it
	h.hub = httptest.NewServer(http.HandlerFunc(h.answer))
	return h
}

func (h *testHub) close() {
	h.hub.Close()
	h.store.Close()
}

func (h *testHub) answer(w http.ResponseWriter, r *http.Request) {
	if h.token != "" && r.Header.Get("Authorization") != "Bearer "+h.token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 5)
	if len(parts) < 5 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if parts[0] == "api" {
		files := h.files(parts[2] + "/" + parts[3])
		var siblings []any
		for name, content := range files {
			s := map[string]any{"type": "file", "path": name, "rfilename": name, "size": len(content), "oid": gitHash(content), "blobId": gitHash(content)}
			if name == "model.safetensors" {
				s["lfs"] = map[string]any{"sha256": sha256Hex(content), "oid": sha256Hex(content), "size": len(content), "pointerSize": 135}
			}
			siblings = append(siblings, s)
		}
		switch {
		case files != nil && parts[4] == "revision/main":
			_ = json.NewEncoder(w).Encode(map[string]any{"id": parts[2] + "/" + parts[3], "sha": hubCommit, "siblings": siblings})
		case files != nil && parts[4] == "tree/"+hubCommit: // only Python asks for it
			_ = json.NewEncoder(w).Encode(siblings)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
		return
	}
	if h.resolved.Add(1) == 1 {
		h.requested <- struct{}{}
	}
	repo, name := parts[0]+"/"+parts[1], parts[4]
	if h.released != nil {
		<-h.released
	}
	w.Header().Set("X-Repo-Commit", hubCommit)
	if name == "model.safetensors" {
		content := h.files(repo)[name]
		w.Header().Set("X-Linked-Etag", `"`+sha256Hex(content)+`"`)
		w.Header().Set("X-Linked-Size", strconv.Itoa(len(content)))
		http.Redirect(w, r, h.store.URL+"/"+repo+"?signature=hidden", http.StatusFound)
		return
	}
	h.send(w, r, name, h.files(repo)[name])
}

// serveWeights handles requests to the second host.
func (h *testHub) serveWeights(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		w.WriteHeader(http.StatusBadRequest) // like real storage hosts
		return
	}
	content := h.files(strings.TrimPrefix(r.URL.Path, "/"))["model.safetensors"]
	if h.truncate && h.transfers.Add(1) == 1 {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write([]byte(content[:len(content)/2]))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	h.send(w, r, "model.safetensors", content)
}

func (h *testHub) send(w http.ResponseWriter, r *http.Request, name, content string) {
	if name == h.corrupt {
		content = strings.ToUpper(content)
	}
	w.Header().Set("ETag", `"`+gitHash(content)+`"`)
	http.ServeContent(w, r, name, time.Time{}, strings.NewReader(content))
}

// startHub implements the script command "hub [private] [cut] [wrong=FILE]". It starts
// a hub for the duration of the script and sets HF_ENDPOINT.
func startHub(ts *testscript.TestScript, _ bool, args []string) {
	h := newTestHub(func(h *testHub) {
		for _, a := range args {
			switch {
			case a == "private":
				h.token = testHubToken
			case a == "cut":
				h.truncate = true
			case strings.HasPrefix(a, "wrong="):
				h.corrupt = strings.TrimPrefix(a, "wrong=")
			default:
				ts.Fatalf("unknown %s", a)
			}
		}
	})
	ts.Setenv("HF_ENDPOINT", h.hub.URL)
	ts.Defer(h.close)
}
