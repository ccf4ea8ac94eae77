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
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// maxFailedPolls is the number of consecutive failed status requests that ends
// the run. The batch continues on the server.
const maxFailedPolls = 20

// send submits all parts of a round, waits for their replies and starts the
// next phase.
func (b *Batch) send(ctx context.Context) error {
	failedPolls := 0
	lastStatus := map[string]string{} // last reported status of each batch
	for parts := b.state.partsOf(b.state.Round); ; {
		unfinished := 0
		for _, p := range parts {
			polled := p.Status == partCreated
			err := b.advance(ctx, p, lastStatus)
			switch {
			case err == nil && polled:
				failedPolls = 0
			case err == nil:
			case ctx.Err() != nil:
				return ctx.Err()
			case p.Status != partCreated:
				return err
			case !IsTransient(err) || failedPolls >= maxFailedPolls:
				return fmt.Errorf("batch %s: %w", p.Batch, err)
			default:
				failedPolls++
				b.notifyf("batch %s: %v", p.Batch, err)
			}
			if p.Status != partFetched {
				unfinished++
			}
		}
		if unfinished == 0 {
			break
		}
		if err := b.stack.opts.Clock.Sleep(ctx, b.opts.PollInterval); err != nil {
			return err
		}
	}
	if b.state.Phase = phaseRecording; b.state.Round == maxBatchRounds {
		b.state.Phase = phaseScoring
	}
	b.state.Round++
	return b.save()
}

// advance performs the next possible steps for a part.
func (b *Batch) advance(ctx context.Context, p *batchPart, lastStatus map[string]string) error {
	switch p.Status {
	case partRecorded:
		if err := b.upload(ctx, p); err != nil {
			return err
		}
		return b.advance(ctx, p, lastStatus)
	case partUploaded:
		if ready, err := b.isReady(ctx, p); err != nil || !ready {
			return err
		}
		return b.create(ctx, p, false)
	case partCreating:
		return b.create(ctx, p, true)
	case partCreated:
		return b.poll(ctx, p, lastStatus)
	}
	return nil
}

// retry calls f, retrying after transient errors.
func (b *Batch) retry(ctx context.Context, f func(context.Context) error) error {
	o := &b.stack.opts
	return Retry(ctx, o.Clock, o.Retries, o.OnRetry, f)
}

func (b *Batch) upload(ctx context.Context, p *batchPart) error {
	path := filepath.Join(b.opts.Dir, requestFile(p.Name))
	if _, err := os.Stat(path); err != nil {
		return &StoreError{path, err}
	}
	err := b.retry(ctx, func(ctx context.Context) (err error) {
		p.File, err = b.stack.Client.upload(ctx, path, "ragfaith-"+b.state.Run+"-"+p.Name+".jsonl")
		return err
	})
	if err != nil {
		return submitError(err)
	}
	p.Status = partUploaded
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

// isReady reports whether the uploaded file of a part can be used.
func (b *Batch) isReady(ctx context.Context, p *batchPart) (ready bool, err error) {
	err = b.retry(ctx, func(ctx context.Context) (err error) {
		ready, err = b.stack.Client.isUploaded(ctx, p.File)
		return err
	})
	switch {
	case isMissing(err): // the server can't report the status of a file
		return true, nil
	case err != nil:
		return false, submitError(err)
	}
	return ready, nil
}

// create creates exactly one batch for a part. If search is set, or after an
// attempt with unknown outcome, it first checks whether the batch already
// exists.
func (b *Batch) create(ctx context.Context, p *batchPart, search bool) error {
	metadata := map[string]any{"ragfaith_run": b.state.Run, "ragfaith_part": p.Name, "ragfaith_try": strconv.Itoa(p.Attempt)}
	if !search {
		p.Status = partCreating
		if err := b.save(); err != nil {
			return err
		}
	}
	var created remoteBatch
	err := b.retry(ctx, func(ctx context.Context) (err error) {
		if search {
			if created, err = b.stack.Client.findBatch(ctx, metadata); err != nil {
				return fmt.Errorf("check for an existing batch: %w", err)
			}
			if created.ID != "" {
				return nil
			}
		}
		created, err = b.stack.Client.createBatch(ctx, p.File, metadata)
		search = err != nil && !isRejection(err)
		return err
	})
	switch {
	case err == nil:
		p.Batch, p.Status = created.ID, partCreated
		b.notifyf("batch %s: submitted, %s", p.Batch, count(p.Requests, "request", "requests"))
		return b.save()
	case search || ctx.Err() != nil:
		return err // the outcome remains unknown
	}
	e, _ := errors.AsType[*StatusError](err)
	return b.rejected(p, isQueueFull(e.Code+" "+e.Message), submitError(err))
}

// isRejection reports whether err means that no batch was created. A 5xx from a
// gateway does not.
func isRejection(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status >= 300 && e.Status < 500 && e.Status != http.StatusRequestTimeout
}

// isQueueFull reports whether msg rejects a batch because too many tokens are
// enqueued.
func isQueueFull(msg string) bool {
	msg = strings.ToLower(msg)
	return strings.Contains(msg, "token_limit_exceeded") || strings.Contains(msg, "enqueued")
}

// rejected resets a part whose batch the server rejected, so that a new one is created: at
// the next poll if the server's queue is full of other batches of the run, and otherwise by
// another process, since err ends the run.
func (b *Batch) rejected(p *batchPart, queueFull bool, err error) error {
	p.Batch, p.Status, p.Attempt = "", partUploaded, p.Attempt+1
	others := func(q *batchPart) bool { return q != p && q.Status == partCreated }
	if queueFull && slices.ContainsFunc(b.state.partsOf(b.state.Round), others) {
		b.notifyf("the server's queue is full: %s wait for the other batches", count(p.Requests, "request", "requests"))
		return b.save()
	}
	return errors.Join(err, b.save())
}

// poll requests the status of a batch, and fetches the replies when the batch
// has ended.
func (b *Batch) poll(ctx context.Context, p *batchPart, lastStatus map[string]string) error {
	info, err := b.stack.Client.retrieveBatch(ctx, p.Batch)
	if err != nil {
		return err
	}
	status := strings.ReplaceAll(strings.ToLower(info.Status), "_", " ")
	switch status {
	case "completed", "expired", "cancelled":
		p.Output, p.Failed = info.Output, info.Failed
		return b.fetchReplies(ctx, p, status)
	case "failed":
		queueFull := slices.ContainsFunc(info.Errors.value.Data, func(f batchIssue) bool { return isQueueFull(f.Code + " " + f.Message) })
		return b.rejected(p, queueFull, rejectionError(p.Batch, info.Errors.value.Data))
	}
	if n := info.Counts.value; n.Total > 0 {
		status += fmt.Sprintf(", %d of %d done", n.Completed+n.Failed, n.Total)
	}
	if status != "" && lastStatus[p.Batch] != status {
		b.notifyf("batch %s: %s", p.Batch, status)
	}
	lastStatus[p.Batch] = status
	return nil
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

// fetchReplies stores the replies of a batch that has ended.
func (b *Batch) fetchReplies(ctx context.Context, p *batchPart, status string) error {
	if err := b.retry(ctx, func(ctx context.Context) error { return b.collect(ctx, p) }); err != nil {
		return err
	}
	p.Status = partFetched
	if err := b.save(); err != nil {
		return err
	}
	status += ", " + count(p.Replies, "reply", "replies")
	if n := p.Requests - p.Replies; n > 0 {
		status += fmt.Sprintf(", %s to be sent again", count(n, "request", "requests"))
	}
	b.notifyf("batch %s: %s", p.Batch, status)
	// The replies are in the store.
	return removeIfExists(filepath.Join(b.opts.Dir, requestFile(p.Name)))
}

// collect stores the replies from both reply files of a batch. It ignores lines
// that are invalid, contain an unknown id or occur twice. It may be called
// repeatedly.
func (b *Batch) collect(ctx context.Context, p *batchPart) error {
	spent, learned, misfits := usage.Usage{}, b.state.Form, 0
	replies, err := b.store.replaceReplies(ctx, p.Name, func(put putReply) error {
		for _, id := range []string{p.Output, p.Failed} {
			if id == "" {
				continue
			}
			err := b.stack.Client.forEachLine(ctx, id, func(line []byte) error {
				l := parseBatchLine(line)
				if l == nil {
					return nil
				}
				if next, ok := b.rejectsForm(l); ok {
					l.status, learned = statusFormRejected, mergeForms(learned, next)
				}
				known, err := put(l)
				if known {
					spent = spent.Add(l.usage)
				}
				if known && l.status == statusFormRejected {
					misfits++
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
		return err
	}
	p.Usage, p.Replies = spent, replies
	// A single rejection may be an exception. If half of the requests were rejected, the model
	// does not support the form, and all of them are sent again in another one.
	if misfits*2 < p.Requests {
		return b.store.exec(ctx, `UPDATE requests SET status = -1 WHERE part = ? AND status = ?`, p.Name, statusFormRejected)
	}
	b.state.Form = learned
	return nil
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
		Choices []json.RawMessage   `json:"choices"`
		Usage   optional[chatUsage] `json:"usage"`
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
