package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// large is the path of the weights on the second host.
func (h *fakeHub) large() string { return "/" + h.mini().files[weightsFile].sha256() }

// cut sends n bytes of the requested range of the weights and then breaks the
// connection.
func (h *fakeHub) cut(w http.ResponseWriter, r *http.Request, bytes int) {
	content := h.mini().files[weightsFile].content
	at := 0
	if span, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		at, _ = strconv.Atoi(strings.TrimSuffix(span, "-"))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, len(content)-1, len(content)))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)-at))
	if at > 0 {
		w.WriteHeader(http.StatusPartialContent)
	}
	_, _ = w.Write(content[at:min(at+bytes, len(content))])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func TestBrokenConnectionIsResumed(t *testing.T) {
	h := newMini(t)
	const piece = 300_000
	h.answer(h.large(), 4, func(w http.ResponseWriter, r *http.Request) { h.cut(w, r, piece) })
	checkIntact(t, pull(t, newPuller(t, h), mini, ""))
	requests := h.requests(h.large())
	if len(requests) != 5 {
		t.Errorf("got %d requests, want 5", len(requests))
	}
	for i, a := range requests {
		if want := fmt.Sprintf("bytes=%d-", i*piece); i > 0 && a.span != want {
			t.Errorf("request %d: got range %q, want %q", i, a.span, want)
		}
	}
}

func TestPullResumesInterruptedDownload(t *testing.T) {
	h := newMini(t)
	h.answer(h.large(), 1, func(w http.ResponseWriter, r *http.Request) { h.cut(w, r, 1_000_000) })
	p := newPuller(t, h)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	var seen atomic.Int64
	p.Watch.Bytes = func(n int64) {
		if seen.Add(n) >= 1_000_000 {
			cancel(stop)
		}
	}
	n, _ := Resolve(mini)
	if _, err := p.Pull(ctx, n, ""); !errors.Is(err, stop) {
		t.Errorf("got error %v, want %v", err, stop)
	}
	if _, err := os.Stat(p.Store.modelDir(Name{Repo: h.mini().name()}, firstCommit)); err == nil {
		t.Error("model directory exists before the download is complete")
	}
	p.Watch.Bytes = nil
	pull(t, p, mini, "")
	if all := h.requests(h.large()); len(all) != 2 || all[1].span != "bytes=1000000-" {
		t.Errorf("got requests %+v, want two, the second for a range", all)
	}
}

func (*fakeRepo) name() string { return "sentence-transformers/all-MiniLM-L6-v2" }

func TestPartIsDiscardedIfTheServerDoesNotContinueIt(t *testing.T) {
	h := newMini(t)
	content := h.mini().files[weightsFile].content
	for name, second := range map[string]http.HandlerFunc{
		"full response": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) },
		"wrong range": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 5-3145727/3145728")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(content[5:])
		},
		"range not satisfiable": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newMini(t)
			h.fault = func(n int, w http.ResponseWriter, r *http.Request) bool {
				switch {
				case r.URL.Path == h.large() && n == 1:
					h.cut(w, r, 1_000_000)
				case r.URL.Path == h.large() && n == 2:
					second(w, r)
				default:
					return false
				}
				return true
			}
			var seen atomicSum
			p := newPuller(t, h)
			p.Watch.Bytes = seen.add
			m := pull(t, p, mini, "")
			checkIntact(t, m)
			if seen.n.Load() != m.Size() {
				t.Errorf("got %d bytes reported, want %d", seen.n.Load(), m.Size())
			}
			if all := h.requests(h.large()); all[len(all)-1].span != "" && name != "full response" {
				t.Errorf("got requests %+v, want the whole file last", all)
			}
		})
	}
}

// A file that does not match is removed, so that the next run downloads it again.
func TestMismatchedFileIsNotInstalled(t *testing.T) {
	for name, tt := range map[string]struct {
		part   []byte // of an earlier run
		answer http.HandlerFunc
		want   string
	}{
		"other content":      {nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 3<<20)) }, "model.safetensors: SHA-256 is "},
		"damaged part":       {make([]byte, 2<<20), nil, "model.safetensors: SHA-256 is "},
		"damaged whole part": {make([]byte, 3<<20), nil, "model.safetensors: SHA-256 is "},
		"too long part":      {make([]byte, 4<<20), nil, "model.safetensors: SHA-256 is "},
		"endless": {nil, func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}, "model.safetensors: SHA-256 is "},
		"page of a proxy": {nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1000)) }, "model.safetensors: server sent 1000 bytes, want 3145728"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newMini(t)
			if tt.answer != nil {
				h.answer(h.large(), 0, tt.answer)
			}
			p := newPuller(t, h)
			p.Retries = 0
			part := p.Store.blob(remoteFile{Repo: h.mini().name(), Hash: h.mini().files[weightsFile].sha256()}) + incompleteSuffix
			if tt.part != nil {
				if err := errors.Join(os.MkdirAll(filepath.Dir(part), 0o700), os.WriteFile(part, tt.part, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			err := failToPull(t, p, mini)
			if _, ok := errors.AsType[*MismatchError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
			if info, err := os.Stat(part); err == nil && info.Size() > 0 {
				t.Errorf("%s still exists with %d bytes", part, info.Size())
			}
			h.mu.Lock()
			h.fault = nil
			h.mu.Unlock()
			checkIntact(t, pull(t, p, mini, ""))
		})
	}
}

func TestWeightsOfUnusableModelAreNotDownloaded(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	p.CheckConfig = func(config []byte, sentence bool) error {
		if string(config) != `{"model_type":"bert"}` || !sentence {
			t.Errorf("got config %s, sentence encoder %t; want that of the hub, true", config, sentence)
		}
		return errors.New("unsupported")
	}
	for range 2 { // the second finds the configuration
		if err := failToPull(t, p, mini); err.Error() != h.mini().name()+": unsupported" {
			t.Errorf("got error %v, want that of CheckConfig", err)
		}
		if files := filesUnder(t, p.Store.Dir); len(files) != 1 || len(h.requests("/resolve/")) != 1 {
			t.Errorf("got files %v, requests %+v; want the configuration alone", files, h.requests("/resolve/"))
		}
	}
}
