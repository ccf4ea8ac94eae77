package llm

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// A gateway returns an error although the server has created the batch.
func TestBatchCreatedDespiteErrorIsFound(t *testing.T) {
	for _, status := range []int{500, 502, 504} {
		srv := &llmtest.BatchServer{}
		failed := false
		srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || r.URL.Path != "/batches" || failed {
				return false
			}
			failed = true
			srv.ServeHTTP(httptest.NewRecorder(), r)
			writeError(w, status, "gateway", "")
			return true
		}
		s, dir := batchStack(t, srv, Options{Retries: 3})
		b, _ := openBatch(t, s, BatchOptions{Dir: dir})
		runBatch(t, b, 4)
		if seen := srv.Seen(); seen.Batches != 1 {
			t.Errorf("status %d: got %+v, want 1 batch", status, seen)
		}
	}
}

// A run that was killed after it created a batch finds it behind those that others created since.
// Pages that are older than the run are not read.
func TestBatchBehindNewerOnesIsFound(t *testing.T) {
	srv := &llmtest.BatchServer{}
	s, dir := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	create := func(file string) {
		t.Helper()
		if _, err := s.Client.callBatch(t.Context(), http.MethodPost, "/batches", map[string]string{"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(b.record(t.Context(), batchPass(4)), b.upload(t.Context()), b.store.save(t.Context(), &b.state)); err != nil {
		t.Fatal(err)
	}
	create(b.state.File)
	other := must(s.Client.upload(t.Context(), "other.jsonl", strings.NewReader("{}\n"), 3))
	for range 250 {
		create(other)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b, _ = openBatch(t, s, BatchOptions{Dir: dir})
	if runBatch(t, b, 4); srv.Seen().Batches != 251 {
		t.Errorf("got %+v, want 251 batches", srv.Seen())
	}

	pages := 0
	srv = &llmtest.BatchServer{Before: func(w http.ResponseWriter, r *http.Request) bool {
		isList := r.URL.Path == "/batches" && r.Method == http.MethodGet
		if isList {
			pages++
			_, _ = io.WriteString(w, `{"data":[{"id":"batch_old","created_at":1600000000}],"has_more":true}`)
		}
		return isList
	}}
	s, dir = batchStack(t, srv, Options{})
	b, _ = openBatch(t, s, BatchOptions{Dir: dir})
	if runBatch(t, b, 4); pages != 1 {
		t.Errorf("got %d pages of old batches, want 1", pages)
	}
}

// A server without a list creates the first batch. If the outcome of creating it is unknown, and
// after a restart, no second one is created.
func TestBatchWithoutListIsCreatedOnce(t *testing.T) {
	var lost atomic.Bool
	srv := &llmtest.BatchServer{}
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/batches" && r.Method == http.MethodGet:
			writeError(w, 404, "no list", "")
			return true
		case r.URL.Path == "/batches" && lost.Load():
			writeError(w, 502, "gateway", "")
			return true
		}
		return false
	}
	s, dir := batchStack(t, srv, Options{Retries: 3})
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	if runBatch(t, b, 4); srv.Seen().Batches != 1 {
		t.Errorf("got %+v, want 1 batch", srv.Seen())
	}

	lost.Store(true)
	s, dir = batchStack(t, srv, Options{Retries: 3})
	for range 2 { // the second one is resumed
		b, _ = openBatch(t, s, BatchOptions{Dir: dir})
		if err := b.Run(t.Context(), batchPass(4)); err == nil || !strings.Contains(err.Error(), "check for an existing batch") || srv.Seen().Batches != 1 {
			t.Errorf("got %v, %+v; want an error from the listing, and no other batch", err, srv.Seen())
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		lost.Store(false)
	}
}

func TestRejectedBatchIsRecreatedOnResume(t *testing.T) {
	var reject atomic.Bool
	reject.Store(true)
	srv := &llmtest.BatchServer{End: func(int) (string, string) {
		if reject.Load() {
			return "failed", "Billing hard limit has been reached."
		}
		return "", ""
	}}
	s, dir := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	err := b.Run(t.Context(), batchPass(4))
	if err == nil || err.Error() != "batch batch_1 was rejected: Billing hard limit has been reached." {
		t.Errorf("got %v, want a billing error", err)
	}
	if err := b.Close(); err != nil || CheckNoBatch(dir) == nil {
		t.Errorf("Close: got error %v, state kept: %t; want nil, true", err, CheckNoBatch(dir) != nil)
	}
	reject.Store(false)
	b, _ = openBatch(t, s, BatchOptions{Dir: dir, Settings: json.RawMessage(`[1]`)})
	if string(b.Settings) != "[]" {
		t.Errorf("got settings %s, want those of the first run", b.Settings)
	}
	runBatch(t, b, 4)
	if seen := srv.Seen(); !b.Resumed || seen.Uploads != 1 || seen.Batches != 2 || seen.Batched != 4 {
		t.Errorf("got %+v, want 1 upload and 2 batches of 4 requests in total", seen)
	}
}

func TestBatchAboveLimitIsNotSubmitted(t *testing.T) {
	for name, o := range map[string]Options{
		"cost":   {MaxCost: 0.0001, Client: Config{Model: "gpt-4o-mini"}},
		"tokens": {MaxTokens: 400, Client: Config{Model: "gpt-4o-mini"}},
	} {
		t.Run(name, func(t *testing.T) {
			srv := &llmtest.BatchServer{}
			s, dir := batchStack(t, srv, o)
			b, _ := openBatch(t, s, BatchOptions{Dir: dir})
			err := b.Run(t.Context(), batchPass(4))
			if err == nil || !strings.HasPrefix(err.Error(), "a batch of 4 requests was not submitted: ") {
				t.Errorf("got %v, want 4 requests above the limit", err)
			}
			if seen := srv.Seen(); seen != (llmtest.BatchCounts{}) {
				t.Errorf("got %+v, want %+v", seen, (llmtest.BatchCounts{}))
			}
			if err := b.Close(); err != nil || CheckNoBatch(dir) != nil {
				t.Errorf("Close: got error %v, state kept: %t; want nil, false", err, CheckNoBatch(dir) != nil)
			}
		})
	}
	// The cost of a batch counts at batch prices.
	srv := &llmtest.BatchServer{}
	s, dir := batchStack(t, srv, Options{MaxCost: 1, Client: Config{Model: "gpt-4o-mini"}})
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	runBatch(t, b, 4)
	usd, tokens := s.Cost()
	if want := 4 * (11*0.15 + 7*0.6) / 1e6 / 2; tokens != 72 || usd < want*0.999 || usd > want*1.001 {
		t.Errorf("got $%v and %d tokens, want $%v and 72", usd, tokens, want)
	}
}
