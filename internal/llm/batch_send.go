package llm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// maxFailedPolls is the number of consecutive failed status requests that ends
// the run. The batch continues on the server.
const maxFailedPolls = 20

func (b *Batch) sleep(ctx context.Context) error {
	return b.stack.opts.Clock.Sleep(ctx, b.PollInterval)
}

// retry calls f, retrying after transient errors.
func (b *Batch) retry(ctx context.Context, f func(context.Context) error) error {
	o := &b.stack.opts
	return Retry(ctx, o.Clock, o.Retries, o.OnRetry, f)
}

// poll requests an object until it is done, despite transient errors, and returns it.
func (b *Batch) poll(ctx context.Context, name, path string, isDone func(*batchObject) bool) (o batchObject, err error) {
	for failed := 0; ; {
		o, err = b.stack.Client.callBatch(ctx, http.MethodGet, path, nil)
		switch {
		case err == nil && isDone(&o):
			return o, nil
		case err == nil:
			failed = 0
		case !IsTransient(err) || failed >= maxFailedPolls:
			return o, err
		default:
			failed++
			b.notifyf("%s: %v", name, err)
		}
		if err := b.sleep(ctx); err != nil {
			return o, err
		}
	}
}

// upload sends the requests of this round as a file.
func (b *Batch) upload(ctx context.Context) error {
	r := &b.state.Round
	err := b.retry(ctx, func(ctx context.Context) error {
		file, err := b.store.requests(ctx, r.Number)
		if err != nil {
			return err
		}
		defer file.Close()
		r.File, err = b.stack.Client.upload(ctx, fmt.Sprintf("ragfaith-%d.jsonl", r.Number+1), file, r.Bytes)
		return err
	})
	if err != nil {
		return submitError(err)
	}
	b.state.Files = append(b.state.Files, r.File)
	return b.store.save(ctx, b.state)
}

// awaitFile waits until the server has processed the uploaded file. That takes a while on
// Azure but not on OpenAI. Other servers may not report the status of a file.
func (b *Batch) awaitFile(ctx context.Context) error {
	id := b.state.Round.File
	file, err := b.poll(ctx, "file "+id, "/files/"+id, func(o *batchObject) bool {
		return o.status() != "pending" && o.status() != "running"
	})
	switch {
	case isMissing(err):
		return nil
	case err == nil && slices.Contains([]string{"error", "failed", "deleted"}, file.status()):
		err = &StatusError{Status: 200, Message: "the request file was rejected: " + file.Status + " " + truncateText(file.Details, maxMessageChars)}
	}
	return submitError(err)
}

// create creates exactly one batch of the uploaded file. After an attempt with unknown
// outcome, also of another process, it first checks whether the batch already exists.
func (b *Batch) create(ctx context.Context) error {
	c, r := b.stack.Client, &b.state.Round
	uncertain := r.Name != ""
	if !uncertain {
		if err := b.awaitFile(ctx); err != nil {
			return err
		}
		r.Name = rand.Text()
		if err := b.store.save(ctx, b.state); err != nil {
			return err
		}
	}
	var batch batchObject
	err := b.retry(ctx, func(ctx context.Context) (err error) {
		if uncertain {
			if batch, err = c.findBatch(ctx, r.Name); err != nil {
				return fmt.Errorf("check for an existing batch: %w", err)
			}
		}
		if batch.ID == "" {
			batch, err = c.createBatch(ctx, r.File, r.Name)
		}
		uncertain = err != nil && !isRejection(err)
		return err
	})
	switch {
	case err != nil && (uncertain || ctx.Err() != nil):
		return err
	case err != nil:
		return b.rejected(ctx, submitError(err))
	}
	b.notifyf("batch %s: submitted, %s", batch.ID, count(r.Requests, "request", "requests"))
	r.Batch = batch.ID
	if err := b.store.save(ctx, b.state); err != nil {
		return err
	}
	return b.sleep(ctx)
}

// rejected returns err, with which the server rejected a batch, after a reset: resuming
// creates another batch of the uploaded file.
func (b *Batch) rejected(ctx context.Context, err error) error {
	b.state.Round.Name, b.state.Round.Batch = "", ""
	return errors.Join(err, b.store.save(ctx, b.state))
}

// await waits until the batch ends, stores its replies and starts the next round.
func (b *Batch) await(ctx context.Context) error {
	id, reported := b.state.Round.Batch, "" // last status that the user was told
	batch, err := b.poll(ctx, "batch "+id, "/batches/"+id, func(o *batchObject) bool {
		status := o.status()
		if o.ID == "" || slices.Contains([]string{"completed", "expired", "cancelled", "failed"}, status) {
			return true
		}
		if n := o.Counts.value; n.Total > 0 {
			status += fmt.Sprintf(", %d of %d done", n.Completed+n.Failed, n.Total)
		}
		if status != "" && reported != status {
			b.notifyf("batch %s: %s", id, status)
		}
		reported = status
		return false
	})
	if err == nil {
		err = batch.check("batch")
	}
	if err != nil {
		return fmt.Errorf("batch %s: %w", id, err)
	}
	if batch.status() == "failed" {
		return b.rejected(ctx, batch.rejection())
	}
	var next *batchState
	replies := 0
	err = b.retry(ctx, func(ctx context.Context) error {
		return b.store.transact(ctx, func() (err error) {
			next, replies, err = b.collect(ctx, slices.DeleteFunc([]string{batch.Output, batch.Failed}, func(id string) bool { return id == "" }))
			return err
		})
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("batch %s: %s, %s", id, batch.status(), count(replies, "reply", "replies"))
	if n := b.state.Round.Requests - replies; n > 0 {
		text += fmt.Sprintf(", %s to be sent again", count(n, "request", "requests"))
	}
	b.Notify(text)
	b.state = next
	return nil
}

// collect stores the replies in the files of a batch, and returns their number and the state
// of the next round. It ignores lines that are invalid or contain an unknown id.
func (b *Batch) collect(ctx context.Context, files []string) (next *batchState, replies int, err error) {
	s, state, round := b.store, *b.state, b.state.Round
	misfits := 0
	for _, id := range files {
		err := b.stack.Client.forEachLine(ctx, id, func(text []byte) error {
			var l batchLine
			if json.Unmarshal(text, &l) != nil {
				return nil //nolint:nilerr // invalid
			}
			known, err := s.put(ctx, round.Number, &l)
			if err != nil || !known {
				return err
			}
			state.Spent = state.Spent.Add(l.usage())
			if f, ok := adaptForm(b.state.Form, &Request{Schema: &Schema{}}, l.err()); ok {
				state.Form, misfits = mergeForms(state.Form, f), misfits+1
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	if err := s.get(ctx, `SELECT count(*) FROM requests WHERE status = 200 AND round = ?`, []any{round.Number}, &replies); err != nil {
		return nil, 0, err
	}
	// A single rejection may be an exception, and is left to the last pass. If half of the
	// requests were rejected, the model does not support the form, and all requests without a
	// reply are recorded again in another one.
	if misfits*2 < round.Requests {
		state.Form = b.state.Form
	} else if _, err := s.exec(ctx, `DELETE FROM requests WHERE status != 200 AND round = ?`, round.Number); err != nil {
		return nil, 0, err
	}
	state.Round, state.Files = batchRound{Number: round.Number + 1}, append(state.Files, files...)
	return &state, replies, s.save(ctx, &state)
}

// submitError adds a hint to an error of submitting a batch if the server may have no Batch
// API, since such servers rarely return a clear error.
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

// isRejection reports whether err means that no batch was created. A 5xx from a
// gateway does not.
func isRejection(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status >= 300 && e.Status < 500 && e.Status != http.StatusRequestTimeout
}
