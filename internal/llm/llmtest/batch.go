package llmtest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// A Batch is a submitted batch.
type Batch struct {
	ID, Input string
	Metadata  map[string]string
	Requests  int
	Polls     int    // status requests so far
	Status    string // initially validating
	Output    string // ids of files; may be empty
	Errors    string
	refusals  []map[string]any
}

// A BatchServer is a fake server for the Batch API. It implements the parts of OpenAI's file
// and batch endpoints that package llm uses, keeps files and batches in memory, and can
// simulate failures. Set its fields before using it.
type BatchServer struct {
	// Chat handles /chat/completions, and each request of a batch.
	Chat http.Handler
	// Polls is the number of status requests before a batch ends. Batches that fail do so
	// immediately.
	Polls int
	// End returns the final status of the n-th batch, counted from 1. A nil function or
	// an empty status means completed. For failed batches it also returns an error code
	// and message. It may be called repeatedly.
	End func(n int) (status, code, message string)
	// Lines may change the lines of a reply file.
	Lines func(lines []string) []string
	// Before may handle a request itself, and reports whether it did. It is called
	// without the lock held.
	Before func(w http.ResponseWriter, r *http.Request) bool
	// After is called after a request was handled, before the response is sent.
	After func(w http.ResponseWriter, r *http.Request)

	mu       sync.Mutex
	files    map[string][]byte
	batches  []*Batch
	uploads  int
	online   int
	batched  int
	kept     int // files, including deleted ones
	listings int
}

// BatchCounts contains the numbers of requests that a BatchServer has received.
type BatchCounts struct {
	Uploads, Batches, Listings int
	Online                     int // chat completions outside batches
	Batched                    int // requests in batches
	Files                      int // files that were not deleted
}

// Seen returns the counts so far.
func (s *BatchServer) Seen() BatchCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return BatchCounts{s.uploads, len(s.batches), s.listings, s.online, s.batched, len(s.files)}
}

// Batches returns copies of the submitted batches.
func (s *BatchServer) Batches() []Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Batch
	for _, b := range s.batches {
		out = append(out, *b)
	}
	return out
}

// File returns the content of a file.
func (s *BatchServer) File(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.files[id])
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
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	_, _ = io.Copy(w, rec.Body)
}

func (s *BatchServer) route(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/openai"), "/v1")
	_, id, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if strings.HasSuffix(path, "/chat/completions") {
		s.mu.Lock()
		s.online++
		s.mu.Unlock()
		s.Chat.ServeHTTP(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case path == "/files" && r.Method == http.MethodPost:
		s.upload(w, r)
	case strings.HasPrefix(path, "/files/"):
		s.file(w, r, id)
	case path == "/batches" && r.Method == http.MethodPost:
		s.create(w, r)
	case path == "/batches":
		s.list(w)
	case strings.HasPrefix(path, "/batches/"):
		s.poll(w, id)
	default:
		refuse(w, http.StatusNotFound, "no such path: "+path)
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	reply(w, map[string]any{"error": map[string]any{"message": message}})
}

func reply(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }

func (s *BatchServer) upload(w http.ResponseWriter, r *http.Request) {
	file, header, err := r.FormFile("file")
	if err != nil || r.FormValue("purpose") != "batch" || !strings.HasSuffix(header.Filename, ".jsonl") {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("not a file of a batch: %v", err))
		return
	}
	content, err := io.ReadAll(file)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.uploads++
	id := s.keep(content)
	reply(w, map[string]any{"id": id, "object": "file", "bytes": len(content), "purpose": "batch", "filename": header.Filename, "status": "processed"})
}

func (s *BatchServer) keep(content []byte) string {
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	s.kept++
	id := fmt.Sprintf("file-%d", s.kept)
	s.files[id] = content
	return id
}

func (s *BatchServer) file(w http.ResponseWriter, r *http.Request, id string) {
	id, _, content := strings.Cut(id, "/content")
	data, ok := s.files[id]
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "no such file: "+id)
	case r.Method == http.MethodDelete:
		delete(s.files, id)
		reply(w, map[string]any{"id": id, "object": "file", "deleted": true})
	case content:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(data)
	default:
		reply(w, map[string]any{"id": id, "object": "file", "status": "processed", "purpose": "batch"})
	}
}

func (s *BatchServer) create(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Input    string            `json:"input_file_id"`
		Endpoint string            `json:"endpoint"`
		Window   string            `json:"completion_window"`
		Metadata map[string]string `json:"metadata"`
	}
	err := json.NewDecoder(r.Body).Decode(&q)
	content, ok := s.files[q.Input]
	if err != nil || !ok || q.Window != "24h" || !strings.HasSuffix(q.Endpoint, "/chat/completions") || len(q.Metadata) > 16 {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("not a batch: %v %+v", err, q))
		return
	}
	b := &Batch{
		ID: fmt.Sprintf("batch_%d", len(s.batches)+1), Input: q.Input, Metadata: q.Metadata,
		Requests: bytes.Count(content, []byte("\n")), Status: "validating",
	}
	s.batches = append(s.batches, b)
	reply(w, b.object(0))
}

func (b *Batch) object(done int) map[string]any {
	o := map[string]any{
		"id": b.ID, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": b.Input,
		"completion_window": "24h", "status": b.Status, "created_at": 1700000000, "metadata": b.Metadata,
		"request_counts": map[string]int{"total": b.Requests, "completed": done, "failed": 0},
		"output_file_id": nil, "error_file_id": nil, "errors": nil,
	}
	if b.Output != "" {
		o["output_file_id"] = b.Output
	}
	if b.Errors != "" {
		o["error_file_id"] = b.Errors
	}
	if b.refusals != nil {
		o["errors"] = map[string]any{"object": "list", "data": b.refusals}
	}
	return o
}

// list returns the newest batches first.
func (s *BatchServer) list(w http.ResponseWriter) {
	s.listings++
	var data []any
	for _, b := range slices.Backward(s.batches) {
		data = append(data, b.object(0))
	}
	reply(w, map[string]any{"object": "list", "data": data, "has_more": false})
}

func (s *BatchServer) poll(w http.ResponseWriter, id string) {
	n := slices.IndexFunc(s.batches, func(b *Batch) bool { return b.ID == id })
	if n < 0 {
		refuse(w, http.StatusNotFound, "no such batch: "+id)
		return
	}
	b := s.batches[n]
	b.Polls++
	status, code, message := "completed", "", ""
	if s.End != nil {
		status, code, message = s.End(n + 1)
	}
	switch {
	case b.Status != "validating" && b.Status != "in_progress":
	case status == "failed":
		b.Status, b.refusals = status, []map[string]any{{"code": code, "message": message, "line": nil, "param": nil}}
	case b.Polls <= s.Polls:
		b.Status = "in_progress"
		reply(w, b.object(b.Requests*b.Polls/(s.Polls+1)))
		return
	default:
		b.Status = cmp.Or(status, "completed")
		s.answerAll(b)
	}
	reply(w, b.object(b.Requests))
}

// answerAll sends the requests of a batch that has ended to Chat.
func (s *BatchServer) answerAll(b *Batch) {
	var good, bad []string
	lines := bufio.NewScanner(bytes.NewReader(s.files[b.Input]))
	lines.Buffer(nil, 1<<30)
	for i := 0; lines.Scan(); i++ {
		id, status, body := s.answer(lines.Bytes())
		if b.Status != "completed" && i%2 == 1 { // expired or canceled before this request
			bad = append(bad, fmt.Sprintf(`{"id":"batch_req_%d","custom_id":%q,"response":null,"error":{"code":"batch_%s","message":"This request could not be executed before the completion window expired."}}`, i, id, b.Status))
			continue
		}
		line := fmt.Sprintf(`{"id":"batch_req_%d","custom_id":%q,"response":{"status_code":%d,"request_id":"r","body":%s},"error":null}`, i, id, status, body)
		if status == http.StatusOK {
			good = append(good, line)
		} else {
			bad = append(bad, line)
		}
	}
	slices.Reverse(good) // the order is unspecified
	if s.Lines != nil {
		good = s.Lines(good)
	}
	if len(good) > 0 {
		b.Output = s.keep([]byte(strings.Join(good, "\n") + "\n"))
	}
	if len(bad) > 0 {
		b.Errors = s.keep([]byte(strings.Join(bad, "\n") + "\n"))
	}
}

// answer sends a line of a request file to Chat.
func (s *BatchServer) answer(line []byte) (id string, status int, body string) {
	var q struct {
		ID     string          `json:"custom_id"`
		Method string          `json:"method"`
		URL    string          `json:"url"`
		Body   json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(line, &q); err != nil || q.Method != http.MethodPost || !strings.HasSuffix(q.URL, "/chat/completions") || q.ID == "" || len(q.ID) > 64 {
		return q.ID, http.StatusBadRequest, `{"error":{"message":"no request of a batch"}}`
	}
	s.batched++
	rec := httptest.NewRecorder()
	s.Chat.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, q.URL, bytes.NewReader(q.Body)))
	var compact bytes.Buffer
	if err := json.Compact(&compact, rec.Body.Bytes()); err != nil {
		return q.ID, http.StatusInternalServerError, `{"error":{"message":"no JSON"}}`
	}
	return q.ID, rec.Code, compact.String()
}
