package llm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// The limits of one file of requests, by OpenAI's reference of the Batch API.
const (
	batchRequests = 50_000
	batchBytes    = 200_000_000
)

// maxBatchRounds is how often what came up since the last batch makes a new one. What
// comes up after that is asked online, as is what is little.
const maxBatchRounds = 3

// BatchOptions are the settings of a Batch.
type BatchOptions struct {
	Folder   string          // for its state; made if need be
	Settings json.RawMessage // of the run that it is for: it goes on only with the same
	Resume   bool            // go on with what another process submitted
	Poll     time.Duration   // between two questions how far a batch is
	Notify   func(line string)

	MaxRequests int   // of a file; 0 for 50,000
	MaxBytes    int64 // of a file; 0 for 200 MB
}

// An UnfinishedBatchError says that a folder holds a batch that was submitted,
// which a new run would pay for a second time.
type UnfinishedBatchError struct{ Folder string }

// Error says what can be done.
func (e *UnfinishedBatchError) Error() string {
	return e.Folder + " holds a batch that was submitted: --batch --resume collects it; to do without, remove the folder"
}

// A BatchSettingsError says that a batch was submitted by a run with other
// settings.
type BatchSettingsError struct {
	Folder string
	Was    json.RawMessage
}

// Error says what can be done.
func (e *BatchSettingsError) Error() string {
	return e.Folder + " can't be gone on with, the settings of its run were others"
}

// A Pass takes all rows through the stages once, with ask in the place of the
// model. A row whose error is Deferred is left for a later pass. It returns a hash
// of the rows.
type Pass func(ctx context.Context, ask Completer) (rows string, err error)

// A Batch has a run's requests answered by a server's batches, at half the price
// and within a day, instead of one by one.
//
// A run asks row by row, and what it asks next depends on the replies. So it goes
// over the rows several times. In a recording pass each request that has no reply
// yet is written to a file, and its row given up for now. The files become
// batches; the replies go into a store on the disk, by the key of their request.
// The next pass finds them there, comes further with each row, and records what
// comes up. When little or nothing is left, or after three rounds, the last pass
// is an ordinary run: its Completer looks into the store first, and asks online
// for what has no reply there. A reply is read by the same code wherever it comes
// from, so the results are those of an online run.
//
// Each step that costs is on the disk before it is begun. A process that is killed
// is followed by one that finds the batch by its recorded id, or on the server by
// the run's name.
//
// Its methods are for one goroutine at a time, its Completers for many.
type Batch struct {
	stack   *Stack
	o       BatchOptions
	store   *batchStore
	state   *batchState
	resumed bool
	done    bool
}

// OpenBatch begins a batch run in a folder, or with Resume goes on with one; where
// there is none, that begins one as well. It returns an *UnfinishedBatchError, a
// *BatchSettingsError, or a *StoreError where another process has it. Nothing is
// sent.
func (s *Stack) OpenBatch(ctx context.Context, o BatchOptions) (*Batch, error) {
	if o.MaxRequests <= 0 {
		o.MaxRequests = batchRequests
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = batchBytes
	}
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	b := &Batch{stack: s, o: o}
	if info, err := os.Lstat(o.Folder); err == nil && !info.IsDir() { // a link may have come with a repository
		return nil, &StoreError{o.Folder, errors.New("is not a directory")}
	}
	if err := safefile.MkdirPrivate(o.Folder); err != nil {
		return nil, err
	}
	if safefile.Exposed(o.Folder) {
		o.Notify("warning: every user can write to " + o.Folder + " and replace replies")
	}
	var err error
	if b.store, err = openBatchStore(ctx, filepath.Join(o.Folder, batchStoreFile)); err != nil {
		return nil, err
	}
	if err := b.load(ctx); err != nil {
		return nil, errors.Join(err, b.store.close())
	}
	return b, nil
}

// load takes over a state that something was submitted from, and begins anew
// where nothing was.
func (b *Batch) load(ctx context.Context) error {
	s, err := readState(b.o.Folder)
	if err != nil {
		return err
	}
	if s != nil && s.submitted() {
		switch {
		case !b.o.Resume:
			return &UnfinishedBatchError{b.o.Folder}
		case !sameJSON(s.Settings, b.o.Settings):
			return &BatchSettingsError{b.o.Folder, s.Settings}
		}
		b.state, b.resumed = s, true
		return nil
	}
	if s != nil {
		for _, p := range s.Parts {
			if err := removeIfThere(filepath.Join(b.o.Folder, requestFile(p.Name))); err != nil {
				return err
			}
		}
	}
	b.state = &batchState{
		Version: stateVersion, Run: rand.Text(), Settings: b.o.Settings, Phase: phaseRecording, Round: 1,
	}
	return b.store.empty(ctx) // no reply of an earlier run, or of somebody else, is taken for one of this
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, err := json.Marshal(x)
	q, err2 := json.Marshal(y)
	return err == nil && err2 == nil && string(p) == string(q)
}

// Resumed says that something was submitted by another process.
func (b *Batch) Resumed() bool { return b.resumed }

// Submitted says that the server has something of the run.
func (b *Batch) Submitted() bool { return b.state.submitted() }

// Folder is where the state is.
func (b *Batch) Folder() string { return b.o.Folder }

func (b *Batch) notifyf(format string, args ...any) { b.o.Notify(fmt.Sprintf(format, args...)) }

// save writes the state.
func (b *Batch) save() error {
	if err := b.state.write(b.o.Folder); err != nil {
		return fmt.Errorf("the state of the batch can't be kept: %w", err)
	}
	return nil
}

// A ChangedRowsError says that the rows are not those that a batch was made for.
type ChangedRowsError struct{ Folder string }

// Error says what can be done.
func (e *ChangedRowsError) Error() string {
	return "the dataset is not the one that the batch in " + e.Folder + " was submitted for; to start over, remove the folder"
}

// Check compares the rows, by their hash, with those that a resumed batch was made
// for. It returns a *ChangedRowsError where they are others.
func (b *Batch) Check(rows string) error {
	if b.state.Rows != "" && b.state.Rows != rows {
		return &ChangedRowsError{b.o.Folder}
	}
	return nil
}

// Run goes through the rounds, until the last pass is all that is left. It may be
// stopped at any time by its context. Its errors are those of pass, a
// *BatchError where the server refuses a batch, a *BatchCostError, a
// *ChangedRowsError, a *StoreError, and those of a Client.
func (b *Batch) Run(ctx context.Context, pass Pass) error {
	for b.state.Phase != phaseScoring {
		step := b.send
		if b.state.Phase == phaseRecording {
			step = func(ctx context.Context) error { return b.record(ctx, pass) }
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return b.charge(ctx)
}

// Completer is that of the last pass: the stack, with the store in front of what
// is sent.
func (b *Batch) Completer() Completer { return b.stack.wrap(&stored{b, b.stack.online}, true) }

// Finish ends the batch run: it deletes the run's files from the server, as far as
// that can be done, and the folder. The results must be safe.
func (b *Batch) Finish(ctx context.Context) error {
	c := b.stack.Client
	for _, p := range b.state.Parts {
		for _, id := range []string{p.File, p.Output, p.Failed} {
			if id != "" && c.remove(ctx, id) != nil {
				b.notifyf("the file %s could not be deleted from the server", id)
			}
		}
	}
	b.done = true
	return b.Close()
}

// Close lets go of the folder. It stays if a batch was submitted, for the next
// process, and goes if not.
func (b *Batch) Close() error {
	if b.store == nil {
		return nil
	}
	err := b.store.close()
	if b.done || !b.state.submitted() {
		err = errors.Join(err, b.clear())
	}
	b.store = nil
	return err
}

// clear removes the files and the folder. The state goes first: without it the
// rest means nothing.
func (b *Batch) clear() error {
	names := []string{stateFile, stateFile + ".new"}
	for _, p := range b.state.Parts {
		names = append(names, requestFile(p.Name))
	}
	for _, name := range names {
		if err := removeIfThere(filepath.Join(b.o.Folder, name)); err != nil {
			return err
		}
	}
	if err := b.store.delete(); err != nil {
		return err
	}
	_ = os.Remove(b.o.Folder) // where someone else put something it stays
	return nil
}

// A BatchCostError is a batch that was not submitted because it could pass a limit.
type BatchCostError struct {
	Requests           int
	What               string // "USD" or "tokens"
	Most, Limit, Spent float64
}

func (e *BatchCostError) Error() string {
	most, limit, spent := fmt.Sprintf("%.0f tokens", e.Most), fmt.Sprintf("the limit of %.0f tokens", e.Limit), fmt.Sprintf("%.0f", e.Spent)
	if e.What == "USD" {
		most, limit, spent = fmt.Sprintf("$%.4f", e.Most), fmt.Sprintf("the limit of $%.4g", e.Limit), fmt.Sprintf("$%.4f", e.Spent)
	}
	return fmt.Sprintf("a batch of %s was not submitted: with replies as long as they may be it takes %s, %s is spent, and %s could be passed",
		count(e.Requests, "request"), most, spent, limit)
}

// checkLimits holds the most that parts can cost against the limits: a batch can't
// be stopped when the money is spent.
func (b *Batch) checkLimits(parts []*batchPart) error {
	var all usage.Usage
	n := 0
	for _, p := range parts {
		all = all.Add(usage.Usage{PromptTokens: p.PromptTokens, CompletionTokens: p.ReplyTokens})
		n += p.Requests
	}
	in, out := b.prices()
	cost := func(u usage.Usage) float64 {
		return (float64(u.PromptTokens)*in + float64(u.CompletionTokens)*out) / 1e6
	}
	spent := b.state.spent()
	if limit := b.stack.opts.MaxCost; limit > 0 && cost(spent)+cost(all) > limit {
		return &BatchCostError{n, "USD", cost(all), limit, cost(spent)}
	}
	if limit := b.stack.opts.MaxTokens; limit > 0 && spent.Tokens()+all.Tokens() > limit {
		return &BatchCostError{n, "tokens", float64(all.Tokens()), float64(limit), float64(spent.Tokens())}
	}
	return nil
}

// charge counts what the batches cost as spent.
func (b *Batch) charge(ctx context.Context) error {
	spent := b.state.spent()
	if spent.Tokens() == 0 {
		return nil
	}
	in, out := b.prices()
	_, err := b.stack.Budget.At(in, out).Around(ctx, func() Size { return Size{} }, func(context.Context) (usage.Usage, error) {
		return spent, nil
	})
	return err
}

// prices are those of a batch, in USD per million tokens; 0 where they are not
// known.
func (b *Batch) prices() (in, out float64) {
	in, out, _ = b.stack.opts.price()
	return in * BatchFactor(), out * BatchFactor()
}
