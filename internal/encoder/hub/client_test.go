package hub

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

type atomicSum struct{ n atomic.Int64 }

func (s *atomicSum) add(n int64) { s.n.Add(n) }

func TestPermanentErrorsAreNotRetried(t *testing.T) {
	const (
		noToken   = "model does not exist or is gated: request access at URL/sentence-transformers/all-MiniLM-L6-v2 and set HF_TOKEN to a token of that account"
		withToken = "model does not exist, or the token (HF_TOKEN or saved login) is invalid or has no access: request access at URL/sentence-transformers/all-MiniLM-L6-v2"
	)
	for _, tt := range []struct {
		status int
		token  string
		file   bool
		want   string
	}{
		{401, "", false, noToken},
		{401, testToken, false, withToken},
		{403, "", true, noToken},
		{403, testToken, true, withToken},
		{404, "", false, `model or revision not found: "main"`},
		{404, "", true, ""},
		{410, testToken, false, ""},
		{101, "", false, ""},
		{101, "", true, ""},
	} {
		part := "/api/"
		if tt.file {
			part = "/resolve/" + firstCommit + "/config.json"
		}
		h := newMini(t)
		h.answer(part, 0, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Error-Message", "you sent "+r.Header.Get("Authorization"))
			w.WriteHeader(tt.status)
		})
		p := newPuller(t, h)
		p.Token = tt.token
		err := failToPull(t, p, mini)
		e, ok := errors.AsType[*StatusError](err)
		if !ok || e.Status != tt.status || e.Hint != strings.ReplaceAll(tt.want, "URL", h.URL) || strings.Contains(err.Error(), testToken) {
			t.Errorf("%d: got error %v, want hint %q", tt.status, err, tt.want)
		}
		if n := len(h.requests(part)); n != 1 {
			t.Errorf("%d: got %d requests, want 1", tt.status, n)
		}
	}
}

func TestTransientErrorsAreRetried(t *testing.T) {
	statuses := []int{408, 429, 500, 503}
	h := newMini(t)
	h.fault = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n > len(statuses) || r.URL.Path != h.large() && !strings.HasPrefix(r.URL.Path, "/api/") {
			return false
		}
		w.WriteHeader(statuses[n-1])
		return true
	}
	p := newPuller(t, h)
	p.Retries = len(statuses)
	var retries atomicSum
	p.Watch.Retry = func(error, time.Duration) { retries.add(1) }
	pull(t, p, mini, "")
	if n, m := len(h.requests("/api/")), len(h.requests(h.large())); n != 5 || m != 5 || retries.n.Load() != 8 {
		t.Errorf("got %d and %d requests, %d retries, want 5, 5, 8", n, m, retries.n.Load())
	}
}

func TestRetryAfterIsHonored(t *testing.T) {
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "99999": maxRetryAfter} {
		h := newMini(t)
		h.answer("/api/", 1, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		p := newPuller(t, h)
		clock := &fakeClock{}
		p.Clock = clock
		pull(t, p, mini, "")
		if len(clock.waits) != 1 || clock.waits[0] < want || clock.waits[0] > want+want/10+time.Second {
			t.Errorf("Retry-After %s: got waits %v, want one of about %v", header, clock.waits, want)
		}
	}
}

func TestRetriesAreLimited(t *testing.T) {
	h := newMini(t)
	h.answer("/", 0, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	p := newPuller(t, h)
	p.Retries = 3
	if err, want := failToPull(t, p, mini), h.mini().name()+": the server answered 503 Service Unavailable"; err.Error() != want {
		t.Errorf("got error %q, want %q", err, want)
	}
	if n := len(h.requests("/")); n != 4 {
		t.Errorf("got %d requests, want 4", n)
	}
	h.Close()
	clock := &fakeClock{}
	p.Clock = clock
	err := failToPull(t, p, mini)
	if _, ok := errors.AsType[*networkError](err); !ok || len(clock.waits) != 3 {
		t.Errorf("got error %v, waits %v; want a *networkError after 3", err, clock.waits)
	}
}

func TestStalledDownloadIsRetried(t *testing.T) {
	h := newMini(t)
	h.answer(h.large(), 1, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "3145728")
		_, _ = w.Write(h.mini().files[weightsFile].content[:2<<20])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	p := newPuller(t, h)
	p.Stall = time.Second
	var reason error
	p.Watch.Retry = func(err error, _ time.Duration) { reason = err }
	checkIntact(t, pull(t, p, mini, ""))
	if reason == nil || !strings.Contains(reason.Error(), weightsFile) || !strings.HasSuffix(reason.Error(), "no data received for 1s") {
		t.Errorf("got retry after %v, want a stall", reason)
	}
	requests := h.requests(h.large())
	if len(requests) != 2 || requests[1].span != "bytes=2097152-" {
		t.Errorf("got requests %+v, want two, the second for a range", requests)
	}
}

func TestRedirectsAreLimited(t *testing.T) {
	h := newMini(t)
	h.answer("/api/", 0, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.String(), http.StatusTemporaryRedirect)
	})
	p := newPuller(t, h)
	if err := failToPull(t, p, mini); !strings.Contains(err.Error(), "more than 10 redirects") {
		t.Errorf("got error %v, want too many redirects", err)
	}
	if waits := p.Clock.(*fakeClock).waits; len(waits) > 0 { //nolint:forcetypeassert // of newPuller
		t.Errorf("got retries after %v, want none", waits)
	}
	secure := httptest.NewRequest(http.MethodGet, "https://hub/a", http.NoBody)
	plain := httptest.NewRequest(http.MethodGet, "http://hub/a", http.NoBody)
	if checkRedirect(plain, []*http.Request{secure}) == nil || checkRedirect(secure, []*http.Request{plain}) != nil {
		t.Error("checkRedirect allows https to http, or rejects http to https")
	}
}

func TestRenamedRepositoryIsFollowed(t *testing.T) {
	h := newMini(t)
	h.repos["new/name"] = h.mini()
	delete(h.repos, h.mini().name())
	h.token = testToken
	h.answer(h.mini().name(), 0, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(r.URL.String(), h.mini().name(), "new/name", 1), http.StatusTemporaryRedirect)
	})
	p := newPuller(t, h)
	p.Token = testToken
	pull(t, p, mini, "")
}

func TestPullSupportsEndpointWithPath(t *testing.T) {
	h := newMini(t)
	inner := h.Config.Handler
	h.Config.Handler = http.StripPrefix("/mirror/of", inner)
	p := newPuller(t, h)
	p.Endpoint += "/mirror/of/"
	pull(t, p, mini, "")
}

func TestPullRejectsInvalidOptions(t *testing.T) {
	const want = ": want a URL of a host and a path, such as https://huggingface.co"
	for _, tt := range []struct{ endpoint, revision, want string }{
		{"ftp://host", "", `endpoint "ftp://host"` + want},
		{"https://", "", `endpoint "https:"` + want},
		{"https://me:secret@host", "", `endpoint "https://me:xxxxx@host"` + want},
		{"https://host?a=b", "", `endpoint "https://host"` + want},
		{"https://ho st", "", "endpoint: invalid URL"},
		{"", "../main", `revision "../main": want a branch, a tag or a commit`},
		{"", "a b", `revision "a b": want a branch, a tag or a commit`},
	} {
		n, _ := Resolve(mini)
		p := &Puller{Store: Store{Dir: t.TempDir()}, Endpoint: tt.endpoint, Clock: &fakeClock{}}
		if _, err := p.Pull(t.Context(), n, tt.revision); err == nil || err.Error() != tt.want {
			t.Errorf("%+v: got error %v, want %q", tt, err, tt.want)
		}
	}
	for _, good := range []string{"main", "v1.0", "refs/pr/1", "feature/x", firstCommit} {
		if err := CheckRevision(good); err != nil {
			t.Error(err)
		}
	}
}

// A server can't choose where files are written: only known names are used.
func TestFilesWithOtherNamesAreIgnored(t *testing.T) {
	h := newMini(t)
	h.editListing = func(l map[string]any) {
		for _, name := range []string{"", "..", "../config.json", "/etc/passwd", `..\b`, "C:b", "a\x00b", strings.Repeat("a", 10_000)} {
			l["siblings"] = append(l["siblings"].([]any), map[string]any{"rfilename": name, "size": 1})
		}
	}
	if m := pull(t, newPuller(t, h), mini, ""); len(m.Files) != 6 {
		t.Errorf("got files %v, want 6", m.Files)
	}
}

func TestParseListingRejectsInvalidResponses(t *testing.T) {
	for _, reply := range []string{
		``, `null`, `[]`, `{}`, `<html>`, `{"sha":"main"}`, `{"sha":"` + strings.Repeat("A", 40) + `"}`,
		`{"sha":"SHA","siblings":[{"rfilename":"a","size":-1}]}`,
		`{"sha":"SHA","siblings":[{"rfilename":"a","size":1e300}]}`,
		`{"sha":"SHA","siblings":[{"rfilename":"a","blobId":"../../x"}]}`,
		`{"sha":"SHA","siblings":[{"rfilename":"a","lfs":{"sha256":"x"}}]}`,
	} {
		if l, err := parseListing("org/repo", []byte(strings.ReplaceAll(reply, "SHA", firstCommit))); err == nil {
			t.Errorf("%s: got %v, want an error", reply, l)
		}
	}
}

func FuzzListing(f *testing.F) {
	f.Add([]byte(`{"sha":"` + firstCommit + `","siblings":[{"rfilename":"config.json","size":2,"blobId":"` + secondCommit + `"},` +
		`{"rfilename":"model.safetensors","size":3,"lfs":{"sha256":"` + strings.Repeat("ab", 32) + `","size":3}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := parseListing("org/repo", data); err == nil {
			for name, s := range l.Files {
				if s.Name != name || s.Size < -1 || s.Size > maxFileSize ||
					s.Hash != "" && !isHash(s.Hash, sha256Digits) && !isHash(s.Hash, sha1Digits) {
					t.Errorf("got invalid file %+v", s)
				}
			}
			if !isHash(l.Commit, sha1Digits) {
				t.Errorf("got invalid commit %q", l.Commit)
			}
		}
	})
}

// net/http quotes a malformed response, which may repeat the token.
func TestNetworkErrorsContainNoToken(t *testing.T) {
	h := newMini(t)
	h.answer("/", 0, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nX " + r.Header.Get("Authorization") + "\r\n\r\n"))
	})
	p := newPuller(t, h)
	p.Token = testToken
	p.Watch.Retry = func(err error, _ time.Duration) {
		if strings.Contains(err.Error(), testToken) {
			t.Errorf("got a retry after %v, want no token in it", err)
		}
	}
	if err := failToPull(t, p, mini); strings.Contains(err.Error(), testToken) || !strings.Contains(err.Error(), "[token]") {
		t.Errorf("got error %v, want [token] instead of the token", err)
	}
}
