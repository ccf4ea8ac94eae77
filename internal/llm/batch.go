package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// BatchOptions configure a Batch.
type BatchOptions struct {
	Dir          string            // state directory, created if necessary
	Settings     json.RawMessage   // of the run; those of a resumed one replace them
	Resume       bool              // resume a batch submitted by another process
	PollInterval time.Duration     // interval between status requests
	Notify       func(line string) // called with what happens
}

// A Pass processes all rows once with ask as the model. A row whose error satisfies
// IsDeferred is left to a later pass.
type Pass func(ctx context.Context, ask Completer) error

// A Batch sends the requests of a run through a server's Batch API, which costs half as
// much and can last up to a day. Some requests of a row depend on earlier replies, so a
// batch needs several passes over the rows. Each round begins with a recording pass: it
// stores requests without a reply, up to the limits of a file, and defers their rows. The
// file is uploaded and becomes a batch, whose replies are stored in place of the requests.
// When few requests remain, the last pass is an ordinary run that reads replies from the
// store and sends the remaining requests individually. All replies are parsed by the same
// code, so the results do not depend on batching.
//
// Each step that costs money is recorded on disk before it starts. After a crash, the next
// process finds a batch by its recorded id, or on the server by that of its file.
//
// Only Complete may be called concurrently, and only Close after an error.
type Batch struct {
	BatchOptions
	Resumed bool // the run was started by another process

	stack       *Stack
	store       *batchStore
	state       batchState
	maxRequests int // in a file
	maxBytes    int64

	mu      sync.Mutex // held to record a request
	maxCost amount     // of the recorded requests
}

// Limits of a request file in OpenAI's Batch API.
const (
	maxBatchRequests = 50_000
	maxBatchBytes    = 200_000_000
)

// OpenBatch starts a batch run in a directory. With Resume it resumes an unfinished one, if
// any. It sends no requests. It returns a *StoreError if another process uses the
// directory.
func (s *Stack) OpenBatch(ctx context.Context, opts BatchOptions) (*Batch, error) {
	if info, err := os.Lstat(opts.Dir); err == nil && !info.IsDir() { // a symbolic link may come from a repository
		return nil, &StoreError{opts.Dir, errors.New("is not a directory")}
	}
	if err := safefile.MkdirPrivate(opts.Dir); err != nil {
		return nil, err
	}
	if safefile.Exposed(opts.Dir) {
		opts.Notify("warning: every user can write to " + opts.Dir + " and replace replies")
	}
	store, state, err := openBatchStore(ctx, opts.Dir)
	if err != nil {
		return nil, err
	}
	resumed := len(state.Files) > 0
	if resumed && !opts.Resume {
		err = CheckNoBatch(opts.Dir)
	}
	if !resumed {
		state = batchState{Settings: opts.Settings}
		_, err = store.exec(ctx, `DELETE FROM state; DELETE FROM requests`) // never use replies of another run
	}
	if err != nil {
		return nil, errors.Join(err, store.db.Close())
	}
	opts.Settings = state.Settings
	return &Batch{
		BatchOptions: opts, Resumed: resumed,
		stack: s, store: store, state: state, maxRequests: maxBatchRequests, maxBytes: maxBatchBytes,
	}, nil
}

// CheckNoBatch returns an error if dir is the state directory of a batch that may be submitted,
// which a run that does not resume it would pay for again.
func CheckNoBatch(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, batchStoreFile)); err != nil {
		return nil //nolint:nilerr // there is no batch
	}
	return errors.New(dir + " may have a submitted batch: collect it with --batch --resume, or remove the directory")
}

// CheckRows returns an error if rows, a digest of the rows, differs from that of earlier
// passes.
func (b *Batch) CheckRows(rows string) error {
	if b.state.Rows != "" && b.state.Rows != rows {
		return errors.New("the dataset has changed since the batch in " + b.Dir + " was submitted; to start over, remove the directory")
	}
	b.state.Rows = rows
	return nil
}

// Submitted reports whether any requests of the run were uploaded.
func (b *Batch) Submitted() bool { return len(b.state.Files) > 0 }

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

// cost returns the cost of tokens in a batch.
func (b *Batch) cost(prompt, reply int) amount {
	c := b.stack.Client.sender.price.cost(prompt, reply)
	c.usd *= BatchFactor()
	return c
}

// Completer returns the Completer for the last pass: the stack, with a lookup
// in the store before the client.
func (b *Batch) Completer() Completer { return b.stack.wrap(b, true) }

// Finish ends the batch run by deleting its files on the server, if possible,
// and the state directory. Call it only after saving the results.
func (b *Batch) Finish(ctx context.Context) error {
	for _, id := range b.state.Files {
		if _, err := b.stack.Client.callBatch(ctx, http.MethodDelete, "/files/"+id, nil); err != nil {
			b.notifyf("can't delete file %s from the server", id)
		}
	}
	b.state.Files = nil
	return b.Close()
}

// Close closes the store. It keeps the directory if a batch was submitted, and
// otherwise deletes it.
func (b *Batch) Close() error {
	err := b.store.db.Close()
	if !b.Submitted() {
		err = errors.Join(err, removeIfExists(b.store.path, b.store.path+"-journal"))
		_ = os.Remove(b.Dir) // fails if it contains other files
	}
	return err
}

func (b *Batch) notifyf(format string, args ...any) { b.Notify(fmt.Sprintf(format, args...)) }

// transact keeps the changes made by f, also those by other goroutines, and saves the state
// only if it succeeds.
func (b *Batch) transact(ctx context.Context, f func() error) error {
	before := b.state
	_, err := b.store.exec(ctx, `BEGIN`)
	if err == nil {
		err = f()
	}
	if err == nil {
		err = b.store.save(ctx, &b.state)
	}
	if err == nil {
		_, err = b.store.exec(ctx, `COMMIT`)
	}
	if err != nil {
		_, _ = b.store.exec(ctx, `ROLLBACK`) // fails after errors that ended the transaction
		b.state = before
	}
	return err
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
	_, err := b.poll(ctx, "/files/"+s.File, func(o *batchObject) bool { return o.status() != "pending" && o.status() != "running" })
	if err != nil && !isA[*StatusError](err) {
		return err
	}
	var batch batchObject
	tried := b.Resumed
	err = b.retry(ctx, func(ctx context.Context) (err error) {
		batch, err = c.findBatch(ctx, s.File)
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
