package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// batchSuffix is the suffix of a batch's state directory. The directory is named after
// the first JSONL output, with safefile.PartSuffix and batchSuffix appended.
const batchSuffix = ".batch"

// batchWindow is the completion window that is requested for a batch.
const batchWindow = 24 * time.Hour

// usesBatch reports whether requests are sent in batches.
func (o *scoreOptions) usesBatch() bool { return o.llm.batch && o.usesLLM() }

// checkBatch returns an error for datasets that can't be read more than once.
func (o *scoreOptions) checkBatch(paths []string) error {
	if !o.usesBatch() || o.dryRun {
		return nil
	}
	for _, path := range paths {
		if path == "-" {
			return usagef("--batch reads the dataset more than once: want a file instead of standard input")
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return usagef("--batch reads the dataset more than once: %s is not a regular file", path)
		}
	}
	return nil
}

// batchDir returns the state directory next to the first JSONL output, or "" if there
// is no JSONL output.
func (o *scoreOptions) batchDir() string {
	if i := slices.IndexFunc(o.output, isJSONL); i >= 0 {
		return o.output[i] + safefile.PartSuffix + batchSuffix
	}
	return ""
}

// checkUnfinishedBatch returns an error for a run without --batch if its requests have
// been submitted as a batch: sending them again would cost twice.
func (o *scoreOptions) checkUnfinishedBatch() error {
	if dir := o.batchDir(); dir != "" && !o.usesBatch() && llm.BatchSubmitted(dir) {
		return &llm.UnfinishedBatchError{Dir: dir}
	}
	return nil
}

// batchDuration returns the maximum duration of a run with --batch, one batchWindow per
// stage that sends requests, and a note on it.
func (o *scoreOptions) batchDuration() (time.Duration, string) {
	if o.claims == claimsLLM && o.judge == judgeLLM && !o.combined() {
		return 2 * batchWindow, "at most, for a batch of claims and one of verdicts; usually far less"
	}
	return batchWindow, "at most; usually far less"
}

// A batchRun submits and collects the batches of a run before the scoring pass. The
// methods of a nil batchRun do nothing.
type batchRun struct {
	*llm.Batch
	console *console.Console
	quiet   bool
}

// openBatch creates or resumes the batch of a run with --batch.
func (r *scoreRun) openBatch(ctx context.Context) error {
	o := r.options
	if !o.usesBatch() {
		return nil
	}
	settings, err := json.Marshal([]result.Setting(r.settings))
	if err != nil {
		return err
	}
	dir := o.batchDir()
	if dir == "" {
		if dir, err = cachedBatchDir(o.llm.cache, settings, r.paths, r.sys); err != nil {
			return err
		}
	}
	options := llm.BatchOptions{Dir: dir, Settings: settings, Resume: o.resume, PollInterval: o.llm.batchPoll}
	if !o.quiet {
		options.Notify = func(line string) { r.console.Printf("%s", line) }
	}
	b, err := r.model.stack.OpenBatch(ctx, options)
	if other, ok := errors.AsType[*llm.BatchSettingsError](err); ok {
		return &usageError{changedSettings(other, r.settings)}
	}
	if err != nil {
		return err
	}
	r.batch = &batchRun{Batch: b, console: r.console, quiet: o.quiet}
	return nil
}

// cachedBatchDir returns the state directory of a run without JSONL output, in the
// cache directory. It is the same for the same settings and datasets.
func cachedBatchDir(cache string, settings []byte, paths []string, sys system) (string, error) {
	dir, err := cacheDir(cache, sys)
	if err != nil {
		return "", fmt.Errorf("--batch needs a JSONL output or a cache directory for its state: %w", err)
	}
	h := sha256.New()
	h.Write(settings)
	for _, path := range paths {
		h.Write([]byte(absPath(path)))
		h.Write([]byte{0})
	}
	return filepath.Join(dir, "batches", hex.EncodeToString(h.Sum(nil)[:8])), nil
}

// changedSettings returns an error that lists the differences between the stored
// settings of a batch and the current ones.
func changedSettings(e *llm.BatchSettingsError, settings result.Settings) error {
	var stored []result.Setting
	if json.Unmarshal(e.Settings, &stored) != nil {
		return e
	}
	return &journal.SettingsError{Part: e.Dir, Changes: settings.Changes(stored)}
}

// runBatch submits and collects batches until all replies have arrived. The scoring pass
// then gets its replies from them.
func (r *scoreRun) runBatch(ctx context.Context, input dataset.Options) error {
	b := r.batch
	if b == nil {
		return nil
	}
	input.Warn, input.Note = nil, nil // the scoring pass reports warnings
	if b.resumed() {
		if err := r.checkBatchRows(ctx, input); err != nil {
			return err
		}
		if !b.quiet {
			r.console.Printf("resuming the batch in %s", b.Dir())
		}
	}
	err := b.Run(ctx, func(ctx context.Context, recorder llm.Completer) (string, error) {
		r.model.Completer = recorder
		return r.recordRequests(ctx, input)
	})
	r.model.Completer = b.Completer()
	return err
}

// recordRequests runs all rows without a result through the pipeline and discards the
// results. It returns a digest of the rows.
func (r *scoreRun) recordRequests(ctx context.Context, input dataset.Options) (string, error) {
	set, err := dataset.Open(r.paths, input)
	if err != nil {
		return "", err
	}
	defer set.Close()
	p := r.pipeline
	p.Earlier = nil
	if r.outputs.journal != nil {
		stored, err := r.outputs.journal.ReopenStored()
		if err != nil {
			return "", err
		}
		if stored != nil {
			defer stored.Close()
			p.Earlier = stored.Next
		}
	}
	h := sha256.New()
	err = p.Run(ctx, hashRows(h, r.options.names.rename(r.options.selection().Apply(set.Rows()))), discard{})
	return hex.EncodeToString(h.Sum(nil)), err
}

// checkBatchRows returns an error if the rows differ from those of the batch.
func (r *scoreRun) checkBatchRows(ctx context.Context, input dataset.Options) error {
	set, err := dataset.Open(r.paths, input)
	if err != nil {
		return err
	}
	defer set.Close()
	h := sha256.New()
	for _, err := range hashRows(h, r.options.selection().Apply(set.Rows())) {
		if _, ok := errors.AsType[*dataset.RowError](err); err != nil && !ok {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return r.batch.CheckRows(hex.EncodeToString(h.Sum(nil)))
}

// hashRows yields rows and writes the fields that are sent to a judge to h.
func hashRows(h hash.Hash, rows iter.Seq2[dataset.Row, error]) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		writeString := func(s string) {
			var n [8]byte
			binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
			h.Write(n[:])
			h.Write([]byte(s))
		}
		for row, err := range rows {
			writeString(fmt.Sprint(row.Index, err != nil, len(row.Contexts)))
			writeString(row.Question)
			writeString(row.Answer)
			for _, c := range row.Contexts {
				writeString(c)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// discard is an eval.Sink that ignores all rows.
type discard struct{}

// Write implements eval.Sink.
func (discard) Write(*result.Row) error { return nil }

// resumed reports whether another process submitted the batch.
func (b *batchRun) resumed() bool { return b != nil && b.Resumed() }

// resumeHint tells the user how to resume a submitted batch. It returns "" if nothing was
// submitted.
func (b *batchRun) resumeHint() string {
	if b == nil || !b.Submitted() {
		return ""
	}
	return "batch saved in " + b.Dir() + "; use --batch --resume to continue"
}

// finish removes the batch once its results are written, even if ctx is already
// canceled.
func (b *batchRun) finish(ctx context.Context) {
	if b == nil {
		return
	}
	if err := b.Finish(context.WithoutCancel(ctx)); err != nil && !b.quiet {
		b.console.Warn(err)
	}
}

// close releases the state directory, and removes it if nothing was submitted.
func (b *batchRun) close() {
	if b != nil {
		_ = b.Close() // a leftover directory does no harm
	}
}
