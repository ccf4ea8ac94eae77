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

// batchDir returns the state directory next to the first JSONL output, or "" without one.
func (o *Options) batchDir() string {
	if file := o.JSONL(); file != "" {
		return file + safefile.PartSuffix + ".batch"
	}
	return ""
}

// openBatch creates or resumes the batch of a run with --batch.
func (r *run) openBatch(ctx context.Context) error {
	o := r.options
	if !o.UsesBatch() {
		return nil
	}
	dir := o.batchDir()
	settings, err := json.Marshal([]result.Setting(r.settings))
	if err == nil && !o.Resume {
		err = llm.CheckNoBatch(dir)
	}
	if err != nil {
		return err
	}
	r.batch, err = r.model.stack.OpenBatch(ctx, llm.BatchOptions{
		Dir: dir, Settings: settings, PollInterval: o.LLM.BatchPoll, Notify: r.notef,
	})
	if err != nil || !r.batch.Resumed {
		return err
	}
	var stored []result.Setting
	_ = json.Unmarshal(r.batch.Settings, &stored) // on error, every setting counts as changed
	if changes := r.settings.Changes(stored); len(changes) > 0 {
		return &exit.UsageError{Err: &journal.SettingsError{Part: dir, Changes: changes}}
	}
	return nil
}

// runBatch submits and collects batches until the scoring pass can get all replies from them.
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
	stored, err := r.out.Journal.ReopenStored()
	if err != nil {
		return err
	}
	if stored != nil {
		defer stored.Close()
		p.Earlier = stored.Next
	}
	digest := dataset.NewDigest()
	if err := p.Run(ctx, r.options.Names.rename(r.options.Rows.Apply(digest.Add(set.Rows())), nil), eval.Sinks{}); err != nil {
		return err
	}
	return r.batch.CheckRows(digest.String())
}
