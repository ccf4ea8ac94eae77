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
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/batchtest" //nolint:depguard // the package's own test server
)

// batchPass asks n requests, and says what each came to.
func batchPass(n int, said *[]string) Pass {
	return func(ctx context.Context, c Completer) (string, error) {
		*said = nil
		for i := range n {
			r := ask(verdicts())
			r.Messages[1].Text = fmt.Sprintf("answer %d", i)
			reply, err := c.Complete(ctx, r)
			switch {
			case Deferred(err):
				*said = append(*said, "later")
			case Fatal(err):
				return "", err
			case err != nil:
				*said = append(*said, err.Error())
			default:
				*said = append(*said, string(reply.JSON))
			}
		}
		return "rows", nil
	}
}

func goodChat(w http.ResponseWriter, _ *http.Request) { say(w, good, "stop") }

// batchStack is a stack against a server of batches.
func batchStack(t *testing.T, srv *batchtest.Server, o Options) (*Stack, string) {
	t.Helper()
	if srv.Chat == nil {
		srv.Chat = http.HandlerFunc(goodChat)
	}
	web := httptest.NewServer(srv)
	t.Cleanup(web.Close)
	o.Client.BaseURL = web.URL + o.Client.BaseURL
	return stack(t, o), t.TempDir()
}

func openBatch(t *testing.T, s *Stack, o BatchOptions) (*Batch, *[]string) {
	t.Helper()
	told := &[]string{}
	o.Notify = func(line string) { *told = append(*told, line) }
	if o.Settings == nil {
		o.Settings = json.RawMessage(`[]`)
	}
	b, err := s.OpenBatch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, told
}

// replied runs the last pass.
func replied(t *testing.T, b *Batch, n int) []string {
	t.Helper()
	var said []string
	if _, err := batchPass(n, &said)(t.Context(), b.Completer()); err != nil {
		t.Fatal(err)
	}
	return said
}

func allGood(n int) string { return strings.Repeat(good+" ", n) }

func joinedWords(said []string) string { return strings.Join(said, " ") + " " }

func TestABatchIsCutAtTheLimitsOfAFile(t *testing.T) {
	for name, o := range map[string]BatchOptions{
		"requests": {MaxRequests: 3},
		"bytes":    {MaxBytes: 1800},
	} {
		t.Run(name, func(t *testing.T) {
			srv := &batchtest.Server{}
			s, folder := batchStack(t, srv, Options{})
			o.Folder = folder
			b, _ := openBatch(t, s, o)
			var said []string
			if err := b.Run(t.Context(), batchPass(10, &said)); err != nil {
				t.Fatal(err)
			}
			if got := joinedWords(replied(t, b, 10)); got != allGood(10) {
				t.Error(got)
			}
			for _, p := range srv.Batches() {
				if n, size := p.Requests, len(srv.File(p.Input)); o.MaxRequests > 0 && n > 3 || o.MaxBytes > 0 && size > 1800 || n == 0 {
					t.Errorf("a file of %d requests and %d bytes", n, size)
				}
			}
			if seen := srv.Seen(); seen.Batches < 4 || seen.Batched != 10 || seen.Online != 0 {
				t.Errorf("%+v", seen)
			}
			if err := b.Finish(t.Context()); err != nil || srv.Seen().Files != 0 {
				t.Errorf("%v, %+v", err, srv.Seen())
			}
			if _, err := os.Stat(folder); err == nil {
				t.Error("the folder is left")
			}
		})
	}
}

func TestALineOfABatchIsTheRequestThatIsSentOnline(t *testing.T) {
	online, got := server(t, func(_ int, _ sent, w http.ResponseWriter) { say(w, good, "stop") })
	r := ask(verdicts())
	r.Messages[1].Text = `say "temperature":1e-45`
	for _, model := range []string{"gpt-4o-mini", "o4-mini", "gpt-5-mini"} {
		c := client(t, Config{BaseURL: online.URL, Model: model})
		if _, err := c.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		fresh := client(t, Config{BaseURL: online.URL, Model: model})
		line, err := fresh.batchLine(requestKey("e", model, r), r, fresh.settle())
		if err != nil {
			t.Fatal(err)
		}
		var l struct {
			ID, Method, URL string
			CustomID        string          `json:"custom_id"`
			Body            json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(line, &l); err != nil || l.Method != http.MethodPost || l.URL != "/v1/chat/completions" || len(l.CustomID) != 43 {
			t.Errorf("%v: %s", err, line)
		}
		if sent := got()[len(got())-1].raw; string(l.Body) != sent {
			t.Errorf("%s\n%s", l.Body, sent)
		}
	}
}

func TestAzuresBatches(t *testing.T) {
	var paths []string
	srv := &batchtest.Server{}
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		paths = append(paths, r.Method+" "+r.URL.Path+"?"+r.URL.RawQuery+" "+r.Header.Get("api-key")+r.Header.Get("Authorization"))
		return false
	}
	// Times as texts and words with capitals, as Azure's are.
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
	s := stack(t, Options{Client: Config{BaseURL: web.URL + "/openai/deployments/mine", Model: "gpt-4o", APIKey: secret}})
	b, _ := openBatch(t, s, BatchOptions{Folder: t.TempDir()})
	var said []string
	if err := b.Run(t.Context(), batchPass(2, &said)); err != nil {
		t.Fatal(err)
	}
	if got := joinedWords(replied(t, b, 2)); got != allGood(2) {
		t.Error(got)
	}
	want := "POST /openai/files?api-version=2024-10-21 " + secret
	if len(paths) < 5 || paths[0] != want || paths[2] != "POST /openai/batches?api-version=2024-10-21 "+secret {
		t.Error(strings.Join(paths, "\n"))
	}
	file := srv.File(srv.Batches()[0].Input)
	if !strings.Contains(file, `"model":"mine"`) || !strings.Contains(file, `"url":"/chat/completions"`) {
		t.Error(file)
	}
}

// A gateway that fails behind the server: the batch is there, and nobody says so.
func TestABatchThatWasMadeInSilenceIsFound(t *testing.T) {
	for _, status := range []int{500, 502, 504} {
		srv := &batchtest.Server{}
		failed := false
		inner := srv
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.URL.Path == "/batches" && !failed {
				failed = true
				inner.ServeHTTP(httptest.NewRecorder(), r)
				fail(w, status, "gateway", "")
				return
			}
			inner.ServeHTTP(w, r)
		}))
		srv.Chat = http.HandlerFunc(goodChat)
		s := stack(t, Options{Client: Config{BaseURL: web.URL}, Retries: 3})
		b, _ := openBatch(t, s, BatchOptions{Folder: t.TempDir()})
		var said []string
		if err := b.Run(t.Context(), batchPass(4, &said)); err != nil {
			t.Fatal(err)
		}
		if seen := srv.Seen(); seen.Batches != 1 || seen.Listings != 1 {
			t.Errorf("%d: %+v", status, seen)
		}
		web.Close()
	}
}

// Where the server can't be asked whether there is a batch already, none is made.
func TestWithoutAListNoSecondBatchIsMade(t *testing.T) {
	srv := &batchtest.Server{}
	posts := 0
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path != "/batches":
			return false
		case r.Method == http.MethodPost:
			posts++
			fail(w, 502, "gateway", "")
		default:
			fail(w, 404, "no list", "")
		}
		return true
	}
	s, folder := batchStack(t, srv, Options{Retries: 3})
	b, _ := openBatch(t, s, BatchOptions{Folder: folder})
	var said []string
	for range 2 {
		err := b.Run(t.Context(), batchPass(4, &said))
		if err == nil || !strings.Contains(err.Error(), "whether there is a batch already can't be told") || posts != 1 {
			t.Errorf("%v, %d tries", err, posts)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b, _ = openBatch(t, s, BatchOptions{Folder: folder, Resume: true})
	}
}

func TestARefusedBatchIsToldAndMadeAgain(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	srv := &batchtest.Server{End: func(int) (string, string, string) {
		if refuse.Load() {
			return "failed", "billing_hard_limit_reached", "Billing hard limit has been reached."
		}
		return "", "", ""
	}}
	s, folder := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Folder: folder})
	var said []string
	err := b.Run(t.Context(), batchPass(4, &said))
	if e := as[*BatchError](t, err); e.Error() != "the batch batch_1 was refused: Billing hard limit has been reached." {
		t.Error(e)
	}
	if err := b.Close(); err != nil || !BatchSubmitted(folder) {
		t.Errorf("%v, or the state is gone", err)
	}
	if _, err := s.OpenBatch(t.Context(), BatchOptions{Folder: folder, Settings: json.RawMessage(`[]`)}); err == nil || !errors.As(err, new(*UnfinishedBatchError)) {
		t.Error(err)
	}
	if _, err := s.OpenBatch(t.Context(), BatchOptions{Folder: folder, Settings: json.RawMessage(`[1]`), Resume: true}); err == nil || !errors.As(err, new(*BatchSettingsError)) {
		t.Error(err)
	}
	refuse.Store(false)
	b, _ = openBatch(t, s, BatchOptions{Folder: folder, Resume: true})
	if err := b.Run(t.Context(), batchPass(4, &said)); err != nil || !b.Resumed() {
		t.Fatal(err)
	}
	if got := joinedWords(replied(t, b, 4)); got != allGood(4) {
		t.Error(got)
	}
	if seen := srv.Seen(); seen.Uploads != 1 || seen.Batches != 2 || seen.Batched != 4 {
		t.Errorf("%+v", seen)
	}
}

func TestAFullQueueIsWaitedFor(t *testing.T) {
	const full = "Enqueued token limit reached for m. Limit: 2,000,000 enqueued tokens."
	posts := 0
	srv := &batchtest.Server{Polls: 3}
	srv.End = func(n int) (string, string, string) {
		if n == 2 {
			return "failed", "token_limit_exceeded", full
		}
		return "", "", ""
	}
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && r.URL.Path == "/batches" {
			if posts++; posts == 3 { // another server says it at once
				fail(w, 400, full, "")
				return true
			}
		}
		return false
	}
	s, folder := batchStack(t, srv, Options{})
	b, told := openBatch(t, s, BatchOptions{Folder: folder, MaxRequests: 2})
	var said []string
	if err := b.Run(t.Context(), batchPass(6, &said)); err != nil {
		t.Fatal(err, *told)
	}
	if got := joinedWords(replied(t, b, 6)); got != allGood(6) {
		t.Error(got)
	}
	waited := 0
	for _, line := range *told {
		if strings.HasPrefix(line, "the server's queue is full: 2 requests wait") {
			waited++
		}
	}
	if seen := srv.Seen(); waited != 2 || seen.Batched != 6 || seen.Online != 0 || seen.Uploads != 3 || seen.Batches != 4 {
		t.Errorf("%d waited, %+v", waited, seen)
	}
}

func TestABatchThatCouldPassALimitIsNotSubmitted(t *testing.T) {
	for name, o := range map[string]Options{
		"cost":   {MaxCost: 0.0001, Client: Config{Model: "gpt-4o-mini"}},
		"tokens": {MaxTokens: 400, Client: Config{Model: "gpt-4o-mini"}},
	} {
		t.Run(name, func(t *testing.T) {
			srv := &batchtest.Server{}
			s, folder := batchStack(t, srv, o)
			b, _ := openBatch(t, s, BatchOptions{Folder: folder})
			var said []string
			err := b.Run(t.Context(), batchPass(4, &said))
			if e := as[*BatchCostError](t, err); e.Requests != 4 || e.Most <= e.Limit || !strings.HasPrefix(e.Error(), "a batch of 4 requests was not submitted: ") {
				t.Error(e)
			}
			if seen := srv.Seen(); seen != (batchtest.Counts{}) {
				t.Errorf("%+v", seen)
			}
			if err := b.Close(); err != nil || BatchSubmitted(folder) {
				t.Errorf("%v, or a state is left", err)
			}
		})
	}
	// What a batch cost is spent, at its own price.
	srv := &batchtest.Server{}
	s, folder := batchStack(t, srv, Options{MaxCost: 1, Client: Config{Model: "gpt-4o-mini"}})
	b, _ := openBatch(t, s, BatchOptions{Folder: folder})
	var said []string
	if err := b.Run(t.Context(), batchPass(4, &said)); err != nil {
		t.Fatal(err)
	}
	usd, tokens := s.Cost()
	if want := 4 * (11*0.15 + 7*0.6) / 1e6 / 2; tokens != 72 || usd < want*0.999 || usd > want*1.001 {
		t.Errorf("$%v and %d tokens, want $%v", usd, tokens, want)
	}
}

// An error of a row, as the online server would say it, needs no second request.
func TestARefusalOfARowIsReplayed(t *testing.T) {
	n := 0
	srv := &batchtest.Server{Chat: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch n++; n {
		case 1:
			fail(w, 400, "This model's maximum context length is 100 tokens. Your messages resulted in 200 tokens.", "messages")
		case 2:
			fail(w, 400, "Your request was flagged by the content management policy", "")
		case 3:
			say(w, `{"verdicts":[1,`, "length")
		case 4:
			say(w, "prose", "stop")
		default:
			say(w, good, "stop")
		}
	})}
	s, folder := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Folder: folder})
	var said []string
	if err := b.Run(t.Context(), batchPass(6, &said)); err != nil {
		t.Fatal(err)
	}
	got := replied(t, b, 6)
	if !strings.Contains(got[0], "longer than the model's window") || !strings.Contains(got[1], "content filter") || got[2] != good || got[3] != good || got[4] != good {
		t.Error(strings.Join(got, "\n"))
	}
	// The two that are asked again: a batch of their own is not worth it.
	if seen := srv.Seen(); seen.Online != 2 || seen.Batches != 1 {
		t.Errorf("%+v", seen)
	}
}

func TestAServerThatSaysNothingForAWhileIsAskedOn(t *testing.T) {
	srv, polls := &batchtest.Server{}, 0
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/batches/") {
			if polls++; polls < 15 {
				fail(w, 503, "busy", "")
				return true
			}
		}
		return false
	}
	s, folder := batchStack(t, srv, Options{})
	b, told := openBatch(t, s, BatchOptions{Folder: folder})
	var said []string
	if err := b.Run(t.Context(), batchPass(2, &said)); err != nil || srv.Seen().Online != 0 {
		t.Errorf("%v, %v", err, *told)
	}
	srv.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/batches/") {
			fail(w, 404, "which batch?", "")
			return true
		}
		return false
	}
	b, _ = openBatch(t, s, BatchOptions{Folder: t.TempDir()})
	if err := b.Run(t.Context(), batchPass(2, &said)); err == nil || !strings.Contains(err.Error(), "which batch?") {
		t.Error(err)
	}
}

func TestAServerWithoutBatchesSaysSo(t *testing.T) {
	srv := &batchtest.Server{Before: func(w http.ResponseWriter, r *http.Request) bool {
		fail(w, 404, "Not Found", "")
		return true
	}}
	s, folder := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Folder: folder})
	var said []string
	err := b.Run(t.Context(), batchPass(2, &said))
	if err == nil || !strings.Contains(err.Error(), "it may have no Batch API") {
		t.Error(err)
	}
	if err := b.Close(); err != nil || BatchSubmitted(folder) {
		t.Errorf("%v, or a state is left", err)
	}
}

func TestTwoRunsCantHaveOneBatch(t *testing.T) {
	s, folder := batchStack(t, &batchtest.Server{}, Options{})
	_, _ = openBatch(t, s, BatchOptions{Folder: folder})
	_, err := s.OpenBatch(t.Context(), BatchOptions{Folder: folder, Settings: json.RawMessage(`[]`)})
	if e := as[*StoreError](t, err); !strings.Contains(e.Error(), "another run uses it") {
		t.Error(e)
	}
}

func TestAStateThatIsNoneIsRefused(t *testing.T) {
	s, _ := batchStack(t, &batchtest.Server{}, Options{})
	for _, content := range []string{"", "{", "[]", `{"version":99}`, `{"version":1,"run":"x","round":1,"form":{"format":77}}`} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, stateFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.OpenBatch(t.Context(), BatchOptions{Folder: folder, Resume: true}); err == nil || !strings.Contains(err.Error(), "to start over, remove "+folder) {
			t.Errorf("%q: %v", content, err)
		}
		if !BatchSubmitted(folder) {
			t.Errorf("%q is taken for nothing", content)
		}
	}
}

func TestEqualRequestsAreOneLineOfABatch(t *testing.T) {
	srv := &batchtest.Server{}
	s, folder := batchStack(t, srv, Options{})
	b, _ := openBatch(t, s, BatchOptions{Folder: folder})
	err := b.Run(t.Context(), func(ctx context.Context, c Completer) (string, error) {
		for range 5 {
			_, _ = c.Complete(ctx, ask(verdicts()))
		}
		return "rows", nil
	})
	if seen := srv.Seen(); err != nil || seen.Batched != 1 {
		t.Errorf("%v, %+v", err, seen)
	}
}

// What the server sends for the replies of a batch may be anything.
func FuzzBatchReplies(f *testing.F) {
	f.Add([]byte(`{"custom_id":"x","response":{"status_code":200,"body":{"choices":[{}]}}}` + "\n"))
	f.Add([]byte("{}\n[]\nnull\n\x00"))
	f.Add(bytes.Repeat([]byte("["), 1000))
	f.Fuzz(func(t *testing.T, content []byte) {
		for line := range bytes.Lines(content) {
			l := readReply(line)
			if key := l.key(); key != nil && len(key) != 32 {
				t.Errorf("a key of %d bytes", len(key))
			}
			if l.Response != nil {
				if u, _ := paid(l.Response.Body); u.PromptTokens < 0 || u.CompletionTokens < 0 {
					t.Errorf("it cost %+v", u)
				}
				if e := batchRefusal(l.Response.Status, l.Response.Body); len(e.Message) > 2000 {
					t.Errorf("a message of %d bytes", len(e.Message))
				}
			}
		}
	})
}
