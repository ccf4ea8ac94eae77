package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/usage"
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
// process finds a batch by its recorded id, or on the server by its name.
//
// Only Complete may be called concurrently, and only Close after an error.
type Batch struct {
	BatchOptions
	Resumed bool // the run was started by another process

	stack       *Stack
	store       *batchStore
	state       *batchState
	done        bool
	maxRequests int // in a file
	maxBytes    int64

	mu        sync.Mutex  // held to record a request
	maxUsage  usage.Usage // of the recorded requests
	recordErr error       // first error; ends recording
}

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
	resumed := state.isSubmitted()
	if resumed && !opts.Resume {
		err = unfinishedBatchError(opts.Dir)
	}
	if !resumed {
		state = &batchState{Settings: opts.Settings}
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

// CheckNoBatch returns an error if dir contains an unfinished run with a submitted batch,
// which a new run would pay for again.
func CheckNoBatch(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, batchStoreFile)); err != nil {
		return nil //nolint:nilerr // there is no batch
	}
	store, state, err := openBatchStore(ctx, dir)
	if err != nil {
		return err
	}
	if state.isSubmitted() {
		err = unfinishedBatchError(dir)
	}
	return errors.Join(err, store.db.Close())
}

func unfinishedBatchError(dir string) error {
	return errors.New(dir + " has a submitted batch: collect it with --batch --resume, or remove the directory")
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
func (b *Batch) Submitted() bool { return b.state.isSubmitted() }

func (b *Batch) notifyf(format string, args ...any) { b.Notify(fmt.Sprintf(format, args...)) }

// Run records and sends batches until only the last pass remains. A resumed run begins with
// a pass without replies, so that pass can check the rows. Run stops when ctx is canceled. Its
// errors include those of pass and of a Client, and *StoreError.
func (b *Batch) Run(ctx context.Context, pass Pass) (err error) {
	if b.Resumed {
		err = pass(ctx, completerFunc(func(context.Context, *Request) (*Reply, error) { return nil, errDeferred }))
	}
	for err == nil && !b.state.Scoring {
		switch r := &b.state.Round; {
		case r.Requests == 0:
			err = b.record(ctx, pass)
		case r.File == "":
			err = b.upload(ctx)
		case r.Batch == "":
			err = b.create(ctx)
		default:
			err = b.await(ctx)
		}
	}
	if err == nil {
		s := b.stack.Client.sender
		s.update(func() { s.budget.spent = s.budget.spent.add(b.cost(b.state.Spent)) })
	}
	return err
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
	b.done = true
	return b.Close()
}

// Close closes the store. It keeps the directory if a batch was submitted, and
// otherwise deletes it.
func (b *Batch) Close() error {
	err := b.store.db.Close()
	if b.done || !b.state.isSubmitted() {
		err = errors.Join(err, removeIfExists(b.store.path, b.store.path+"-journal"))
		_ = os.Remove(b.Dir) // fails if it contains other files
	}
	return err
}
