package llm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// Limits of a request file in OpenAI's Batch API.
const (
	maxBatchRequests = 50_000
	maxBatchBytes    = 200_000_000
)

// BatchOptions configure a Batch.
type BatchOptions struct {
	Dir          string          // state directory, created if necessary
	Settings     json.RawMessage // settings of the run, which must match to resume a batch
	Resume       bool            // resume a batch submitted by another process
	PollInterval time.Duration   // interval between status requests
	Notify       func(line string)
}

// An UnfinishedBatchError reports that a directory contains a submitted batch,
// which a new run would pay for again.
type UnfinishedBatchError struct{ Dir string }

// Error suggests what to do.
func (e *UnfinishedBatchError) Error() string {
	return e.Dir + " has a submitted batch: collect it with --batch --resume, or remove the directory"
}

// A BatchSettingsError reports that a batch was submitted with different
// settings.
type BatchSettingsError struct {
	Dir      string
	Settings json.RawMessage
}

// Error names only the directory. Callers can compare Settings with their own.
func (e *BatchSettingsError) Error() string {
	return e.Dir + " can't be resumed: its run had other settings"
}

// A Pass processes all rows once with ask as the model, and returns a hash of
// the rows. A row whose error satisfies IsDeferred is left to a later pass.
type Pass func(ctx context.Context, ask Completer) (rows string, err error)

// A Batch sends the requests of a run through a server's Batch API, which costs half as
// much and can last up to a day. Some requests of a row depend on earlier replies, so a
// batch needs several passes over the rows. A recording pass writes each request
// without a reply to a file, until that is full, and defers its row. The file becomes a
// batch, whose replies are stored on disk by the key of their request. The next pass reads
// these replies and records further requests. When few requests remain, the last pass is
// an ordinary run that reads replies from the store and sends the remaining requests
// individually. All replies are parsed by the same code, so the
// results do not depend on batching.
//
// Each step that costs money is recorded on disk before it starts. After a
// crash, the next process finds a batch by its recorded id, or on the server by
// the name of the run.
//
// Methods must not be called concurrently. The Completers are safe for
// concurrent use.
type Batch struct {
	stack   *Stack
	opts    BatchOptions
	store   *batchStore
	state   *batchState
	resumed bool
	done    bool

	maxRequests int // in a file
	maxBytes    int64
}

// OpenBatch starts a batch run in a directory. With Resume it resumes an
// unfinished one, if any. It returns an *UnfinishedBatchError, a
// *BatchSettingsError, or a *StoreError if another process uses the directory.
// It sends no requests.
func (s *Stack) OpenBatch(ctx context.Context, opts BatchOptions) (*Batch, error) {
	if opts.Notify == nil {
		opts.Notify = func(string) {}
	}
	b := &Batch{stack: s, opts: opts, maxRequests: maxBatchRequests, maxBytes: maxBatchBytes}
	if info, err := os.Lstat(opts.Dir); err == nil && !info.IsDir() { // a symbolic link may come from a repository
		return nil, &StoreError{opts.Dir, errors.New("is not a directory")}
	}
	if err := safefile.MkdirPrivate(opts.Dir); err != nil {
		return nil, err
	}
	if safefile.Exposed(opts.Dir) {
		opts.Notify("warning: every user can write to " + opts.Dir + " and replace replies")
	}
	var err error
	if b.store, err = openBatchStore(ctx, filepath.Join(opts.Dir, batchStoreFile)); err != nil {
		return nil, err
	}
	if err := b.load(ctx); err != nil {
		return nil, errors.Join(err, b.store.db.Close())
	}
	return b, nil
}

// load resumes the stored state if a batch was submitted, and otherwise
// discards it.
func (b *Batch) load(ctx context.Context) error {
	s, err := readState(b.opts.Dir)
	if err != nil {
		return err
	}
	if s != nil && s.submitted() {
		switch {
		case !b.opts.Resume:
			return &UnfinishedBatchError{b.opts.Dir}
		case !sameJSON(s.Settings, b.opts.Settings):
			return &BatchSettingsError{b.opts.Dir, s.Settings}
		}
		b.state, b.resumed = s, true
		return nil
	}
	if err := removeIfExists(b.requestFile()); err != nil {
		return err
	}
	b.state = &batchState{
		Version: stateVersion, Run: rand.Text(), Settings: b.opts.Settings, Status: batchRecording, Round: 1,
	}
	return b.store.deleteAll(ctx) // never use replies of another run
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}

// Resumed reports whether the run was started by another process.
func (b *Batch) Resumed() bool { return b.resumed }

// Submitted reports whether any files of the run were uploaded.
func (b *Batch) Submitted() bool { return b.state.submitted() }

// Dir returns the state directory.
func (b *Batch) Dir() string { return b.opts.Dir }

func (b *Batch) notifyf(format string, args ...any) { b.opts.Notify(fmt.Sprintf(format, args...)) }

func (b *Batch) save() error {
	if err := b.state.write(b.opts.Dir); err != nil {
		return fmt.Errorf("save batch state: %w", err)
	}
	return nil
}

// CheckRows returns an error if rows, a hash of the rows, differs from that of a
// resumed batch.
func (b *Batch) CheckRows(rows string) error {
	if b.state.Rows != "" && b.state.Rows != rows {
		return errors.New("the dataset has changed since the batch in " + b.opts.Dir + " was submitted; to start over, remove the directory")
	}
	return nil
}

// Run records and sends batches until only the last pass remains. It stops when
// ctx is canceled. Its errors include those of pass and of a Client, and
// *StoreError.
func (b *Batch) Run(ctx context.Context, pass Pass) error {
	for b.state.Status != batchScoring {
		step := b.send
		if b.state.Status == batchRecording {
			step = func(ctx context.Context) error { return b.record(ctx, pass) }
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	b.charge()
	return nil
}

// Completer returns the Completer for the last pass: the stack, with a lookup
// in the store before the client.
func (b *Batch) Completer() Completer {
	return b.stack.wrap(completerFunc(func(ctx context.Context, r *Request) (*Reply, error) {
		if reply, known, err := b.replay(ctx, r); !IsDeferred(err) && (known || err != nil) {
			return reply, err
		}
		return b.stack.Client.Complete(ctx, r)
	}), true)
}

// Finish ends the batch run by deleting its files on the server, if possible,
// and the state directory. Call it only after saving the results.
func (b *Batch) Finish(ctx context.Context) error {
	for _, id := range b.state.Files {
		if b.stack.Client.callBatch(ctx, http.MethodDelete, "/files/"+id, nil, &struct{}{}) != nil {
			b.notifyf("can't delete file %s from the server", id)
		}
	}
	b.done = true
	return b.Close()
}

// Close closes the store. It keeps the directory if a batch was submitted, and
// otherwise deletes it.
func (b *Batch) Close() error {
	if b.store == nil {
		return nil
	}
	err := b.store.db.Close()
	if b.done || !b.state.submitted() {
		err = errors.Join(err, b.deleteFiles())
	}
	b.store = nil
	return err
}

// deleteFiles deletes the files and the directory. It deletes the state first,
// since the other files are useless without it.
func (b *Batch) deleteFiles() error {
	state, store := filepath.Join(b.opts.Dir, stateFile), b.store.path
	if err := removeIfExists(state, state+".new", b.requestFile(), store+"-wal", store+"-shm", store+"-journal", store); err != nil {
		return err
	}
	_ = os.Remove(b.opts.Dir) // fails if it contains other files
	return nil
}

// checkLimits returns an error if the maximum cost of the recorded requests exceeds a limit,
// since a submitted batch can't be stopped when the budget is spent.
func (b *Batch) checkLimits() error {
	total, spent, p := b.state.Limit, b.state.Spent, b.price()
	cost := func(u usage.Usage) float64 { return p.cost(u.PromptTokens, u.CompletionTokens).usd }
	exceeds := func(maxCost, spent, limit string) error {
		return fmt.Errorf("a batch of %s was not submitted: with replies of maximum length it takes %s, %s is spent, and it could exceed the limit of %s",
			count(b.state.Requests, "request", "requests"), maxCost, spent, limit)
	}
	if limit := b.stack.opts.MaxCost; limit > 0 && cost(spent)+cost(total) > limit {
		return exceeds(fmt.Sprintf("$%.4f", cost(total)), fmt.Sprintf("$%.4f", cost(spent)), fmt.Sprintf("$%.4g", limit))
	}
	if limit := b.stack.opts.MaxTokens; limit > 0 && spent.Tokens()+total.Tokens() > limit {
		return exceeds(fmt.Sprintf("%d tokens", total.Tokens()), strconv.Itoa(spent.Tokens()), fmt.Sprintf("%d tokens", limit))
	}
	return nil
}

// charge adds the cost of the batches to the budget.
func (b *Batch) charge() {
	spent := b.state.Spent
	b.stack.Client.sender.budget.charge(b.price().cost(spent.PromptTokens, spent.CompletionTokens))
}

func (b *Batch) price() price {
	p := b.stack.Client.sender.price
	return price{p.in * BatchFactor(), p.out * BatchFactor()}
}
