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
	"slices"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// Run records and sends batches until only the last pass remains. A resumed run begins with
// a pass without replies, so that pass can check the rows. Run stops when ctx is canceled. Its
// errors include those of pass and of a Client, and *StoreError.
func (b *Batch) Run(ctx context.Context, pass Pass) (err error) {
	if b.Resumed {
		err = pass(ctx, completerFunc(func(context.Context, *Request) (*Reply, error) { return nil, errDeferred }))
	}
	for {
		sender, state := b.stack.Client.sender, &b.state
		sender.update(func() { sender.budget.spent = b.cost(state.Spent.PromptTokens, state.Spent.CompletionTokens) })
		switch {
		case err != nil || state.Scoring:
			return err
		case state.Requests == 0:
			err = b.record(ctx, pass)
		case state.File == "":
			err = b.upload(ctx)
		case state.Batch == "":
			err = b.create(ctx)
		default:
			err = b.await(ctx)
		}
	}
}

// record makes a recording pass, and decides whether its requests are enough for a batch.
func (b *Batch) record(ctx context.Context, pass Pass) error {
	s, state := b.stack, &b.state
	// The form may have been learned in an earlier round or by another process.
	s.Client.adoptForm(state.Form, nil)
	state.Form = s.Client.currentForm()
	b.maxCost = amount{}
	var ask Completer = s.replyRetry(b, true)
	if s.opts.Cache != nil { // only the last pass stores and counts replies
		ask = &cachedCompleter{Cache: s.opts.Cache, next: ask, endpoint: s.Client.Endpoint(), model: s.Client.ModelKey(), readOnly: true}
	}
	return b.transact(ctx, func() error {
		if err := pass(ctx, ask); err != nil {
			return err
		}
		n := state.Requests
		if state.Round == 0 {
			state.First = n
		}
		// A few retries do not take another day: a twentieth of the first round, or fewer than ten
		// requests if they are less than half of it.
		if n*20 <= state.First || n < 10 && n*2 < state.First {
			if n > 0 {
				b.Notify("requests left, to be sent without a batch: %d", n)
			}
			state.Scoring = true
			_, err := b.store.exec(ctx, `DELETE FROM requests WHERE round = ?`, state.Round)
			return err
		}
		budget := s.Client.sender.budget
		if e := budget.exceeded(budget.spent.add(b.maxCost)); e != nil { // a submitted batch can't be stopped
			return fmt.Errorf("a batch of %d requests was not submitted: with replies of maximum length, %w", n, e)
		}
		return nil
	})
}

// retry calls f, retrying after transient errors.
func (b *Batch) retry(ctx context.Context, f func(context.Context) error) error {
	o := &b.stack.opts
	return Retry(ctx, o.Clock, o.Retries, o.OnRetry, f)
}

// upload sends the requests of this round as a file.
func (b *Batch) upload(ctx context.Context) error {
	s := &b.state
	err := b.retry(ctx, func(ctx context.Context) error {
		file, err := b.store.requests(ctx, s.Round)
		if err != nil {
			return err
		}
		defer file.Close()
		s.File, err = b.stack.Client.upload(ctx, fmt.Sprintf("ragfaith-%d.jsonl", s.Round+1), file, s.Bytes)
		return err
	})
	if err != nil {
		return submitError(err)
	}
	s.Files = append(s.Files, s.File)
	return b.store.save(ctx, s)
}

// create creates exactly one batch of the uploaded file. It first looks for one, which an
// earlier attempt, also of another process, may have created.
func (b *Batch) create(ctx context.Context) error {
	c, s := b.stack.Client, &b.state
	// Azure, unlike OpenAI, takes a while to process a file. Other servers may report no status.
	file, err := b.poll(ctx, "/files/"+s.File, func(o *batchObject) bool { return o.status() != "pending" && o.status() != "running" })
	if err != nil && !isA[*StatusError](err) {
		return err
	}
	var batch batchObject
	tried := b.Resumed
	err = b.retry(ctx, func(ctx context.Context) (err error) {
		batch, err = c.findBatch(ctx, s.File, file.Created.value)
		if err == nil && batch.ID == "" || !tried && isNotFound(err) { // some servers have no list of batches
			tried = true
			batch, err = c.callBatch(ctx, http.MethodPost, "/batches", map[string]string{"input_file_id": s.File, "endpoint": c.batchURL(), "completion_window": "24h"})
			err = cmp.Or(err, batch.check())
		}
		return err
	})
	if err != nil {
		return submitError(err)
	}
	b.Notify("batch %s: submitted with %d requests", batch.ID, s.Requests)
	s.Batch = batch.ID
	return b.store.save(ctx, s)
}

// poll requests an object until it is done, despite transient errors, and returns it.
func (b *Batch) poll(ctx context.Context, path string, isDone func(*batchObject) bool) (o batchObject, err error) {
	for failed := 0; ; {
		o, err = b.stack.Client.callBatch(ctx, http.MethodGet, path, nil)
		err = cmp.Or(err, o.check())
		switch {
		case err == nil && isDone(&o):
			return o, nil
		case err == nil:
			failed = 0
		case !IsTransient(err) || failed == maxFailedPolls:
			return o, err
		default:
			failed++
			b.Notify("%s: %v", path, err)
		}
		if err := b.stack.opts.Clock.Sleep(ctx, b.PollInterval); err != nil {
			return o, err
		}
	}
}

// await waits until the batch ends, stores its replies and starts the next round.
func (b *Batch) await(ctx context.Context) error {
	id, reported := b.state.Batch, "" // last status that the user was told
	batch, err := b.poll(ctx, "/batches/"+id, func(o *batchObject) bool {
		status := o.status()
		if slices.Contains([]string{"completed", "expired", "cancelled", "failed"}, status) {
			return true
		}
		if n := o.Counts.value; n["total"] > 0 {
			status += fmt.Sprintf(", %d of %d done", n["completed"]+n["failed"], n["total"])
		}
		if reported != status {
			b.Notify("batch %s: %s", id, status)
		}
		reported = status
		return false
	})
	if err != nil {
		return fmt.Errorf("batch %s: %w", id, err)
	}
	if batch.status() == "failed" { // rejected as a whole; resuming creates another batch of the uploaded file
		b.state.Batch = ""
		err := fmt.Errorf("batch %s was rejected", id)
		if reasons := batch.Errors.value.Data; len(reasons) > 0 {
			err = fmt.Errorf("%w: %s", err, truncateText(reasons[0].Message, maxMessageChars))
		}
		return errors.Join(err, b.store.save(ctx, &b.state))
	}
	requests, replies := b.state.Requests, 0
	err = b.retry(ctx, func(ctx context.Context) error {
		return b.transact(ctx, func() (err error) {
			replies, err = b.collect(ctx, &batch)
			return err
		})
	})
	if err != nil {
		return err
	}
	b.Notify("batch %s: %s, replies to %d of %d requests", id, batch.status(), replies, requests)
	return nil
}

// collect stores the replies in the files of a batch, returns their number, and starts the
// next round. It ignores lines that are invalid or contain an unknown id.
func (b *Batch) collect(ctx context.Context, batch *batchObject) (replies int, err error) {
	s := &b.state
	next, misfits := s.Form, 0
	for _, id := range []string{batch.Output, batch.Failed} {
		if id == "" {
			continue
		}
		s.Files = append(slices.Clip(s.Files), id)
		err := b.stack.Client.forEachLine(ctx, id, func(text []byte) error {
			var l batchLine
			if json.Unmarshal(text, &l) != nil {
				return nil //nolint:nilerr // invalid
			}
			if rejection := l.err(); rejection != nil {
				if f, ok := adaptForm(s.Form, &Request{Schema: &Schema{}, Logprobs: maxAlternatives}, rejection); ok {
					next, misfits = mergeForms(next, f), misfits+1
				}
				return nil
			}
			isNew, err := b.store.exec(ctx, `UPDATE requests SET request = NULL, reply = ? WHERE key = ? AND round = ? AND reply IS NULL`, []byte(l.Response.Body), l.Key, s.Round)
			if isNew > 0 {
				replies++
				s.Spent = s.Spent.Add(b.stack.Client.batchUsage(&l))
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	// A single rejection may be an exception, and is left to the last pass. If half of the
	// requests were rejected, the model does not support the form, and all requests without a
	// reply are recorded again in another one.
	if misfits*2 >= s.Requests {
		s.Form = next
		_, err = b.store.exec(ctx, `DELETE FROM requests WHERE reply IS NULL AND round = ?`, s.Round)
	}
	s.Round, s.Requests, s.Bytes, s.File, s.Batch = s.Round+1, 0, 0, "", ""
	return replies, err
}

// submitError returns an error of submitting a batch.
func submitError(err error) error {
	if isA[*StatusError](err) {
		return fmt.Errorf("the server did not create a batch; without --batch, requests are sent individually: %w", err)
	}
	return err
}

// isNotFound reports whether err means that the server lacks a part of the API.
func isNotFound(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}

const (
	transferTimeout = 20 * time.Minute // for the upload or download of one file
	maxBatchPages   = 50               // of 100 batches each, in which findBatch looks
	maxFailedPolls  = 20               // consecutive failed status requests that end the run, but not the batch
)

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

// findBatch returns the batch of a file on the server, or the zero value if there is none or it
// was rejected. It reads the list of batches until they are older than the file.
func (c *Client) findBatch(ctx context.Context, file string, created int64) (batchObject, error) {
	after := ""
	for range maxBatchPages {
		page, err := c.callBatch(ctx, http.MethodGet, "/batches?limit=100"+after, nil)
		if err != nil {
			return batchObject{}, fmt.Errorf("check for an existing batch: %w", err)
		}
		for _, o := range page.Data {
			if o.Input == file && o.status() != "failed" {
				return o, nil
			}
		}
		if len(page.Data) == 0 || !page.HasMore {
			return batchObject{}, nil
		}
		oldest := page.Data[len(page.Data)-1]
		if oldest.Created.value > 0 && oldest.Created.value < created {
			return batchObject{}, nil
		}
		after = "&after=" + url.QueryEscape(oldest.ID)
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

// batchUsage returns the tokens that the server reports for a reply, which may be unusable.
func (c *Client) batchUsage(l *batchLine) usage.Usage {
	res, _ := c.wire.decodeChat(l.Response.Body)
	return usage.Usage{Requests: 1, PromptTokens: max(0, res.Usage.PromptTokens), CompletionTokens: max(0, res.Usage.CompletionTokens)}
}
