package llm

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// maxFailedPolls is the number of consecutive failed status requests that ends
// the run. The batch continues on the server.
const maxFailedPolls = 20

// send submits the recorded requests, waits for their replies and starts the next round. It
// continues where an earlier process stopped.
func (b *Batch) send(ctx context.Context) error {
	if b.state.Status == batchRecorded {
		if err := b.upload(ctx); err != nil {
			return err
		}
	}
	if b.state.Status == batchUploaded {
		if err := b.awaitFile(ctx); err != nil {
			return err
		}
	}
	if b.state.Status != batchCreated {
		if err := b.create(ctx, b.state.Status == batchCreating); err != nil {
			return err
		}
		if err := b.sleep(ctx); err != nil {
			return err
		}
	}
	reported := "" // last status that the user was told
	for failed := 0; ; {
		info, err := b.stack.Client.retrieveBatch(ctx, b.state.Batch)
		switch status := strings.ReplaceAll(strings.ToLower(info.Status), "_", " "); {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && (!IsTransient(err) || failed >= maxFailedPolls):
			return fmt.Errorf("batch %s: %w", b.state.Batch, err)
		case err != nil:
			failed++
			b.notifyf("batch %s: %v", b.state.Batch, err)
		case status == "completed" || status == "expired" || status == "cancelled":
			return b.fetchReplies(ctx, status, info)
		case status == "failed":
			return b.rejected(rejectionError(b.state.Batch, info.Errors.value.Data))
		default:
			failed = 0
			if n := info.Counts.value; n.Total > 0 {
				status += fmt.Sprintf(", %d of %d done", n.Completed+n.Failed, n.Total)
			}
			if status != "" && reported != status {
				b.notifyf("batch %s: %s", b.state.Batch, status)
			}
			reported = status
		}
		if err := b.sleep(ctx); err != nil {
			return err
		}
	}
}

func (b *Batch) sleep(ctx context.Context) error {
	return b.stack.opts.Clock.Sleep(ctx, b.opts.PollInterval)
}

// retry calls f, retrying after transient errors.
func (b *Batch) retry(ctx context.Context, f func(context.Context) error) error {
	o := &b.stack.opts
	return Retry(ctx, o.Clock, o.Retries, o.OnRetry, f)
}

func (b *Batch) upload(ctx context.Context) error {
	if _, err := os.Stat(b.requestFile()); err != nil {
		return &StoreError{b.requestFile(), err}
	}
	err := b.retry(ctx, func(ctx context.Context) (err error) {
		b.state.File, err = b.stack.Client.upload(ctx, b.requestFile(), fmt.Sprintf("ragfaith-%s-%d.jsonl", b.state.Run, b.state.Round))
		return err
	})
	if err != nil {
		return submitError(err)
	}
	b.state.Files, b.state.Status = append(b.state.Files, b.state.File), batchUploaded
	return b.save()
}

// submitError converts an error of submitting a batch. It adds a hint if the
// server may have no Batch API, since such servers rarely return a clear error.
func submitError(err error) error {
	if !isA[*StatusError](err) {
		return err
	}
	hint := ""
	if isMissing(err) {
		hint = ": it may have no Batch API; without --batch, requests are sent individually"
	}
	return fmt.Errorf("the server did not create a batch: %w%s", err, hint)
}

// isMissing reports whether the server has no such path.
func isMissing(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

// awaitFile waits until the uploaded file can be used.
func (b *Batch) awaitFile(ctx context.Context) error {
	for ready := false; ; {
		err := b.retry(ctx, func(ctx context.Context) (err error) {
			ready, err = b.stack.Client.isUploaded(ctx, b.state.File)
			return err
		})
		switch {
		case ready || isMissing(err): // some servers can't report the status of a file
			return nil
		case err != nil:
			return submitError(err)
		}
		if err := b.sleep(ctx); err != nil {
			return err
		}
	}
}

// create creates exactly one batch for the uploaded file. If search is set, or after an
// attempt with unknown outcome, it first checks whether the batch already
// exists.
func (b *Batch) create(ctx context.Context, search bool) error {
	name := fmt.Sprintf("%s-%d-%d", b.state.Run, b.state.Round, b.state.Attempt)
	if !search {
		b.state.Status = batchCreating
		if err := b.save(); err != nil {
			return err
		}
	}
	var created remoteBatch
	err := b.retry(ctx, func(ctx context.Context) (err error) {
		if search {
			if created, err = b.stack.Client.findBatch(ctx, name); err != nil {
				return fmt.Errorf("check for an existing batch: %w", err)
			}
			if created.ID != "" {
				return nil
			}
		}
		created, err = b.stack.Client.createBatch(ctx, b.state.File, name)
		search = err != nil && !isRejection(err)
		return err
	})
	switch {
	case err == nil:
		b.state.Batch, b.state.Status = created.ID, batchCreated
		b.notifyf("batch %s: submitted, %s", created.ID, count(b.state.Requests, "request", "requests"))
		return b.save()
	case search || ctx.Err() != nil:
		return err // the outcome remains unknown
	}
	return b.rejected(submitError(err))
}

// isRejection reports whether err means that no batch was created. A 5xx from a
// gateway does not.
func isRejection(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status >= 300 && e.Status < 500 && e.Status != http.StatusRequestTimeout
}

// rejected returns err, with which the server rejected a batch, after a reset: resuming
// creates another batch of the uploaded file.
func (b *Batch) rejected(err error) error {
	b.state.Batch, b.state.Status, b.state.Attempt = "", batchUploaded, b.state.Attempt+1
	return errors.Join(err, b.save())
}

// rejectionError returns the error for a batch that was rejected for some issues, of which it
// names the first.
func rejectionError(batch string, issues []batchIssue) error {
	if len(issues) == 0 {
		return fmt.Errorf("batch %s was rejected", batch)
	}
	reason := truncateText(issues[0].Message, maxMessageChars)
	if line := issues[0].Line; line > 0 {
		reason = fmt.Sprintf("line %d: %s", line, reason)
	}
	if n := len(issues); n > 1 {
		reason += fmt.Sprintf("; and %d more", n-1)
	}
	return fmt.Errorf("batch %s was rejected: %s", batch, reason)
}

// fetchReplies stores the replies of a batch that has ended, and starts the next round.
func (b *Batch) fetchReplies(ctx context.Context, status string, info remoteBatch) error {
	files := slices.DeleteFunc([]string{info.Output, info.Failed}, func(id string) bool { return id == "" })
	state := b.state
	replies := 0
	err := b.retry(ctx, func(ctx context.Context) (err error) {
		replies, err = b.collect(ctx, files)
		return err
	})
	if err != nil {
		return err
	}
	status += ", " + count(replies, "reply", "replies")
	if n := state.Requests - replies; n > 0 {
		status += fmt.Sprintf(", %s to be sent again", count(n, "request", "requests"))
	}
	batch := state.Batch
	state.Files = append(state.Files, files...)
	state.Round++
	state.Status, state.Requests, state.Limit, state.File, state.Batch, state.Attempt = batchRecording, 0, usage.Usage{}, "", "", 0
	if err := b.save(); err != nil {
		return err
	}
	b.notifyf("batch %s: %s", batch, status)
	return removeIfExists(b.requestFile()) // the replies are in the store
}

// collect stores the replies in the reply files of a batch, and returns their number. It
// ignores lines that are invalid, contain an unknown id or occur twice. It may be called
// repeatedly.
func (b *Batch) collect(ctx context.Context, files []string) (replies int, err error) {
	spent, learned, misfits := b.state.Spent, b.state.Form, 0
	replies, err = b.store.replaceReplies(ctx, b.state.Round, func(put putReply) error {
		for _, id := range files {
			err := b.stack.Client.forEachLine(ctx, id, func(line []byte) error {
				l := parseBatchLine(line)
				if l == nil {
					return nil
				}
				next, rejected := b.rejectsForm(l)
				if rejected {
					l.status = statusFormRejected
				}
				known, err := put(l)
				if known {
					spent = spent.Add(l.usage)
				}
				if known && rejected {
					learned, misfits = mergeForms(learned, next), misfits+1
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	// A single rejection may be an exception. If half of the requests were rejected, the model
	// does not support the form, and all of them are sent again in another one.
	if misfits*2 < b.state.Requests {
		learned, err = b.state.Form, b.store.keepFormRejected(ctx)
	} else {
		err = b.store.deleteFormRejected(ctx)
	}
	if err == nil {
		b.state.Spent, b.state.Form = spent, learned
	}
	return replies, err
}

// A batchLine is the response to a request in a reply file.
type batchLine struct {
	key    []byte
	status int
	body   []byte
	usage  usage.Usage // as reported by the server
}

// parseBatchLine parses a line of a reply file. It returns nil if the line is invalid.
func parseBatchLine(line []byte) *batchLine {
	var l struct {
		CustomID string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
	}
	if json.Unmarshal(line, &l) != nil || l.Response == nil {
		return nil
	}
	key, err := base64.RawURLEncoding.DecodeString(l.CustomID)
	if err != nil || len(key) != sha256.Size {
		return nil
	}
	out := &batchLine{key: key, status: l.Response.Status, body: slices.Clone(l.Response.Body)}
	if out.status >= http.StatusBadRequest && out.status <= 599 {
		return out
	}
	var reply struct {
		Choices []json.RawMessage      `json:"choices"`
		Usage   optional[openai.Usage] `json:"usage"`
	}
	if out.status != http.StatusOK || json.Unmarshal(out.body, &reply) != nil || len(reply.Choices) == 0 {
		return nil
	}
	u := &reply.Usage.value
	out.usage = usage.Usage{Requests: 1, PromptTokens: max(0, u.PromptTokens), CompletionTokens: max(0, u.CompletionTokens)}
	return out
}

// rejectsForm reports whether a response rejects the form of its request, and returns
// a form that may work.
func (b *Batch) rejectsForm(l *batchLine) (next form, ok bool) {
	if l.status == http.StatusOK {
		return next, false
	}
	next, guess, ok := adaptForm(b.state.Form, true, classify(batchStatusError(l.status, l.body)))
	return next, ok && !guess
}
