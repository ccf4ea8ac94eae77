package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// maxFailedPolls is how often in a row a server may not say how far a batch is, before
// the run ends. The batch goes on without it.
const maxFailedPolls = 20

// A BatchError says that a server refused a batch as a whole. The state is kept:
// going on makes a new batch of the same requests.
type BatchError struct {
	Batch   string // its id; "" where it was not made
	Reasons []string
	err     error
}

func (e *BatchError) Error() string {
	what := "the server made no batch of the requests"
	if e.Batch != "" {
		what = "the batch " + e.Batch + " was refused"
	}
	if e.err != nil {
		what += ": " + e.err.Error()
	}
	if len(e.Reasons) > 0 {
		what += ": " + strings.Join(e.Reasons, "; ")
	}
	return what
}

// Unwrap is the server's answer, where the batch was not made.
func (e *BatchError) Unwrap() error { return e.err }

// send brings all parts of a round into the store, and begins the next round or
// the last pass.
func (b *Batch) send(ctx context.Context) error {
	clock, guess := b.stack.opts.Clock, 0
	parts := b.state.of(b.state.Round)
	for _, p := range parts {
		if p.Status == partWaiting { // of an earlier process, for batches that may be over
			p.Status = partUploaded
		}
	}
	for seen := make(map[string]string); ; {
		open := 0
		for _, p := range parts {
			err := b.advance(ctx, p, seen)
			switch {
			case err == nil && p.Status == partCreated:
				guess = 0
			case err != nil && ctx.Err() != nil:
				return ctx.Err()
			case err != nil && p.Status == partCreated && Transient(err) && guess < maxFailedPolls:
				guess++
				b.notifyf("batch %s: %v", p.Batch, err)
			case err != nil && p.Status == partCreated:
				return fmt.Errorf("batch %s: %w", p.Batch, err)
			case err != nil:
				return err
			}
			if p.Status != partFetched {
				open++
			}
		}
		if open == 0 {
			break
		}
		if err := clock.Sleep(ctx, b.o.Poll); err != nil {
			return err
		}
	}
	if b.state.Phase = phaseRecording; b.state.Round == maxBatchRounds {
		b.state.Phase = phaseScoring
	}
	b.state.Round++
	return b.save()
}

// advance takes a part as far as it can be taken now. seen is what was told of
// each batch.
func (b *Batch) advance(ctx context.Context, p *batchPart, seen map[string]string) error {
	switch p.Status {
	case partRecorded:
		if err := b.upload(ctx, p); err != nil {
			return err
		}
		return b.advance(ctx, p, seen)
	case partUploaded:
		if ready, err := b.ready(ctx, p); err != nil || !ready {
			return err
		}
		return b.create(ctx, p, false)
	case partCreating:
		return b.create(ctx, p, true)
	case partCreated:
		return b.poll(ctx, p, seen)
	}
	return nil
}

// try calls f again while what it fails of may pass.
func (b *Batch) try(ctx context.Context, f func(context.Context) error) error {
	r := &Retry{Retries: b.stack.opts.Retries, Cap: b.stack.opts.WaitCap, Clock: b.stack.opts.Clock, Notify: b.stack.opts.OnRetry}
	_, err := r.Around(ctx, nil, func(ctx context.Context) (usage.Usage, error) { return usage.Usage{}, f(ctx) })
	return err
}

func (b *Batch) upload(ctx context.Context, p *batchPart) error {
	path := filepath.Join(b.o.Folder, requestFile(p.Name))
	if _, err := os.Stat(path); err != nil {
		return &StoreError{path, err}
	}
	err := b.try(ctx, func(ctx context.Context) (err error) {
		p.File, _, err = b.stack.Client.upload(ctx, path, "ragfaith-"+b.state.Run+"-"+p.Name+".jsonl")
		return err
	})
	if err != nil {
		return b.submitError(err)
	}
	p.Status = partUploaded
	return b.save()
}

// submitError is the error for what a server did not take. One that has no batches
// says so in its own words, which are rarely those.
func (b *Batch) submitError(err error) error {
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return err
	}
	out := &BatchError{err: err}
	if e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed {
		out.Reasons = []string{"it may have no Batch API; without --batch the requests are asked one by one"}
	}
	return out
}

// ready asks whether an uploaded file can be used.
func (b *Batch) ready(ctx context.Context, p *batchPart) (ready bool, err error) {
	err = b.try(ctx, func(ctx context.Context) (err error) {
		ready, err = b.stack.Client.uploaded(ctx, p.File)
		return err
	})
	// A server that can't be asked for a file is taken at its word.
	if e, ok := errors.AsType[*StatusError](err); ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed) {
		return true, nil
	}
	if err != nil {
		return false, b.submitError(err)
	}
	return ready, nil
}

// create makes a batch of a part, exactly one: where it is not known whether there
// is one already, it is looked for first. With search that is so from the
// beginning, and otherwise after a try without a clear answer.
func (b *Batch) create(ctx context.Context, p *batchPart, search bool) error {
	c := b.stack.Client
	metadata := map[string]any{"ragfaith_run": b.state.Run, "ragfaith_part": p.Name, "ragfaith_try": strconv.Itoa(p.Try)}
	if !search {
		p.Status = partCreating
		if err := b.save(); err != nil {
			return err
		}
	}
	var made remoteBatch
	err := b.try(ctx, func(ctx context.Context) error {
		if search {
			found, ok, err := c.findBatch(ctx, metadata)
			if err != nil {
				return fmt.Errorf("whether there is a batch already can't be told: %w", err)
			}
			if made = found; ok {
				return nil
			}
		}
		var err error
		made, err = c.createBatch(ctx, p.File, metadata)
		search = err != nil && !isRejection(err)
		return err
	})
	switch {
	case err == nil:
		p.Batch, p.Status = made.id, partCreated
		b.notifyf("batch %s: submitted, %s", p.Batch, count(p.Requests, "request"))
		return b.save()
	case search || ctx.Err() != nil:
		return err // it stays unknown
	}
	p.Status, p.Try = partUploaded, p.Try+1
	e, _ := errors.AsType[*StatusError](err)
	if queueFull(e.Code+" "+e.Message) && b.hasQueuedBatches(p) {
		return b.wait(p)
	}
	return errors.Join(b.submitError(err), b.save())
}

// refused says that err is the server's clear answer that no batch was made. Behind
// a gateway's 5xx there may be one all the same.
func isRejection(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status >= 300 && e.Status < 500 && e.Status != http.StatusRequestTimeout
}

// queueFull knows the refusal of a batch for the tokens that wait already.
func queueFull(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "token_limit_exceeded") || strings.Contains(said, "enqueued")
}

// hasQueuedBatches says that the run itself has other batches in the queue, which will
// leave it.
func (b *Batch) hasQueuedBatches(p *batchPart) bool {
	for _, q := range b.state.of(b.state.Round) {
		if q != p && q.Status == partCreated {
			return true
		}
	}
	return false
}

func (b *Batch) wait(p *batchPart) error {
	p.Status = partWaiting
	b.notifyf("the server's queue is full: %s wait for the other batches", count(p.Requests, "request"))
	return b.save()
}

// poll asks how far a batch is, and fetches what it brought when it is over.
func (b *Batch) poll(ctx context.Context, p *batchPart, seen map[string]string) error {
	info, err := b.stack.Client.batch(ctx, p.Batch)
	if err != nil {
		return err
	}
	switch info.status {
	case "completed", "expired", "cancelled":
		return b.fetch(ctx, p, info)
	case "failed":
		return b.refusedBatch(p, info)
	}
	word := strings.ReplaceAll(info.status, "_", " ")
	if info.counts > 0 {
		word += fmt.Sprintf(", %d of %d done", info.completed, info.counts)
	}
	if word != "" && seen[p.Batch] != word {
		b.notifyf("batch %s: %s", p.Batch, word)
	}
	seen[p.Batch] = word
	return nil
}

// refusedBatch makes the part one that a new batch can be made of.
func (b *Batch) refusedBatch(p *batchPart, info remoteBatch) error {
	e := &BatchError{Batch: p.Batch}
	full := false
	for i, f := range info.refusals {
		full = full || queueFull(f.code+" "+f.message)
		if i == 3 {
			e.Reasons = append(e.Reasons, fmt.Sprintf("and %d more", len(info.refusals)-i))
		}
		if i >= 3 {
			continue
		}
		reason := f.message
		if f.line > 0 {
			reason = fmt.Sprintf("line %d: %s", f.line, reason)
		}
		e.Reasons = append(e.Reasons, reason)
	}
	p.Batch, p.Status, p.Try = "", partUploaded, p.Try+1
	if full && b.hasQueuedBatches(p) {
		return b.wait(p)
	}
	return errors.Join(e, b.save())
}

// fetch brings the replies of a batch that is over into the store.
func (b *Batch) fetch(ctx context.Context, p *batchPart, info remoteBatch) error {
	p.Output, p.Failed = info.output, info.failed
	if err := b.try(ctx, func(ctx context.Context) error { return b.collect(ctx, p) }); err != nil {
		return err
	}
	p.Status = partFetched
	for _, q := range b.state.of(b.state.Round) {
		if q.Status == partWaiting {
			q.Status = partUploaded
		}
	}
	if err := b.save(); err != nil {
		return err
	}
	word := info.status + ", " + count(p.Replies, "reply")
	if p.Replies != 1 {
		word = info.status + ", " + strconv.Itoa(p.Replies) + " replies"
	}
	if n := p.Requests - p.Replies; n > 0 {
		word += fmt.Sprintf(", %d without one %s asked again", n, areOrIs(n))
	}
	b.notifyf("batch %s: %s", p.Batch, word)
	// The store has what came of it.
	return removeIfThere(filepath.Join(b.o.Folder, requestFile(p.Name)))
}
