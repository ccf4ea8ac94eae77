package llm

import (
	"context"
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
	clock, failedPolls := b.stack.opts.Clock, 0
	parts := b.state.partsOf(b.state.Round)
	for _, p := range parts {
		if p.Status == partWaiting { // the batches of an earlier process may have ended
			p.Status = partUploaded
		}
	}
	for lastStatus := make(map[string]string); ; {
		unfinished := 0
		for _, p := range parts {
			err := b.advance(ctx, p, lastStatus)
			switch {
			case err == nil && p.Status == partCreated:
				failedPolls = 0
			case err != nil && ctx.Err() != nil:
				return ctx.Err()
			case err != nil && p.Status == partCreated && IsTransient(err) && failedPolls < maxFailedPolls:
				failedPolls++
				b.notifyf("batch %s: %v", p.Batch, err)
			case err != nil && p.Status == partCreated:
				return fmt.Errorf("batch %s: %w", p.Batch, err)
			case err != nil:
				return err
			}
			if p.Status != partFetched {
				unfinished++
			}
		}
		if unfinished == 0 {
			break
		}
		if err := clock.Sleep(ctx, b.opts.PollInterval); err != nil {
			return err
		}
	}
	if b.state.Phase = phaseRecording; b.state.Round == maxBatchRounds {
		b.state.Phase = phaseScoring
	}
	b.state.Round++
	return b.save()
}

// advance performs the next possible steps for a part. lastStatus contains the last
// reported status of each batch.
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
	r := &Retry{Retries: b.stack.opts.Retries, Clock: b.stack.opts.Clock, Notify: b.stack.opts.OnRetry}
	_, err := r.Do(ctx, nil, func(ctx context.Context) (usage.Usage, error) { return usage.Usage{}, f(ctx) })
	return err
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
		return b.submitError(err)
	}
	p.Status = partUploaded
	return b.save()
}

// submitError converts an error of submitting a batch. It adds a hint if the
// server may have no Batch API, since such servers rarely return a clear error.
func (b *Batch) submitError(err error) error {
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return err
	}
	hint := ""
	if e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed {
		hint = ": it may have no Batch API; without --batch, requests are sent individually"
	}
	return fmt.Errorf("the server did not create a batch: %w%s", err, hint)
}

// isReady reports whether the uploaded file of a part can be used.
func (b *Batch) isReady(ctx context.Context, p *batchPart) (ready bool, err error) {
	err = b.retry(ctx, func(ctx context.Context) (err error) {
		ready, err = b.stack.Client.isUploaded(ctx, p.File)
		return err
	})
	// If the server can't report the status of a file, assume that it is ready.
	if e, ok := errors.AsType[*StatusError](err); ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed) {
		return true, nil
	}
	if err != nil {
		return false, b.submitError(err)
	}
	return ready, nil
}

// create creates exactly one batch for a part. If search is set, or after an
// attempt with unknown outcome, it first checks whether the batch already
// exists.
func (b *Batch) create(ctx context.Context, p *batchPart, search bool) error {
	c := b.stack.Client
	metadata := map[string]any{"ragfaith_run": b.state.Run, "ragfaith_part": p.Name, "ragfaith_try": strconv.Itoa(p.Attempt)}
	if !search {
		p.Status = partCreating
		if err := b.save(); err != nil {
			return err
		}
	}
	var created remoteBatch
	err := b.retry(ctx, func(ctx context.Context) error {
		if search {
			found, ok, err := c.findBatch(ctx, metadata)
			if err != nil {
				return fmt.Errorf("check for an existing batch: %w", err)
			}
			if created = found; ok {
				return nil
			}
		}
		var err error
		created, err = c.createBatch(ctx, p.File, metadata)
		search = err != nil && !isRejection(err)
		return err
	})
	switch {
	case err == nil:
		p.Batch, p.Status = created.id, partCreated
		b.notifyf("batch %s: submitted, %s", p.Batch, count(p.Requests, "request", "requests"))
		return b.save()
	case search || ctx.Err() != nil:
		return err // the outcome remains unknown
	}
	p.Status, p.Attempt = partUploaded, p.Attempt+1
	e, _ := errors.AsType[*StatusError](err)
	if isQueueFull(e.Code+" "+e.Message) && b.hasQueuedBatches(p) {
		return b.waitForQueue(p)
	}
	return errors.Join(b.submitError(err), b.save())
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

// hasQueuedBatches reports whether other batches of the run are queued on the
// server.
func (b *Batch) hasQueuedBatches(p *batchPart) bool {
	return slices.ContainsFunc(b.state.partsOf(b.state.Round), func(q *batchPart) bool { return q != p && q.Status == partCreated })
}

func (b *Batch) waitForQueue(p *batchPart) error {
	p.Status = partWaiting
	b.notifyf("the server's queue is full: %s wait for the other batches", count(p.Requests, "request", "requests"))
	return b.save()
}

// poll requests the status of a batch, and fetches the replies when the batch
// has ended.
func (b *Batch) poll(ctx context.Context, p *batchPart, lastStatus map[string]string) error {
	info, err := b.stack.Client.retrieveBatch(ctx, p.Batch)
	if err != nil {
		return err
	}
	switch info.status {
	case "completed", "expired", "cancelled":
		return b.fetchReplies(ctx, p, info)
	case "failed":
		return b.handleRejection(p, info)
	}
	status := strings.ReplaceAll(info.status, "_", " ")
	if info.total > 0 {
		status += fmt.Sprintf(", %d of %d done", info.completed, info.total)
	}
	if status != "" && lastStatus[p.Batch] != status {
		b.notifyf("batch %s: %s", p.Batch, status)
	}
	lastStatus[p.Batch] = status
	return nil
}

// handleRejection resets a part, so that resuming creates a new batch of the same
// requests, and returns the error of the rejected one.
func (b *Batch) handleRejection(p *batchPart, info remoteBatch) error {
	const maxReasons = 3
	var reasons []string
	for i, f := range info.issues {
		if i == maxReasons {
			reasons = append(reasons, fmt.Sprintf("and %d more", len(info.issues)-i))
			break
		}
		reason := f.message
		if f.line > 0 {
			reason = fmt.Sprintf("line %d: %s", f.line, reason)
		}
		reasons = append(reasons, reason)
	}
	rejected := "batch " + p.Batch + " was rejected"
	if len(reasons) > 0 {
		rejected += ": " + strings.Join(reasons, "; ")
	}
	queueIsFull := slices.ContainsFunc(info.issues, func(f batchIssue) bool { return isQueueFull(f.code + " " + f.message) })
	p.Batch, p.Status, p.Attempt = "", partUploaded, p.Attempt+1
	if queueIsFull && b.hasQueuedBatches(p) {
		return b.waitForQueue(p)
	}
	return errors.Join(errors.New(rejected), b.save())
}

// fetchReplies stores the replies of a batch that has ended.
func (b *Batch) fetchReplies(ctx context.Context, p *batchPart, info remoteBatch) error {
	p.Output, p.Failed = info.outputFile, info.errorFile
	if err := b.retry(ctx, func(ctx context.Context) error { return b.collect(ctx, p) }); err != nil {
		return err
	}
	p.Status = partFetched
	for _, q := range b.state.partsOf(b.state.Round) {
		if q.Status == partWaiting {
			q.Status = partUploaded
		}
	}
	if err := b.save(); err != nil {
		return err
	}
	status := info.status + ", " + count(p.Replies, "reply", "replies")
	if n := p.Requests - p.Replies; n > 0 {
		status += fmt.Sprintf(", %s to be sent again", count(n, "request", "requests"))
	}
	b.notifyf("batch %s: %s", p.Batch, status)
	// The replies are in the store.
	return removeIfExists(filepath.Join(b.opts.Dir, requestFile(p.Name)))
}
