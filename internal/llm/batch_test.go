package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// batchRequest returns request i of a pass.
func batchRequest(i int) *Request {
	r := newRequest(verdicts())
	r.Messages[1].Text = fmt.Sprintf("answer %d", i)
	return r
}

// batchPass returns a pass that sends n requests.
func batchPass(n int) Pass {
	return func(ctx context.Context, c Completer) error {
		for i := range n {
			if _, err := c.Complete(ctx, batchRequest(i)); IsFatal(err) {
				return err
			}
		}
		return nil
	}
}

func goodChat(w http.ResponseWriter, _ *http.Request) { writeReply(w, validReply, "stop") }

// batchStack returns a stack that uses srv.
func batchStack(t *testing.T, srv *llmtest.BatchServer, o Options) (*Stack, string) {
	t.Helper()
	if srv.Chat == nil {
		srv.Chat = http.HandlerFunc(goodChat)
	}
	web := httptest.NewServer(srv)
	t.Cleanup(web.Close)
	o.Client.BaseURL = web.URL + o.Client.BaseURL
	return newStack(t, o), t.TempDir()
}

func openStore(t *testing.T, dir string) *batchStore {
	t.Helper()
	store, _, err := openBatchStore(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func openBatch(t *testing.T, s *Stack, o BatchOptions) (*Batch, *[]string) {
	t.Helper()
	messages := &[]string{}
	o.Notify = func(format string, args ...any) { *messages = append(*messages, fmt.Sprintf(format, args...)) }
	if o.Settings == nil {
		o.Settings = json.RawMessage(`[]`)
	}
	b, err := s.OpenBatch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, messages
}

// lastPass returns the results of the last pass, separated by semicolons.
func lastPass(t *testing.T, b *Batch, n int) string {
	t.Helper()
	c, results := b.Completer(), make([]string, n)
	for i := range results {
		reply, err := c.Complete(t.Context(), batchRequest(i))
		if results[i] = fmt.Sprint(err); err == nil {
			results[i] = string(reply.JSON)
		}
	}
	return strings.Join(results, ";")
}

// runBatch runs a batch of n requests, and checks the results of the last pass.
func runBatch(t *testing.T, b *Batch, n int) {
	t.Helper()
	if err := b.Run(t.Context(), batchPass(n)); err != nil {
		t.Fatal(err)
	}
	if got, want := lastPass(t, b, n), strings.TrimSuffix(strings.Repeat(validReply+";", n), ";"); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBatchIsSplitAtFileLimits(t *testing.T) {
	for name, limit := range map[string]func(*Batch){
		"requests": func(b *Batch) { b.maxRequests = 3 },
		"bytes":    func(b *Batch) { b.maxBytes = 1800 },
	} {
		t.Run(name, func(t *testing.T) {
			srv := &llmtest.BatchServer{}
			s, dir := batchStack(t, srv, Options{})
			b, _ := openBatch(t, s, BatchOptions{Dir: dir})
			limit(b)
			runBatch(t, b, 9)
			for _, p := range srv.Batches() {
				if n, size := p.Counts["total"], len(p.Requests); n > b.maxRequests || size > int(b.maxBytes) || n == 0 {
					t.Errorf("got a file of %d requests and %d bytes, want at most %d and %d", n, size, b.maxRequests, b.maxBytes)
				}
			}
			if seen := srv.Seen(); seen.Batches != 3 || seen.Batched != 9 || seen.Online != 0 {
				t.Errorf("got %+v, want 3 batches of 9 requests in total", seen)
			}
			if err := b.Finish(t.Context()); err != nil || srv.Seen().Files != 0 {
				t.Errorf("Finish: got error %v, %+v; want all files deleted", err, srv.Seen())
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("directory was not removed")
			}
		})
	}
}

func TestBatchLineEqualsOnlineRequest(t *testing.T) {
	online, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, validReply, "stop") })
	r := newRequest(verdicts())
	r.Messages[1].Text = `say "temperature":1e-45`
	for _, model := range []string{"gpt-4o-mini", "o4-mini", "gpt-5-mini"} {
		config := Config{BaseURL: online.URL, Model: model, ExtraBody: must(ParseExtraBody(`{"top_p":0.9}`))}
		mustComplete(t, newTestClient(t, config), r)
		fresh := newTestClient(t, config)
		b := &Batch{stack: &Stack{Client: fresh}, state: batchState{Form: fresh.form}}
		line := must(b.line("k", r))
		var l struct {
			ID, Method, URL string
			CustomID        string          `json:"custom_id"`
			Body            json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(line, &l); err != nil || l.Method != http.MethodPost || l.URL != "/v1/chat/completions" || l.CustomID != "k" {
			t.Errorf("got line %s, %v; want a POST with the custom id", line, err)
		}
		if sent := got()[len(got())-1].raw; string(l.Body) != sent {
			t.Errorf("got batch request %s, want %s", l.Body, sent)
		}
	}
}

func TestAzureBatch(t *testing.T) {
	var paths []string
	srv := &llmtest.BatchServer{}
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		paths = append(paths, r.Method+" "+r.URL.Path+"?"+r.URL.RawQuery+" "+r.Header.Get("api-key")+r.Header.Get("Authorization"))
		return false
	}
	// Azure sends times as strings and capitalized statuses.
	odd := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		srv.ServeHTTP(rec, r)
		body := rec.Body.String()
		if strings.Contains(r.URL.Path, "/batches") {
			body = strings.ReplaceAll(body, `"created_at":1700000000`, `"created_at":"2024-07-19T17:13:57.2491382+00:00"`)
			body = strings.ReplaceAll(body, `"validating"`, `"Validating"`)
			body = strings.ReplaceAll(body, `"status":"completed"`, `"status":"Completed"`)
		}
		w.WriteHeader(rec.Code)
		_, _ = io.WriteString(w, body)
	})
	srv.Chat = http.HandlerFunc(goodChat)
	web := httptest.NewServer(odd)
	t.Cleanup(web.Close)
	s := newStack(t, Options{Client: Config{BaseURL: web.URL + "/openai/deployments/mine", Model: "gpt-4o", APIKey: secret}})
	b, _ := openBatch(t, s, BatchOptions{Dir: t.TempDir()})
	runBatch(t, b, 2)
	want := "POST /openai/files?api-version=2024-10-21 " + secret
	if len(paths) < 5 || paths[0] != want || paths[3] != "POST /openai/batches?api-version=2024-10-21 "+secret {
		t.Errorf("got paths %q, want the first to be %q", paths, want)
	}
	file := srv.Batches()[0].Requests
	if !strings.Contains(file, `"model":"mine"`) || !strings.Contains(file, `"url":"/chat/completions"`) {
		t.Errorf("got file %s, want the deployment and the Azure path", file)
	}
}

// Requests that were rejected, or whose reply can't be used, are sent online.
func TestBatchRepeatsFailedRequests(t *testing.T) {
	n := 0
	srv := &llmtest.BatchServer{Chat: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch n++; n {
		case 1, 7:
			writeError(w, 400, "This model's maximum context length is 100 tokens. Your messages resulted in 200 tokens.", "messages")
		case 2:
			writeError(w, 400, "Your request was flagged by the content management policy", "")
		case 3:
			writeReply(w, `{"verdicts":[1,`, "length")
		case 4:
			writeReply(w, "prose", "stop")
		default:
			writeReply(w, validReply, "stop")
		}
	})}
	s, dir := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	if err := b.Run(t.Context(), batchPass(6)); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(lastPass(t, b, 6), ";")
	if want := slices.Repeat([]string{validReply}, 5); !strings.Contains(got[0], "longer than the model's window") || !slices.Equal(got[1:], want) {
		t.Errorf("got %q, want a context length error and five replies", got)
	}
	// Four requests are repeated, too few for another batch.
	if seen := srv.Seen(); seen.Online != 4 || seen.Batches != 1 {
		t.Errorf("got %+v, want 4 online requests and 1 batch", seen)
	}
}

func TestBatchPollSurvivesServerErrors(t *testing.T) {
	srv, polls := &llmtest.BatchServer{}, 0
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/batches/") {
			if polls++; polls < 15 {
				writeError(w, 503, "busy", "")
				return true
			}
		}
		return false
	}
	s, dir := batchStack(t, srv, Options{})
	b, messages := openBatch(t, s, BatchOptions{Dir: dir})
	if err := b.Run(t.Context(), batchPass(2)); err != nil || srv.Seen().Online != 0 {
		t.Errorf("got error %v, %v; want no online requests", err, *messages)
	}
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/batches/") {
			writeError(w, 404, "which batch?", "")
			return true
		}
		return false
	}
	b, _ = openBatch(t, s, BatchOptions{Dir: t.TempDir()})
	if err := b.Run(t.Context(), batchPass(2)); err == nil || !strings.Contains(err.Error(), "which batch?") {
		t.Error(err)
	}
}

func TestBatchReportsMissingAPI(t *testing.T) {
	srv := &llmtest.BatchServer{Before: func(w http.ResponseWriter, r *http.Request) bool {
		writeError(w, 404, "Not Found", "")
		return true
	}}
	s, dir := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	err := b.Run(t.Context(), batchPass(2))
	if err == nil || !strings.Contains(err.Error(), "without --batch, requests are sent individually") {
		t.Error(err)
	}
	if err := b.Close(); err != nil || CheckNoBatch(dir) != nil {
		t.Errorf("Close: got error %v, state kept: %t; want nil, false", err, CheckNoBatch(dir) != nil)
	}
}

func TestOpenBatchRejectsSecondRun(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	s, dir := batchStack(t, &llmtest.BatchServer{}, Options{})
	_, _ = openBatch(t, s, BatchOptions{Dir: dir})
	_, err := s.OpenBatch(t.Context(), BatchOptions{Dir: dir, Settings: json.RawMessage(`[]`)})
	if e := mustAs[*StoreError](t, err); !strings.Contains(e.Error(), "in use by another run") {
		t.Errorf("got %v, want the store to be in use", e)
	}
}

// A batch state may come from a repository. Its names must not lead to other paths of the
// server.
func TestOpenBatchRejectsInvalidState(t *testing.T) {
	s, _ := batchStack(t, &llmtest.BatchServer{}, Options{})
	const valid = `{"scoring":false`
	for _, content := range []string{
		"", "{", "[]", valid + `,"form":{"format":77}}`, valid + `,"file":"file-1/../../models/m?x="}`, valid + `,"batch":"../files/f"}`, valid + `,"files":["file-1",".."]}`,
	} {
		dir := t.TempDir()
		store := openStore(t, dir)
		plant := func(content string) {
			t.Helper()
			if _, err := store.exec(t.Context(), `INSERT OR REPLACE INTO state VALUES (1, ?)`, []byte(content)); err != nil {
				t.Fatal(err)
			}
		}
		plant(valid + `,"file":"file-abc_1.2","batch":"batch_6f","files":["file-1"]}`)
		if state := (&batchState{}); store.load(t.Context(), state) != nil || len(state.Files) != 1 {
			t.Errorf("valid state: got %v, want it to be submitted", state)
		}
		plant(content)
		if err := store.db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.OpenBatch(t.Context(), BatchOptions{Dir: dir}); err == nil || !strings.Contains(err.Error(), "to start over, remove "+dir) {
			t.Errorf("%q: got %v, want advice to remove %s", content, err, dir)
		}
	}
}

func TestBatchDeduplicatesRequests(t *testing.T) {
	srv := &llmtest.BatchServer{}
	s, dir := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	err := b.Run(t.Context(), func(ctx context.Context, c Completer) error {
		for range 5 {
			_, _ = c.Complete(ctx, newRequest(verdicts()))
		}
		return nil
	})
	if seen := srv.Seen(); err != nil || seen.Batched != 1 {
		t.Errorf("got %v, %+v; want 1 request in a batch", err, seen)
	}
}

// The timeout of a row must not end the transaction that records the requests of all rows.
func TestBatchRecordsRowsAfterCanceledRow(t *testing.T) {
	srv := &llmtest.BatchServer{}
	s, dir := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	err := b.Run(t.Context(), func(ctx context.Context, c Completer) error {
		_, _ = c.Complete(ctx, batchRequest(0))
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		_, _ = c.Complete(canceled, batchRequest(1))
		_, _ = c.Complete(ctx, batchRequest(2))
		return nil
	})
	if seen := srv.Seen(); err != nil || seen.Batches != 1 || seen.Batched != 3 {
		t.Errorf("got %v, %+v; want 1 batch of 3 requests", err, seen)
	}
}

// Servers may return anything as replies of a batch.
func FuzzBatchReplies(f *testing.F) {
	f.Add([]byte(`{"custom_id":"x","response":{"status_code":200,"body":{"choices":[{}]}}}` + "\n"))
	f.Add([]byte("{}\n[]\nnull\n\x00"))
	f.Add(bytes.Repeat([]byte("["), 1000))
	client := &Client{wire: newWire(Config{}, endpoint{})}
	f.Fuzz(func(t *testing.T, content []byte) {
		for line := range bytes.Lines(content) {
			var l batchLine
			if json.Unmarshal(line, &l) != nil {
				continue
			}
			if u := client.batchUsage(&l); u.PromptTokens < 0 || u.CompletionTokens < 0 {
				t.Errorf("got usage %+v, want no negative counts", u)
			}
			if e, ok := errors.AsType[*StatusError](l.err()); ok && len(e.Message) > 2000 {
				t.Errorf("got a message of %d bytes, want at most 2000", len(e.Message))
			}
		}
	})
}
