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
	var sent int64
	for i, a := range h.requests(h.large()) {
		span := ""
		if i > 0 {
			span = fmt.Sprintf("bytes=%d-", i*piece)
		}
		if a.span != span {
			t.Errorf("request %d: got range %q, want %q", i, a.span, span)
		}
		sent += a.sent
	}
	if sent != 3<<20 {
		t.Errorf("got %d bytes sent, want %d", sent, 3<<20)
	}
}

func TestPullResumesEarlierDownload(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		h := newMini(t)
		h.answer(h.large(), 1, func(w http.ResponseWriter, r *http.Request) { h.cut(w, r, 1_000_000) })
		p := newPuller(t, h)
		p.Retries = 0
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		var seen atomic.Int64
		p.Watch.Bytes = func(n int64) {
			if seen.Add(n) >= 1_000_000 && interrupted {
				cancel(stop)
			}
		}
		n, _ := Resolve(mini)
		_, err := p.Pull(ctx, n, "")
		if _, ok := errors.AsType[*networkError](err); errors.Is(err, stop) != interrupted || !interrupted && (!ok || !strings.Contains(err.Error(), weightsFile)) {
			t.Errorf("interrupted %t: got error %v", interrupted, err)
		}
		if _, err := os.Stat(p.Store.modelDir(Name{Repo: h.mini().name()}, firstCommit)); err == nil {
			t.Error("model directory exists before the download is complete")
		}
		other := newPuller(t, h)
		other.Store = p.Store
		pull(t, other, mini, "")
		all := h.requests(h.large())
		if len(all) != 2 || all[1].span != "bytes=1000000-" || all[0].sent+all[1].sent != 3<<20 {
			t.Errorf("got requests %+v, want two, the second for a range", all)
		}
	}
}

func (*fakeRepo) name() string { return "sentence-transformers/all-MiniLM-L6-v2" }

func TestMismatchedPartIsDiscarded(t *testing.T) {
	whole := func(h *fakeHub, w http.ResponseWriter) {
		content := h.mini().files[weightsFile].content
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content)
	}
	for name, second := range map[string]func(h *fakeHub, w http.ResponseWriter, r *http.Request){
		"full response": func(h *fakeHub, w http.ResponseWriter, _ *http.Request) { whole(h, w) },
		"wrong range": func(h *fakeHub, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 5-3145727/3145728")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(h.mini().files[weightsFile].content[5:])
		},
		"range not satisfiable": func(_ *fakeHub, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newMini(t)
			h.fault = func(n int, w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != h.large() {
					return false
				}
				switch n {
				case 1:
					h.cut(w, r, 1_000_000)
				case 2:
					second(h, w, r)
				default:
					if r.Header.Get("Range") != "" {
						t.Errorf("got range request %s, want none", r.Header.Get("Range"))
					}
					whole(h, w)
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
			part := p.Store.blob(remoteFile{Repo: h.mini().name(), SHA256: h.mini().files[weightsFile].sha256()}) + incompleteSuffix
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
	for _, cached := range []bool{false, true} {
		if cached {
			cacheMini(t, h, p.Store.Dir, "config.json")
		}
		before := len(filesUnder(t, p.Store.Dir))
		if err := failToPull(t, p, mini); err.Error() != h.mini().name()+": unsupported" {
			t.Errorf("got error %v, want that of CheckConfig", err)
		}
		want := before
		if !cached {
			want++ // the configuration is kept
		}
		if files := filesUnder(t, p.Store.Dir); len(files) != want {
			t.Errorf("cached %t: got files %v, want %d", cached, files, want)
		}
		if n := len(h.requests("/resolve/")); n != 1 {
			t.Errorf("cached %t: got %d file requests, want 1", cached, n)
		}
	}
	p.CheckConfig = func([]byte, bool) error { return nil }
	var planned int64
	var seen atomicSum
	p.Watch = Watch{Plan: func(_ int, bytes int64) { planned = bytes }, Bytes: seen.add}
	if m := pull(t, p, mini, ""); planned != m.Size() || seen.n.Load() != planned {
		t.Errorf("got %d bytes planned, %d reported, want %d", planned, seen.n.Load(), m.Size())
	}
}
