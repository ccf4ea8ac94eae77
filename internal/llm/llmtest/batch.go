package llmtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// A Batch is a submitted batch, as in the API.
type Batch struct {
	ID      string           `json:"id"`
	Input   string           `json:"input_file_id"`
	Created int              `json:"created_at"`
	Status  string           `json:"status"`         // initially validating
	Output  string           `json:"output_file_id"` // may be empty
	Failed  string           `json:"error_file_id"`
	Counts  map[string]int   `json:"request_counts"`
	Errors  map[string][]any `json:"errors"`

	Requests string `json:"-"` // lines of the input file
	polls    int    // status requests so far
}

// created is when all files and batches were created, in seconds.
const created = 1700000000

// A BatchServer is a fake server for the Batch API. It implements the parts of OpenAI's file
// and batch endpoints that package llm uses, keeps files and batches in memory, and can
// simulate failures. Set its fields before using it.
type BatchServer struct {
	// Chat handles /chat/completions, and each request of a batch.
	Chat http.Handler
	// Polls is the number of status requests before a batch ends. Batches that fail do so
	// immediately.
	Polls int
	// End returns the final status of the n-th batch, counted from 1, and the error message if it
	// is failed. A nil function or an empty status means completed. It may be called repeatedly.
	End func(n int) (status, message string)
	// Lines may change the lines of a reply file.
	Lines func(lines []string) []string
	// Before may handle a request itself, and reports whether it did. It is called
	// without the lock held.
	Before func(w http.ResponseWriter, r *http.Request) bool
	// After is called after a request was handled, before the response is sent.
	After func(w http.ResponseWriter, r *http.Request)

	mu      sync.Mutex
	files   map[string]string
	kept    int // files, including deleted ones
	batches []*Batch
	seen    BatchCounts
}

// BatchCounts contains the numbers of requests that a BatchServer has received.
type BatchCounts struct {
	Uploads, Batches int
	Online           int // chat completions outside batches
	Batched          int // requests in batches
	Files            int // files that were not deleted
}

// Seen returns the counts so far.
func (s *BatchServer) Seen() BatchCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	seen.Batches, seen.Files = len(s.batches), len(s.files)
	return seen
}

// Batches returns copies of the submitted batches.
func (s *BatchServer) Batches() (list []Batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.batches {
		list = append(list, *b)
	}
	return list
}

// ServeHTTP implements http.Handler.
func (s *BatchServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Before != nil && s.Before(w, r) {
		return
	}
	rec := httptest.NewRecorder()
	s.route(rec, r)
	if s.After != nil {
		s.After(w, r)
	}
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = io.Copy(w, rec.Body)
}

func (s *BatchServer) route(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		s.seen.Online++
		s.mu.Unlock()
		s.Chat.ServeHTTP(w, r)
		return
	}
	defer s.mu.Unlock()
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/openai"), "/v1")
	kind, id, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	id, isContent := strings.CutSuffix(id, "/content")
	content, known := s.files[id]
	n := slices.IndexFunc(s.batches, func(b *Batch) bool { return b.ID == id })
	var reply any
	switch action := r.Method + " " + kind; {
	case action == "POST files":
		reply = s.upload(r)
	case action == "POST batches":
		reply = s.create(r)
	case action == "GET batches" && id == "":
		reply = s.list(r.URL.Query().Get("after"))
	case action == "GET batches" && n >= 0:
		reply = s.poll(n)
	case kind == "files" && known && isContent:
		_, _ = io.WriteString(w, content)
		return
	case action == "DELETE files" && known:
		delete(s.files, id)
		reply = map[string]any{"id": id, "deleted": true}
	case kind == "files" && known:
		reply = map[string]any{"id": id, "status": "processed", "created_at": created}
	}
	if reply == nil {
		Refusal(http.StatusNotFound, "no such object: "+path, "").write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply)
}

// list returns a page of the batches that are older than the one with the id after.
func (s *BatchServer) list(after string) any {
	const pageSize = 100
	newest := slices.Clone(s.batches)
	slices.Reverse(newest)
	newest = newest[1+slices.IndexFunc(newest, func(b *Batch) bool { return b.ID == after }):]
	return map[string]any{"data": newest[:min(len(newest), pageSize)], "has_more": len(newest) > pageSize}
}

// upload stores a file, and returns nil if it is not a file of a batch.
func (s *BatchServer) upload(r *http.Request) any {
	file, header, err := r.FormFile("file")
	if err != nil || r.FormValue("purpose") != "batch" || !strings.HasSuffix(header.Filename, ".jsonl") {
		return nil
	}
	content, _ := io.ReadAll(file)
	s.seen.Uploads++
	return map[string]any{"id": s.keep(string(content)), "status": "processed"}
}

// keep stores a file, if it is not empty.
func (s *BatchServer) keep(content string) (id string) {
	if content == "" {
		return ""
	}
	if s.files == nil {
		s.files = map[string]string{}
	}
	s.kept++
	id = fmt.Sprintf("file-%d", s.kept)
	s.files[id] = content
	return id
}

// create creates a batch, and returns nil if the request is invalid.
func (s *BatchServer) create(r *http.Request) any {
	var q struct {
		Input    string `json:"input_file_id"`
		Endpoint string `json:"endpoint"`
		Window   string `json:"completion_window"`
	}
	err := json.NewDecoder(r.Body).Decode(&q)
	content, ok := s.files[q.Input]
	if err != nil || !ok || q.Window != "24h" || !strings.HasSuffix(q.Endpoint, "/chat/completions") {
		return nil
	}
	b := &Batch{ID: fmt.Sprintf("batch_%d", len(s.batches)+1), Input: q.Input, Created: created, Status: "validating", Requests: content, Counts: map[string]int{"total": strings.Count(content, "\n")}}
	s.batches = append(s.batches, b)
	return b
}

// poll returns batch n, which ends after some status requests.
func (s *BatchServer) poll(n int) *Batch {
	b := s.batches[n]
	b.polls++
	status, message := "", ""
	if s.End != nil {
		status, message = s.End(n + 1)
	}
	switch {
	case b.Status != "validating" && b.Status != "in_progress":
	case status == "failed":
		b.Status, b.Errors = status, map[string][]any{"data": {map[string]string{"message": message}}}
	case b.polls <= s.Polls:
		b.Status, b.Counts["completed"] = "in_progress", b.Counts["total"]*b.polls/(s.Polls+1)
	default:
		b.Status, b.Counts["completed"] = cmp.Or(status, "completed"), b.Counts["total"]
		s.answerAll(b)
	}
	return b
}

// answerAll sends the requests of a batch that has ended to Chat. If it is not completed, every
// second one has no reply.
func (s *BatchServer) answerAll(b *Batch) {
	var good, bad []string
	for line := range strings.Lines(b.Requests) {
		id, status, body := s.answer(line)
		reply := fmt.Sprintf(`{"custom_id":%q,"response":{"status_code":%d,"body":%s},"error":null}`, id, status, body)
		switch {
		case b.Status != "completed" && (len(good)+len(bad))%2 == 1:
			bad = append(bad, fmt.Sprintf(`{"custom_id":%q,"response":null,"error":{"code":"batch_%s"}}`, id, b.Status))
		case status == http.StatusOK:
			good = append(good, reply)
		default:
			bad = append(bad, reply)
		}
	}
	slices.Reverse(good) // the order is unspecified
	if s.Lines != nil {
		good = s.Lines(good)
	}
	b.Output, b.Failed = s.keep(strings.Join(good, "\n")), s.keep(strings.Join(bad, "\n"))
}

// answer sends a line of a request file to Chat.
func (s *BatchServer) answer(line string) (id string, status int, body string) {
	var q struct {
		ID          string `json:"custom_id"`
		Method, URL string
		Body        json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &q); err != nil || q.Method != http.MethodPost || !strings.HasSuffix(q.URL, "/chat/completions") || q.ID == "" || len(q.ID) > 64 {
		return q.ID, http.StatusBadRequest, `{"error":{"message":"no request of a batch"}}`
	}
	s.seen.Batched++
	rec := httptest.NewRecorder()
	s.Chat.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, q.URL, bytes.NewReader(q.Body)))
	return q.ID, rec.Code, strings.ReplaceAll(rec.Body.String(), "\n", "")
}
