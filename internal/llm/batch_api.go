package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
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
	// maxPages limits the search for a recently created batch. The newest batches are
	// listed first.
	maxPages = 20
)

// A remoteBatch is the state of a batch on the server. It has only the fields that are
// used: others differ between servers, such as the times of Azure.
type remoteBatch struct {
	ID         string         `json:"id"`
	Status     string         `json:"status"`         // in lower case
	OutputFile string         `json:"output_file_id"` // may be empty
	ErrorFile  string         `json:"error_file_id"`  // may be empty
	Metadata   map[string]any `json:"metadata"`
	Counts     struct {
		Total     int `json:"total"` // 0 if the server does not report it
		Completed int `json:"completed"`
		Failed    int `json:"failed"`
	} `json:"request_counts"`
	Errors struct {
		Data []batchIssue `json:"data"`
	} `json:"errors"`
}

// A batchIssue is a reason why the server rejected a batch.
type batchIssue struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line"` // line of the uploaded file, from 1, or 0 if unknown
}

// batchURL returns the path in the requests of a batch.
func (c *Client) batchURL() string {
	if c.endpoint.apiType == openai.APITypeAzure {
		return "/chat/completions" // as documented by Azure for APIs before v1
	}
	return "/v1/chat/completions"
}

// call sends a request to a path of the API and decodes the reply.
func (c *Client) call(ctx context.Context, method, path string, body, reply any) error {
	reqCtx, cancel := withTimeout(ctx, c.timeout)
	defer cancel()
	r, err := c.newRequest(reqCtx, method, c.endpoint.url(path), body)
	if err != nil {
		return err
	}
	return c.decode(ctx, r, reply)
}

// decode sends a request and decodes the reply.
func (c *Client) decode(ctx context.Context, r *http.Request, reply any) error {
	content, err := c.fetch(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, reply); err != nil {
		return c.failure(ctx, err)
	}
	return nil
}

// upload sends a file and returns its id.
func (c *Client) upload(ctx context.Context, path, name string) (id string, err error) {
	reqCtx, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	r, err := c.newRequest(reqCtx, http.MethodPost, c.endpoint.url("/files"), nil)
	if err != nil {
		return "", err
	}
	if err := attachFile(r, path, name); err != nil {
		return "", err
	}
	var file struct {
		ID string `json:"id"`
	}
	if err := c.decode(ctx, r, &file); err != nil {
		return "", err
	}
	if file.ID == "" {
		return "", missingIDError("file")
	}
	return file.ID, nil
}

// attachFile makes r upload the file at path under a name, without holding it in memory.
func attachFile(r *http.Request, path, name string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	form := multipart.NewWriter(&buf)
	if err := form.WriteField("purpose", "batch"); err != nil {
		return err
	}
	if _, err := form.CreateFormFile("file", name); err != nil {
		return err
	}
	n := buf.Len()
	if err := form.Close(); err != nil {
		return err
	}
	before, after := buf.Bytes()[:n], buf.Bytes()[n:]
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.ContentLength = int64(buf.Len()) + info.Size()
	r.GetBody = func() (io.ReadCloser, error) {
		file, err := safefile.OpenFile(path, os.O_RDONLY, 0)
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

// isUploaded reports whether the server has processed an uploaded file. That
// takes a while on Azure but not on OpenAI. Other servers may report no status.
func (c *Client) isUploaded(ctx context.Context, id string) (bool, error) {
	var file struct {
		Status  string `json:"status"`
		Details string `json:"status_details"`
	}
	if err := c.call(ctx, http.MethodGet, "/files/"+id, nil, &file); err != nil {
		return false, err
	}
	switch strings.ToLower(file.Status) {
	case "error", "failed", "deleted":
		return false, &StatusError{Status: 200, Message: "the request file was rejected: " + file.Status + " " + file.Details}
	case "pending", "running":
		return false, nil
	}
	return true, nil
}

// createBatch creates a batch from a file of requests and returns its id.
func (c *Client) createBatch(ctx context.Context, file string, metadata map[string]any) (id string, err error) {
	var b remoteBatch
	if err := c.call(ctx, http.MethodPost, "/batches", map[string]any{
		"input_file_id": file, "endpoint": c.batchURL(), "completion_window": "24h", "metadata": metadata,
	}, &b); err != nil {
		return "", err
	}
	if b.ID == "" {
		return "", missingIDError("batch")
	}
	return b.ID, nil
}

// retrieveBatch returns the state of a batch.
func (c *Client) retrieveBatch(ctx context.Context, id string) (b remoteBatch, err error) {
	if err := c.call(ctx, http.MethodGet, "/batches/"+id, nil, &b); err != nil {
		return remoteBatch{}, err
	}
	if b.ID != id {
		return remoteBatch{}, missingIDError("batch")
	}
	b.Status = strings.ToLower(b.Status)
	return b, nil
}

// findBatch searches the server's batches for one with the given metadata. It returns ""
// if there is none.
func (c *Client) findBatch(ctx context.Context, metadata map[string]any) (id string, err error) {
	const list = "/batches?limit=100"
	path := list
	for range maxPages {
		var page struct {
			Data []remoteBatch `json:"data"`
			More bool          `json:"has_more"`
		}
		if err := c.call(ctx, http.MethodGet, path, nil, &page); err != nil {
			return "", err
		}
		for _, b := range page.Data {
			if containsAll(b.Metadata, metadata) && b.ID != "" {
				return b.ID, nil
			}
		}
		if !page.More || len(page.Data) == 0 {
			break
		}
		path = list + "&after=" + url.QueryEscape(page.Data[len(page.Data)-1].ID)
	}
	return "", nil
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
// redacted. line is nil if it is too long, and only valid during the call.
func (c *Client) forEachLine(ctx context.Context, id string, yield func(line []byte) error) error {
	reqCtx, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	req, err := c.newRequest(reqCtx, http.MethodGet, c.endpoint.url("/files/"+id+"/content"), nil)
	if err != nil {
		return err
	}
	res, err := c.wire.send(req)
	if err != nil {
		return c.failure(ctx, err)
	}
	defer res.Body.Close()
	r := bufio.NewReaderSize(res.Body, 256<<10)
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
		if len(redactedLine) > maxBatchLine {
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
	return c.call(ctx, http.MethodDelete, "/files/"+id, nil, &struct{}{})
}

func missingIDError(kind string) error {
	return &StatusError{Status: 200, Message: "what it sent is no " + kind + ": has the server batches?"}
}
