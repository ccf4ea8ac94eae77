package llm

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// transferTimeout limits the upload or download of one file.
const transferTimeout = 20 * time.Minute

// A batchObject is a file, a batch or a list of batches on the server.
type batchObject struct {
	ID, Status string
	Created    optional[int64]          `json:"created_at"` // in seconds
	Data       []batchObject            // of a list, the newest first
	HasMore    bool                     `json:"has_more"` // a list goes on
	Input      string                   `json:"input_file_id"`
	Output     string                   `json:"output_file_id"` // may be empty
	Failed     string                   `json:"error_file_id"`
	Counts     optional[map[string]int] `json:"request_counts"` // total, completed and failed; may be empty
	Errors     optional[struct{ Data []struct{ Message string } }]
}

// check returns an error if o is no object: servers without batches may answer anything.
func (o *batchObject) check() error {
	if o.ID == "" {
		return &StatusError{Status: 200, Message: "the response has no id: it may have no Batch API"}
	}
	return nil
}

// status returns the status in lower case with spaces: Azure capitalizes it.
func (o *batchObject) status() string { return strings.ReplaceAll(strings.ToLower(o.Status), "_", " ") }

// rejection returns the first reason why a batch was rejected.
func (o *batchObject) rejection() error {
	for _, e := range o.Errors.value.Data {
		return fmt.Errorf("batch %s was rejected: %s", o.ID, truncateText(e.Message, maxMessageChars))
	}
	return fmt.Errorf("batch %s was rejected", o.ID)
}

// callBatch sends a request about files or batches.
func (c *Client) callBatch(ctx context.Context, method, path string, in any) (o batchObject, err error) {
	err = within(ctx, c.timeout, func(ctx context.Context) error {
		return c.wire.call(ctx, method, c.wire.endpoint.url(path), in, &o)
	})
	return o, err
}

// batchURL returns the path in the requests of a batch.
func (c *Client) batchURL() string {
	if c.wire.endpoint.deployments {
		return "/chat/completions" // as documented by Azure for APIs before v1
	}
	return "/v1/chat/completions"
}

// maxBatchPages limits the pages of 100 batches in which findBatch looks.
const maxBatchPages = 50

// findBatch returns the batch of a file on the server, or the zero value if there is none or it
// was rejected. It reads the list of batches until they are older than the file.
func (c *Client) findBatch(ctx context.Context, file string, created int64) (batchObject, error) {
	path := "/batches?limit=100"
	for range maxBatchPages {
		page, err := c.callBatch(ctx, http.MethodGet, path, nil)
		if err != nil {
			return batchObject{}, fmt.Errorf("check for an existing batch: %w", err)
		}
		for _, o := range page.Data {
			if o.Input == file && o.status() != "failed" {
				return o, nil
			}
		}
		if len(page.Data) == 0 || !page.HasMore {
			break
		}
		oldest := page.Data[len(page.Data)-1]
		if oldest.Created.value > 0 && oldest.Created.value < created {
			break
		}
		path = "/batches?limit=100&after=" + url.QueryEscape(oldest.ID)
	}
	return batchObject{}, nil
}

// upload sends a file of requests and returns its id.
func (c *Client) upload(ctx context.Context, name string, content io.Reader, size int64) (id string, err error) {
	var head bytes.Buffer
	w := multipart.NewWriter(&head)
	_ = w.WriteField("purpose", "batch") // writing to a buffer does not fail
	_, _ = w.CreateFormFile("file", name)
	tail := "\r\n--" + w.Boundary() + "--\r\n"
	var file batchObject
	err = within(ctx, transferTimeout, func(ctx context.Context) error {
		r, err := c.wire.request(ctx, http.MethodPost, c.wire.endpoint.url("/files"), nil)
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", w.FormDataContentType())
		r.ContentLength = int64(head.Len()+len(tail)) + size
		r.Body = io.NopCloser(io.MultiReader(&head, content, strings.NewReader(tail)))
		return c.wire.send(r, &file)
	})
	return file.ID, cmp.Or(err, file.check())
}

// forEachLine calls yield for each line of a file on the server, with the key redacted, except
// for lines that are too long or have too many values. line is only valid during the call.
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
		limit := replyLimit{maxReplyBytes, maxReplyValues}
		lines := bufio.NewReaderSize(res.Body, limit.bytes)
		for {
			line, readErr := lines.ReadSlice('\n')
			for errors.Is(readErr, bufio.ErrBufferFull) {
				line = nil
				_, readErr = lines.ReadSlice('\n')
			}
			if readErr != nil && !errors.Is(readErr, io.EOF) {
				return c.wire.networkError(ctx, readErr)
			}
			if line = c.wire.redactJSON(line); limit.check(line) == nil {
				if err := yield(line); err != nil {
					return err
				}
			}
			if readErr != nil {
				return nil
			}
		}
	})
}

// A batchLine is the response to a request in a reply file.
type batchLine struct {
	Key      string `json:"custom_id"`
	Response struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
}

// err returns the error that the server responded with, or nil.
func (l *batchLine) err() error {
	if l.Response.Status == http.StatusOK {
		return nil
	}
	e := &StatusError{Status: l.Response.Status}
	e.parseBody(string(l.Response.Body))
	return classify(e)
}

// batchUsage returns the tokens that the server reports for a reply, which may be unusable.
func (c *Client) batchUsage(l *batchLine) usage.Usage {
	res, _ := c.wire.decodeChat(l.Response.Body)
	return usage.Usage{Requests: 1, PromptTokens: max(0, res.Usage.PromptTokens), CompletionTokens: max(0, res.Usage.CompletionTokens)}
}
