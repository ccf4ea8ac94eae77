package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

const (
	// transferTimeout bounds the upload or download of one file.
	transferTimeout = 20 * time.Minute
	// maxBatchLine is the longest line that is read of a batch's replies, in bytes.
	// A reply of 16384 tokens has about 100 kB.
	maxBatchLine = 4 << 20
	listPage     = 100
	// maxPages is how many pages of batches are looked through for one that was
	// made a moment ago; the newest come first.
	maxPages = 20
)

// A remoteBatch is a batch as the server tells of it.
type remoteBatch struct {
	id, status        string
	output, failed    string // ids of files; "" for none
	completed, counts int    // of its requests; counts may be 0 where it does not say
	refusals          []batchFault
}

// A batchFault is a reason for which a whole batch was refused.
type batchFault struct {
	code, message string
	line          int // of the uploaded file, from 1; 0 for none
}

// batchURL is the path that the requests of a batch name.
func (c *Client) batchURL() openai.BatchEndpoint {
	if c.at.kind == openai.APITypeAzure {
		return "/chat/completions" // before its v1 API, by Azure's reference
	}
	return openai.BatchEndpointChatCompletions
}

// limited bounds a call of the Batch API by the timeout of a try.
func (c *Client) limited(ctx context.Context, t *transfer, most time.Duration) (context.Context, context.CancelFunc) {
	ctx = withTransfer(ctx, t)
	if most <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, most)
}

// upload sends a file and returns its id, and whether it is ready to be used.
func (c *Client) upload(ctx context.Context, path, name string) (id string, ready bool, err error) {
	try, cancel := c.limited(ctx, &transfer{path: path}, transferTimeout)
	defer cancel()
	f, err := c.api.CreateFileBytes(try, openai.FileBytesRequest{Name: name, Bytes: []byte(stand), Purpose: openai.PurposeBatch})
	if err != nil {
		return "", false, c.failure(ctx, err)
	}
	if f.ID == "" {
		return "", false, errNoID("file")
	}
	return f.ID, c.ready(f.Status), nil
}

// uploaded asks whether a file is ready to be used.
func (c *Client) uploaded(ctx context.Context, id string) (bool, error) {
	try, cancel := c.limited(ctx, nil, c.timeout)
	defer cancel()
	f, err := c.api.GetFile(try, id)
	if err != nil {
		return false, c.failure(ctx, err)
	}
	switch strings.ToLower(f.Status) {
	case "error", "failed", "deleted":
		return false, &StatusError{Status: 200, Message: "it could not take the file of requests: " + f.Status + " " + f.StatusDetails}
	}
	return c.ready(f.Status), nil
}

// ready reads the status of a file. Azure's take a while; OpenAI's are ready at
// once, and other servers may not say.
func (c *Client) ready(status string) bool {
	switch strings.ToLower(status) {
	case "pending", "running":
		return false
	}
	return true
}

// createBatch begins a batch of the requests in a file.
func (c *Client) createBatch(ctx context.Context, file string, metadata map[string]any) (remoteBatch, error) {
	try, cancel := c.limited(ctx, &transfer{plain: plainBatch}, c.timeout)
	defer cancel()
	b, err := c.api.CreateBatch(try, openai.CreateBatchRequest{
		InputFileID: file, Endpoint: c.batchURL(), CompletionWindow: "24h", Metadata: metadata,
	})
	if err != nil {
		return remoteBatch{}, c.failure(ctx, err)
	}
	if b.ID == "" {
		return remoteBatch{}, errNoID("batch")
	}
	return remote(&b.Batch), nil
}

// batch asks how far a batch is.
func (c *Client) batch(ctx context.Context, id string) (remoteBatch, error) {
	try, cancel := c.limited(ctx, &transfer{plain: plainBatch}, c.timeout)
	defer cancel()
	b, err := c.api.RetrieveBatch(try, id)
	if err != nil {
		return remoteBatch{}, c.failure(ctx, err)
	}
	if b.ID != id {
		return remoteBatch{}, errNoID("batch")
	}
	return remote(&b.Batch), nil
}

// findBatch looks among the server's batches for one with all of metadata.
func (c *Client) findBatch(ctx context.Context, metadata map[string]any) (found remoteBatch, ok bool, err error) {
	var after *string
	limit := listPage
	for range maxPages {
		page, err := c.batches(ctx, after, &limit)
		if err != nil {
			return remoteBatch{}, false, err
		}
		for i := range page.Data {
			if containsAll(page.Data[i].Metadata, metadata) && page.Data[i].ID != "" {
				return remote(&page.Data[i]), true, nil
			}
		}
		if !page.HasMore || len(page.Data) == 0 {
			break
		}
		last := page.Data[len(page.Data)-1].ID
		after = &last
	}
	return remoteBatch{}, false, nil
}

func (c *Client) batches(ctx context.Context, after *string, limit *int) (openai.ListBatchResponse, error) {
	try, cancel := c.limited(ctx, &transfer{plain: plainBatches}, c.timeout)
	defer cancel()
	page, err := c.api.ListBatch(try, after, limit)
	if err != nil {
		return page, c.failure(ctx, err)
	}
	return page, nil
}

func containsAll(all, some map[string]any) bool {
	for k, v := range some {
		if all[k] != v {
			return false
		}
	}
	return true
}

// content hands out the lines of a file on the server, without the key. A line
// that is too long is nil. A line is the caller's until each returns.
func (c *Client) content(ctx context.Context, id string, each func(line []byte) error) error {
	try, cancel := c.limited(ctx, &transfer{stream: true}, transferTimeout)
	defer cancel()
	raw, err := c.api.GetFileContent(try, id)
	if err != nil {
		return c.failure(ctx, err)
	}
	defer raw.Close()
	r := bufio.NewReaderSize(raw, 256<<10)
	var line []byte
	for {
		var readErr error
		line, readErr = boundedLine(r, line[:0])
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &NetworkError{Message: "the file " + shorten(c.wire.fromError(id), 100) + " came only in part: " + c.wire.fromConnError(readErr), err: readErr}
		}
		given := []byte(c.wire.fromJSON(line))
		if len(given) > maxBatchLine {
			given = nil
		}
		if len(line) > 0 {
			if err := each(given); err != nil {
				return err
			}
		}
		if readErr != nil {
			return nil
		}
	}
}

// boundedLine appends a line to buf, but no more than a byte above maxBatchLine of
// it. The rest of a longer one is passed over.
func boundedLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		piece, err := r.ReadSlice('\n')
		if room := maxBatchLine + 1 - len(buf); room > 0 {
			buf = append(buf, piece[:min(len(piece), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// remove deletes a file from the server.
func (c *Client) remove(ctx context.Context, id string) error {
	try, cancel := c.limited(ctx, nil, c.timeout)
	defer cancel()
	if err := c.api.DeleteFile(try, id); err != nil {
		return c.failure(ctx, err)
	}
	return nil
}

func errNoID(what string) error {
	return &StatusError{Status: 200, Message: "what it sent is no " + what + ": has the server batches?"}
}

func remote(b *openai.Batch) remoteBatch {
	out := remoteBatch{
		id: b.ID, status: strings.ToLower(b.Status),
		completed: b.RequestCounts.Completed + b.RequestCounts.Failed, counts: b.RequestCounts.Total,
	}
	if b.OutputFileID != nil {
		out.output = *b.OutputFileID
	}
	if b.ErrorFileID != nil {
		out.failed = *b.ErrorFileID
	}
	if b.Errors != nil {
		for _, e := range b.Errors.Data {
			f := batchFault{code: e.Code, message: shorten(e.Message, 300)}
			if e.Line != nil {
				f.line = *e.Line
			}
			out.refusals = append(out.refusals, f)
		}
	}
	return out
}

// A transfer is how a request of the Batch API differs from others. It travels in
// the request's context, because go-openai builds and reads requests by itself: an
// upload whole in memory, and Azure's batches not at all, whose times are texts.
type transfer struct {
	path   string              // of the file that is uploaded; "" for none
	stream bool                // the answer is handed on unread
	plain  func([]byte) []byte // what go-openai is to see of the answer; nil for all of it
}

type transferKey struct{}

// stand is the content of an upload until transfer.attachFile puts the file there.
const stand = "the-file-goes-here"

func withTransfer(ctx context.Context, t *transfer) context.Context {
	return context.WithValue(ctx, transferKey{}, t)
}

// transferOf is nil for an ordinary request.
func transferOf(ctx context.Context) *transfer {
	t, _ := ctx.Value(transferKey{}).(*transfer)
	return t
}

// attachFile makes the body of an upload one that is read from the file as it is sent.
func (t *transfer) attachFile(r *http.Request) error {
	if t == nil || t.path == "" {
		return nil
	}
	form, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	before, after, ok := bytes.Cut(form, []byte(stand))
	if !ok {
		return errors.New("the form of an upload has no place for the file")
	}
	info, err := os.Stat(t.path)
	if err != nil {
		return err
	}
	r.ContentLength = int64(len(before)) + info.Size() + int64(len(after))
	r.GetBody = func() (io.ReadCloser, error) {
		file, err := safefile.OpenFile(t.path, os.O_RDONLY, 0)
		if err != nil {
			return nil, err
		}
		return &between{io.MultiReader(bytes.NewReader(before), file, bytes.NewReader(after)), file}, nil
	}
	r.Body, err = r.GetBody()
	return err
}

// between is a file with something before and behind it.
type between struct {
	io.Reader
	io.Closer
}

// streams says that an answer is handed on unread. One that is a refusal is not.
func (t *transfer) streams(res *http.Response) bool {
	return t != nil && t.stream && res.StatusCode >= 200 && res.StatusCode < 300
}

// shown is what go-openai sees of an answer.
func (t *transfer) shown(body []byte) []byte {
	if t == nil || t.plain == nil {
		return body
	}
	return t.plain(body)
}

// plainBatch is a batch with what is read of it alone. A text where a number is
// expected would otherwise make the whole unreadable.
func plainBatch(body []byte) []byte {
	var b struct {
		ID       json.RawMessage `json:"id,omitempty"`
		Status   json.RawMessage `json:"status,omitempty"`
		Input    json.RawMessage `json:"input_file_id,omitempty"`
		Output   json.RawMessage `json:"output_file_id,omitempty"`
		Failed   json.RawMessage `json:"error_file_id,omitempty"`
		Errors   json.RawMessage `json:"errors,omitempty"`
		Counts   json.RawMessage `json:"request_counts,omitempty"`
		Metadata json.RawMessage `json:"metadata,omitempty"`
	}
	if json.Unmarshal(body, &b) != nil {
		return body
	}
	out, err := json.Marshal(b)
	if err != nil {
		return body
	}
	return out
}

// plainBatches is plainBatch for a list of them.
func plainBatches(body []byte) []byte {
	var l struct {
		Data   []json.RawMessage `json:"data"`
		LastID json.RawMessage   `json:"last_id,omitempty"`
		More   json.RawMessage   `json:"has_more,omitempty"`
	}
	if json.Unmarshal(body, &l) != nil {
		return body
	}
	for i := range l.Data {
		l.Data[i] = plainBatch(l.Data[i])
	}
	out, err := json.Marshal(l)
	if err != nil {
		return body
	}
	return out
}
