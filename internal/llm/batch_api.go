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
	// transferTimeout limits the upload or download of one file.
	transferTimeout = 20 * time.Minute
	// maxBatchLine limits the bytes read from each line of a reply file. A reply of 16384
	// tokens takes about 100 kB.
	maxBatchLine = 4 << 20
	listPage     = 100
	// maxPages limits the search for a recently created batch. The newest batches are
	// listed first.
	maxPages = 20
)

// A remoteBatch is the state of a batch on the server.
type remoteBatch struct {
	id, status            string
	outputFile, errorFile string // ids of files; may be empty
	completed, total      int    // requests; total is 0 if the server does not report it
	issues                []batchIssue
}

// A batchIssue is a reason why the server rejected a batch.
type batchIssue struct {
	code, message string
	line          int // line of the uploaded file, from 1, or 0 if unknown
}

// batchURL returns the path in the requests of a batch.
func (c *Client) batchURL() openai.BatchEndpoint {
	if c.endpoint.apiType == openai.APITypeAzure {
		return "/chat/completions" // as documented by Azure for APIs before v1
	}
	return openai.BatchEndpointChatCompletions
}

// upload sends a file and returns its id.
func (c *Client) upload(ctx context.Context, path, name string) (id string, err error) {
	reqCtx, cancel := withTimeout(withTransfer(ctx, &transfer{path: path}), transferTimeout)
	defer cancel()
	f, err := c.api.CreateFileBytes(reqCtx, openai.FileBytesRequest{Name: name, Bytes: []byte(placeholder), Purpose: openai.PurposeBatch})
	if err != nil {
		return "", c.failure(ctx, err)
	}
	if f.ID == "" {
		return "", missingIDError("file")
	}
	return f.ID, nil
}

// isUploaded reports whether the server has processed an uploaded file. That
// takes a while on Azure but not on OpenAI. Other servers may report no status.
func (c *Client) isUploaded(ctx context.Context, id string) (bool, error) {
	reqCtx, cancel := withTimeout(ctx, c.timeout)
	defer cancel()
	f, err := c.api.GetFile(reqCtx, id)
	if err != nil {
		return false, c.failure(ctx, err)
	}
	switch strings.ToLower(f.Status) {
	case "error", "failed", "deleted":
		return false, &StatusError{Status: 200, Message: "the request file was rejected: " + f.Status + " " + f.StatusDetails}
	case "pending", "running":
		return false, nil
	}
	return true, nil
}

// createBatch creates a batch from a file of requests.
func (c *Client) createBatch(ctx context.Context, file string, metadata map[string]any) (remoteBatch, error) {
	reqCtx, cancel := withTimeout(withTransfer(ctx, &transfer{simplify: keepKnownFields}), c.timeout)
	defer cancel()
	b, err := c.api.CreateBatch(reqCtx, openai.CreateBatchRequest{
		InputFileID: file, Endpoint: c.batchURL(), CompletionWindow: "24h", Metadata: metadata,
	})
	if err != nil {
		return remoteBatch{}, c.failure(ctx, err)
	}
	if b.ID == "" {
		return remoteBatch{}, missingIDError("batch")
	}
	return newRemoteBatch(&b.Batch), nil
}

// retrieveBatch returns the state of a batch.
func (c *Client) retrieveBatch(ctx context.Context, id string) (remoteBatch, error) {
	reqCtx, cancel := withTimeout(withTransfer(ctx, &transfer{simplify: keepKnownFields}), c.timeout)
	defer cancel()
	b, err := c.api.RetrieveBatch(reqCtx, id)
	if err != nil {
		return remoteBatch{}, c.failure(ctx, err)
	}
	if b.ID != id {
		return remoteBatch{}, missingIDError("batch")
	}
	return newRemoteBatch(&b.Batch), nil
}

// findBatch searches the server's batches for one with the given metadata.
func (c *Client) findBatch(ctx context.Context, metadata map[string]any) (found remoteBatch, ok bool, err error) {
	var after *string
	limit := listPage
	for range maxPages {
		page, err := c.listBatches(ctx, after, &limit)
		if err != nil {
			return remoteBatch{}, false, err
		}
		for i := range page.Data {
			if containsAll(page.Data[i].Metadata, metadata) && page.Data[i].ID != "" {
				return newRemoteBatch(&page.Data[i]), true, nil
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

func (c *Client) listBatches(ctx context.Context, after *string, limit *int) (openai.ListBatchResponse, error) {
	reqCtx, cancel := withTimeout(withTransfer(ctx, &transfer{simplify: keepKnownListFields}), c.timeout)
	defer cancel()
	page, err := c.api.ListBatch(reqCtx, after, limit)
	if err != nil {
		return page, c.failure(ctx, err)
	}
	return page, nil
}

// containsAll reports whether m contains all entries of subset.
func containsAll(m, subset map[string]any) bool {
	for k, v := range subset {
		if m[k] != v {
			return false
		}
	}
	return true
}

// forEachLine calls yield for each line of a file on the server, with the key
// redacted. line is nil if it is too large, and only valid during the call.
func (c *Client) forEachLine(ctx context.Context, id string, yield func(line []byte) error) error {
	reqCtx, cancel := withTimeout(withTransfer(ctx, &transfer{stream: true}), transferTimeout)
	defer cancel()
	raw, err := c.api.GetFileContent(reqCtx, id)
	if err != nil {
		return c.failure(ctx, err)
	}
	defer raw.Close()
	r := bufio.NewReaderSize(raw, 256<<10)
	var line []byte
	for {
		var readErr error
		line, readErr = appendLine(r, line[:0])
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &NetworkError{Message: "file " + truncateText(c.wire.redactError(id), 100) + " was received only in part: " + c.wire.redactConnError(readErr), err: readErr}
		}
		redactedLine := []byte(c.wire.redactJSON(line))
		if (replyLimit{maxBatchLine, maxReplyValues}).check(redactedLine) != nil {
			redactedLine = nil
		}
		if len(line) > 0 {
			if err := yield(redactedLine); err != nil {
				return err
			}
		}
		if readErr != nil {
			return nil
		}
	}
}

// appendLine appends a line to buf, up to one byte more than maxBatchLine, and
// skips the rest of a longer line.
func appendLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		chunk, err := r.ReadSlice('\n')
		if available := maxBatchLine + 1 - len(buf); available > 0 {
			buf = append(buf, chunk[:min(len(chunk), available)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// deleteFile deletes a file from the server.
func (c *Client) deleteFile(ctx context.Context, id string) error {
	reqCtx, cancel := withTimeout(ctx, c.timeout)
	defer cancel()
	if err := c.api.DeleteFile(reqCtx, id); err != nil {
		return c.failure(ctx, err)
	}
	return nil
}

func missingIDError(kind string) error {
	return &StatusError{Status: 200, Message: "what it sent is no " + kind + ": has the server batches?"}
}

func newRemoteBatch(b *openai.Batch) remoteBatch {
	out := remoteBatch{
		id: b.ID, status: strings.ToLower(b.Status),
		completed: b.RequestCounts.Completed + b.RequestCounts.Failed, total: b.RequestCounts.Total,
	}
	if b.OutputFileID != nil {
		out.outputFile = *b.OutputFileID
	}
	if b.ErrorFileID != nil {
		out.errorFile = *b.ErrorFileID
	}
	if b.Errors != nil {
		for _, e := range b.Errors.Data {
			f := batchIssue{code: e.Code, message: truncateText(e.Message, 300)}
			if e.Line != nil {
				f.line = *e.Line
			}
			out.issues = append(out.issues, f)
		}
	}
	return out
}

// A transfer customizes a request of the Batch API. It is passed in the context
// because go-openai builds and parses requests itself: it holds uploads in
// memory, and can't parse the string timestamps in Azure's batches.
type transfer struct {
	path     string              // file to upload, if any
	stream   bool                // return the response without reading it
	simplify func([]byte) []byte // rewrites the response for go-openai; may be nil
}

type transferKey struct{}

// placeholder is the content of an upload that transfer.attachFile replaces
// with the file.
const placeholder = "the-file-goes-here"

func withTransfer(ctx context.Context, t *transfer) context.Context {
	return context.WithValue(ctx, transferKey{}, t)
}

// transferFromContext returns the transfer in ctx, or nil.
func transferFromContext(ctx context.Context) *transfer {
	t, _ := ctx.Value(transferKey{}).(*transfer)
	return t
}

// attachFile streams the file into the body of an upload.
func (t *transfer) attachFile(r *http.Request) error {
	if t == nil || t.path == "" {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	before, after, ok := bytes.Cut(body, []byte(placeholder))
	if !ok {
		return errors.New("missing file placeholder in the upload form")
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
		return &fileBody{io.MultiReader(bytes.NewReader(before), file, bytes.NewReader(after)), file}, nil
	}
	r.Body, err = r.GetBody()
	return err
}

// A fileBody is a request body with a file between a prefix and a suffix.
type fileBody struct {
	io.Reader
	io.Closer
}

// isStreamed reports whether the response is returned without reading it.
// Errors never are.
func (t *transfer) isStreamed(res *http.Response) bool {
	return t != nil && t.stream && res.StatusCode >= 200 && res.StatusCode < 300
}

// rewrite returns the response body for go-openai.
func (t *transfer) rewrite(body []byte) []byte {
	if t == nil || t.simplify == nil {
		return body
	}
	return t.simplify(body)
}

// keepKnownFields removes unused fields of a batch. go-openai rejects a batch
// if any of them has an unexpected type.
func keepKnownFields(body []byte) []byte {
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

// keepKnownListFields is like keepKnownFields, but for a list of batches.
func keepKnownListFields(body []byte) []byte {
	var l struct {
		Data   []json.RawMessage `json:"data"`
		LastID json.RawMessage   `json:"last_id,omitempty"`
		More   json.RawMessage   `json:"has_more,omitempty"`
	}
	if json.Unmarshal(body, &l) != nil {
		return body
	}
	for i := range l.Data {
		l.Data[i] = keepKnownFields(l.Data[i])
	}
	out, err := json.Marshal(l)
	if err != nil {
		return body
	}
	return out
}
