package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// Run records and sends batches until only the last pass remains. A resumed run begins with
// a pass without replies, so that pass can check the rows. Run stops when ctx is canceled. Its
// errors include those of pass and of a Client, and *StoreError.
func (b *Batch) Run(ctx context.Context, pass Pass) (err error) {
	b.countSpent()
	if b.Resumed {
		err = pass(ctx, completerFunc(func(context.Context, *Request) (*Reply, error) { return nil, errDeferred }))
	}
	for err == nil && !b.state.Scoring {
		switch s := &b.state; {
		case s.Requests == 0:
			err = b.record(ctx, pass)
		case s.File == "":
			err = b.upload(ctx)
		case s.Batch == "":
			err = b.create(ctx)
		default:
			err = b.await(ctx)
		}
	}
	return err
}

// countSpent sets what the run has spent, at the prices of batches.
func (b *Batch) countSpent() {
	s := b.stack.Client.sender
	s.update(func() { s.budget.spent = b.cost(b.state.Spent.PromptTokens, b.state.Spent.CompletionTokens) })
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
		if !isTooFewForBatch(n, state.First) {
			return b.checkLimits()
		}
		if n > 0 {
			b.notifyf("requests left, to be sent without a batch: %d", n)
		}
		state.Scoring = true
		_, err := b.store.exec(ctx, `DELETE FROM requests WHERE round = ?`, state.Round)
		return err
	})
}

// checkLimits returns an error if the recorded requests could exceed a limit, since a
// submitted batch can't be stopped when the budget is spent.
func (b *Batch) checkLimits() error {
	budget := b.stack.Client.sender.budget
	if e := budget.exceeded(budget.spent.add(b.maxCost)); e != nil {
		return fmt.Errorf("a batch of %d requests was not submitted: with replies of maximum length, %w", b.state.Requests, e)
	}
	return nil
}

// isTooFewForBatch reports whether n requests are not worth another batch: a twentieth of
// the first round, or fewer than ten if they are less than half of it. A few retries then do
// not take another day.
func isTooFewForBatch(n, first int) bool {
	const fewRequests, minFraction = 10, 20
	return n*minFraction <= first || n < fewRequests && n*2 < first
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
	file.ID = s.File // also if the server can't report it
	var batch batchObject
	tried := b.Resumed
	err = b.retry(ctx, func(ctx context.Context) (err error) {
		batch, err = c.findBatch(ctx, file)
		if err == nil && batch.ID == "" || !tried && isNotFound(err) { // some servers have no list of batches
			tried = true
			batch, err = c.createBatch(ctx, s.File)
		}
		return err
	})
	if err != nil {
		return submitError(err)
	}
	b.notifyf("batch %s: submitted with %d requests", batch.ID, s.Requests)
	s.Batch = batch.ID
	if err := b.store.save(ctx, s); err != nil {
		return err
	}
	return b.stack.opts.Clock.Sleep(ctx, b.PollInterval)
}

// maxFailedPolls is the number of consecutive failed status requests that ends
// the run. The batch continues on the server.
const maxFailedPolls = 20

// poll requests an object until it is done, despite transient errors, and returns it.
func (b *Batch) poll(ctx context.Context, path string, isDone func(*batchObject) bool) (o batchObject, err error) {
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
			b.notifyf("%s: %v", path, err)
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
		if o.ID == "" || slices.Contains([]string{"completed", "expired", "cancelled", failedStatus}, status) {
			return true
		}
		if n := o.Counts.value; n["total"] > 0 {
			status += fmt.Sprintf(", %d of %d done", n["completed"]+n["failed"], n["total"])
		}
		if reported != status {
			b.notifyf("batch %s: %s", id, status)
		}
		reported = status
		return false
	})
	if err == nil {
		err = batch.check()
	}
	if err != nil {
		return fmt.Errorf("batch %s: %w", id, err)
	}
	if batch.status() == failedStatus { // resuming creates another batch of the uploaded file
		b.state.Batch = ""
		return errors.Join(batch.rejection(), b.store.save(ctx, &b.state))
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
	b.countSpent()
	text := fmt.Sprintf("batch %s: %s, replies to %d of %d requests", id, batch.status(), replies, requests)
	if n := requests - replies; n > 0 {
		text += fmt.Sprintf(", %d to be sent again", n)
	}
	b.Notify(text)
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
			isNew, err := b.store.put(ctx, s.Round, &l)
			if isNew {
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
	switch {
	case isNotFound(err):
		return fmt.Errorf("the server did not create a batch: %w: it may have no Batch API; without --batch, requests are sent individually", err)
	case isA[*StatusError](err):
		return fmt.Errorf("the server did not create a batch: %w", err)
	}
	return err
}

// isNotFound reports whether err means that the server lacks a part of the API.
func isNotFound(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}
