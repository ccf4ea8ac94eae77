package app

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
	"path/filepath"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
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

// batchDir returns the state directory next to the first JSONL output, or "" if there
// is no JSONL output.
func (o *Options) batchDir() string {
	if file := o.JSONL(); file != "" {
		return file + safefile.PartSuffix + batchSuffix
	}
	return ""
}

// checkUnfinishedBatch returns an error for a run without --batch if its requests have
// been submitted as a batch: sending them again would cost twice.
func (o *Options) checkUnfinishedBatch() error {
	if dir := o.batchDir(); dir != "" && !o.UsesBatch() && llm.BatchSubmitted(dir) {
		return &llm.UnfinishedBatchError{Dir: dir}
	}
	return nil
}

// batchDuration returns the maximum duration of a run with --batch, one batchWindow per
// stage that sends requests, and a note on it.
func (o *Options) batchDuration() (time.Duration, string) {
	if o.Claims == ClaimsLLM && o.Judge == JudgeLLM && !o.Combined() {
		return 2 * batchWindow, "at most, for a batch of claims and one of verdicts; usually far less"
	}
	return batchWindow, "at most; usually far less"
}

// openBatch creates or resumes the batch of a run with --batch.
func (r *run) openBatch(ctx context.Context) error {
	o := r.options
	if !o.UsesBatch() {
		return nil
	}
	settings, err := json.Marshal([]result.Setting(r.settings))
	if err != nil {
		return err
	}
	dir := o.batchDir()
	if dir == "" {
		if dir, err = o.cachedBatchDir(settings, r.sys); err != nil {
			return err
		}
	}
	options := llm.BatchOptions{Dir: dir, Settings: settings, Resume: o.Resume, PollInterval: o.LLM.BatchPoll}
	if !o.Quiet {
		options.Notify = func(line string) { r.console.Printf("%s", line) }
	}
	r.batch, err = r.model.stack.OpenBatch(ctx, options)
	if other, ok := errors.AsType[*llm.BatchSettingsError](err); ok {
		return &exit.UsageError{Err: changedSettings(other, r.settings)}
	}
	return err
}

// cachedBatchDir returns the state directory of a run without JSONL output, in the
// cache directory. It is the same for the same settings and datasets.
func (o *Options) cachedBatchDir(settings []byte, sys *System) (string, error) {
	dir, err := sys.ReplyCache(o.LLM.Cache)
	if err != nil {
		return "", fmt.Errorf("--batch needs a JSONL output or a cache directory for its state: %w", err)
	}
	h := sha256.New()
	h.Write(settings)
	for _, path := range o.Datasets {
		h.Write([]byte(safefile.Abs(path)))
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
func (r *run) runBatch(ctx context.Context, input dataset.Options) error {
	b := r.batch
	if b == nil {
		return nil
	}
	input.Warn, input.Note = nil, nil // the scoring pass reports warnings
	if b.Resumed() {
		if err := r.checkBatchRows(ctx, input); err != nil {
			return err
		}
		r.notef("resuming the batch in %s", b.Dir())
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
func (r *run) recordRequests(ctx context.Context, input dataset.Options) (string, error) {
	set, err := dataset.Open(r.options.Datasets, input)
	if err != nil {
		return "", err
	}
	defer set.Close()
	p := r.pipeline
	p.Earlier = nil
	if r.out.Journal != nil {
		stored, err := r.out.Journal.ReopenStored()
		if err != nil {
			return "", err
		}
		if stored != nil {
			defer stored.Close()
			p.Earlier = stored.Next
		}
	}
	h := sha256.New()
	err = p.Run(ctx, hashRows(h, r.options.Names.rename(r.options.Rows.Apply(set.Rows()), nil)), eval.Sinks{})
	return hex.EncodeToString(h.Sum(nil)), err
}

// checkBatchRows returns an error if the rows differ from those of the batch.
func (r *run) checkBatchRows(ctx context.Context, input dataset.Options) error {
	set, err := dataset.Open(r.options.Datasets, input)
	if err != nil {
		return err
	}
	defer set.Close()
	h := sha256.New()
	for _, err := range hashRows(h, r.options.Rows.Apply(set.Rows())) {
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

// finishBatch removes the batch once its results are written, even if ctx is already
// canceled.
func (r *run) finishBatch(ctx context.Context) {
	if r.batch == nil {
		return
	}
	if err := r.batch.Finish(context.WithoutCancel(ctx)); err != nil {
		r.warn(err)
	}
}

// closeBatch releases the state directory, and removes it if nothing was submitted.
func (r *run) closeBatch() {
	if r.batch != nil {
		_ = r.batch.Close() // a leftover directory does no harm
	}
}
