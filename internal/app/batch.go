package app

import (
	"context"
	"encoding/json"

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
	if dir := o.batchDir(); dir != "" && !o.UsesBatch() {
		return llm.CheckNoBatch(dir)
	}
	return nil
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
	r.batch, err = r.model.stack.OpenBatch(ctx, llm.BatchOptions{
		Dir: dir, Settings: settings, Resume: o.Resume, PollInterval: o.LLM.BatchPoll, Notify: func(line string) { r.notef("%s", line) },
	})
	if err != nil || !r.batch.Resumed {
		return err
	}
	var stored []result.Setting
	_ = json.Unmarshal(r.batch.Settings, &stored) // then all settings have changed
	if changes := r.settings.Changes(stored); len(changes) > 0 {
		return &exit.UsageError{Err: &journal.SettingsError{Part: dir, Changes: changes}}
	}
	return nil
}

// runBatch submits and collects batches until all replies have arrived. The scoring pass
// then gets its replies from them.
func (r *run) runBatch(ctx context.Context, input dataset.Options) error {
	b := r.batch
	if b == nil {
		return nil
	}
	input.Warn, input.Note = nil, nil // the scoring pass reports warnings
	if b.Resumed {
		r.notef("resuming the batch in %s", b.Dir)
	}
	err := b.Run(ctx, func(ctx context.Context, recorder llm.Completer) error {
		r.model.Completer = recorder
		return r.recordRequests(ctx, input)
	})
	r.model.Completer = b.Completer()
	return err
}

// recordRequests runs all rows without a result through the pipeline and discards the
// results. It returns an error if the rows are not those of the batch.
func (r *run) recordRequests(ctx context.Context, input dataset.Options) error {
	set, err := dataset.Open(r.options.Datasets, input)
	if err != nil {
		return err
	}
	defer set.Close()
	p := r.pipeline
	p.Earlier = nil
	if r.out.Journal != nil {
		stored, err := r.out.Journal.ReopenStored()
		if err != nil {
			return err
		}
		if stored != nil {
			defer stored.Close()
			p.Earlier = stored.Next
		}
	}
	digest := dataset.NewDigest()
	if err := p.Run(ctx, r.options.Names.rename(r.options.Rows.Apply(digest.Add(set.Rows())), nil), eval.Sinks{}); err != nil {
		return err
	}
	return r.batch.CheckRows(digest.String())
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
