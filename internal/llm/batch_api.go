package llm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

const (
	// transferTimeout limits the upload or download of one file.
	transferTimeout = 20 * time.Minute
	// maxBatchLine limits the bytes read from each line of a reply file. A reply of 16384
	// tokens takes about 100 kB.
	maxBatchLine = 4 << 20
)

// A remoteBatch is the state of a batch on the server.
type remoteBatch struct {
	ID       string         `json:"id"`
	Status   string         `json:"status"`
	Output   string         `json:"output_file_id"` // may be empty
	Failed   string         `json:"error_file_id"`
	Metadata map[string]any `json:"metadata"`
	Counts   optional[struct {
		Total     int `json:"total"` // 0 if the server does not report it
		Completed int `json:"completed"`
		Failed    int `json:"failed"`
	}] `json:"request_counts"`
	Errors optional[struct {
		Data []batchIssue `json:"data"`
	}] `json:"errors"`
}

// A batchIssue is a reason why the server rejected a batch.
type batchIssue struct {
	Message string `json:"message"`
	Line    int    `json:"line"` // line of the uploaded file, from 1, or 0 if unknown
}

// batchURL returns the path in the requests of a batch.
func (c *Client) batchURL() string {
	if c.wire.endpoint.deployments {
		return "/chat/completions" // as documented by Azure for APIs before v1
	}
	return "/v1/chat/completions"
}

func (c *Client) callBatch(ctx context.Context, method, path string, in, out any) error {
	return within(ctx, c.timeout, func(ctx context.Context) error {
		return c.wire.call(ctx, method, c.wire.endpoint.url(path), in, out)
	})
}

// upload sends a file and returns its id.
func (c *Client) upload(ctx context.Context, path, name string) (id string, err error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("purpose", "batch") // writing to a buffer does not fail
	_, _ = w.CreateFormFile("file", name)
	split := form.Len()
	_ = w.Close()
	var file struct {
		ID string `json:"id"`
	}
	err = within(ctx, transferTimeout, func(ctx context.Context) error {
		f, err := safefile.OpenFile(path, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		r, err := c.wire.request(ctx, http.MethodPost, c.wire.endpoint.url("/files"), nil)
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", w.FormDataContentType())
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(form.Bytes()[:split]), f, bytes.NewReader(form.Bytes()[split:])))
		r.ContentLength = int64(form.Len()) + info.Size()
		return c.wire.send(r, &file)
	})
	if err == nil && file.ID == "" {
		err = missingIDError("file")
	}
	return file.ID, err
}

// isUploaded reports whether the server has processed an uploaded file. That
// takes a while on Azure but not on OpenAI. Other servers may report no status.
func (c *Client) isUploaded(ctx context.Context, id string) (bool, error) {
	var f struct {
		Status  string `json:"status"`
		Details string `json:"status_details"`
	}
	if err := c.callBatch(ctx, http.MethodGet, "/files/"+id, nil, &f); err != nil {
		return false, err
	}
	switch strings.ToLower(f.Status) {
	case "error", "failed", "deleted":
		return false, &StatusError{Status: 200, Message: "the request file was rejected: " + f.Status + " " + truncateText(f.Details, maxMessageChars)}
	case "pending", "running":
		return false, nil
	}
	return true, nil
}

// createBatch creates a batch with a name from a file of requests.
func (c *Client) createBatch(ctx context.Context, file, name string) (b remoteBatch, err error) {
	err = c.callBatch(ctx, http.MethodPost, "/batches", map[string]any{
		"input_file_id": file, "endpoint": c.batchURL(), "completion_window": "24h", "metadata": map[string]string{batchNameKey: name},
	}, &b)
	if err == nil && b.ID == "" {
		err = missingIDError("batch")
	}
	return b, err
}

func (c *Client) retrieveBatch(ctx context.Context, id string) (b remoteBatch, err error) {
	err = c.callBatch(ctx, http.MethodGet, "/batches/"+id, nil, &b)
	if err == nil && b.ID != id {
		err = missingIDError("batch")
	}
	return b, err
}

// batchNameKey is the key of a batch's name in its metadata.
const batchNameKey = "ragfaith"

// findBatch returns the batch with a name among the newest 100 on the server, or the zero value
// if no batch has it.
func (c *Client) findBatch(ctx context.Context, name string) (remoteBatch, error) {
	var page struct {
		Data []remoteBatch `json:"data"` // the newest first
	}
	err := c.callBatch(ctx, http.MethodGet, "/batches?limit=100", nil, &page)
	for _, b := range page.Data {
		if b.Metadata[batchNameKey] == name {
			return b, err
		}
	}
	return remoteBatch{}, err
}

// forEachLine calls yield for each line of a file on the server, with the key
// redacted, except for lines that are too large. line is only valid during the call.
func (c *Client) forEachLine(ctx context.Context, id string, yield func(line []byte) error) error {
	return within(ctx, transferTimeout, func(ctx context.Context) error {
		r, err := c.wire.request(ctx, http.MethodGet, c.wire.endpoint.url("/files/"+id+"/content"), nil)
		if err != nil {
			return err
		}
		res, err := c.wire.open(r)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		lines := bufio.NewReaderSize(res.Body, 256<<10)
		var line []byte
		for {
			var readErr error
			if line, readErr = appendLine(lines, line[:0]); readErr != nil && !errors.Is(readErr, io.EOF) {
				return &NetworkError{Message: "file " + truncateText(c.wire.redactError(id), 100) + " was received only in part: " + c.wire.redactConnError(readErr), err: readErr}
			}
			if redacted := c.wire.redactJSON(line); (replyLimit{maxBatchLine, maxReplyValues}).check(redacted) == nil {
				if err := yield(redacted); err != nil {
					return err
				}
			}
			if readErr != nil {
				return nil
			}
		}
	})
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

func missingIDError(kind string) error {
	return &StatusError{Status: 200, Message: "what it sent is no " + kind + ": has the server batches?"}
}
