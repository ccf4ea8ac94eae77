package app

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/verdict/embedded"
)

// Score runs "ragfaith score". It returns an error before reading the first row if an output
// can't be written. An *exit.ReportedError has already been printed.
func Score(ctx context.Context, o *Options, stdin io.Reader, streams *output.Streams, sys *System) error {
	r := &run{options: o, sys: sys, streams: streams, console: streams.Console, warn: o.Warner(streams.Console)}
	defer r.closeModels()
	if err := r.openModels(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	input := o.Dataset
	input.Warn = r.warn
	if !o.Quiet {
		input.Note = func(text string) { r.console.Printf("note: %s", text) }
	}
	input.OpenPipe = safefile.OpenPipe(ctx)
	if slices.Contains(o.Datasets, "-") {
		input.Stdin = safefile.Interruptible(ctx, stdin)
	}
	if o.DryRun {
		return r.dryRun(ctx, input)
	}
	if err := r.resolveSettings(); err != nil {
		return err
	}
	// The outputs are opened before the dataset: opening standard input waits for it.
	if err := r.openOutputs(); err != nil {
		return err
	}
	defer r.out.Discard()
	if err := r.openBatch(ctx); err != nil {
		_, abandonErr := r.out.Abandon(true)
		return errors.Join(err, abandonErr)
	}
	r.resume()
	if err := r.runBatch(ctx, input); err != nil {
		return r.fail(err)
	}
	set, err := dataset.Open(o.Datasets, input)
	if err != nil {
		return r.fail(err)
	}
	defer set.Close()
	return r.finish(ctx, r.score(ctx, cancel, set))
}

// openModels opens the models that the options name, and builds the stages.
func (r *run) openModels(ctx context.Context) (err error) {
	o := r.options
	if o.UsesLLM() {
		if r.model, err = r.newModel(ctx); err != nil {
			return err
		}
	}
	if o.UsesLocalModel() && !o.DryRun {
		if r.local, err = o.openLocal(r.sys); err != nil { //nolint:contextcheck // opening takes milliseconds
			return err
		}
	}
	if r.pipeline, r.threshold, err = o.newPipeline(r.model, r.local); err != nil {
		return err
	}
	switch {
	case o.Prescreens():
		if err := r.openPrescreen(); err != nil {
			return err
		}
	case o.Calibrated != nil && o.Calibrated.Confidence != nil:
		r.pipeline.Judge = calibratedJudge{r.pipeline.Judge, o.Calibrated.Confidence}
		r.faithful = &faithfulShare{fit: o.Calibrated.Confidence}
	}
	if r.threshold == 0 && o.Judge != JudgeLLM {
		r.warn(errors.New("the threshold is 0: every claim counts as supported"))
	}
	if (o.Judge == JudgeEmbedded && !o.DryRun || o.Prescreens() && o.LLM.Prescreen == JudgeEmbedded) && embedded.IsSlow() {
		r.warn(errors.New("this processor lacks the instructions that make the embedded judge fast (AVX2, or the dot products of Armv8.2): a row takes seconds; --judge lexical does not need them"))
	}
	return nil
}

func (r *run) closeModels() {
	if r.batch != nil {
		_ = r.batch.Close() // a leftover directory does no harm
	}
	r.model.close()
	if r.local != nil {
		_ = r.local.Close()
	}
}

// resolveSettings determines the settings that affect the results, and compares them
// with the calibration. With --verbose it prints them.
func (r *run) resolveSettings() (err error) {
	if r.settings, err = r.options.settings(r.threshold, r.model, r.local); err != nil {
		return err
	}
	if r.options.Verbose {
		r.console.Printf("options: %s", r.settings)
	}
	if r.options.Prescreens() {
		err = r.checkBounds()
	} else {
		err = r.options.checkCalibration(r.settings, r.warn)
	}
	if err != nil {
		return err
	}
	if dir := r.options.batchDir(); dir != "" && !r.options.UsesBatch() {
		return llm.CheckNoBatch(dir) // sending its requests again would cost twice
	}
	return nil
}

// resume makes the pipeline reuse the rows stored in the journal.
func (r *run) resume() {
	j := r.out.Journal
	if !r.options.Resume || j == nil {
		return
	}
	stored := j.Stored()
	if stored == nil {
		if r.batch == nil || !r.batch.Resumed {
			r.notef("nothing to resume: starting from the beginning")
		}
		return
	}
	r.stored, stored.Warn, r.pipeline.Earlier = stored, r.warn, stored.Next
	stored.Done = func() {
		r.progress.Resumed()
		if r.options.Quiet {
			return
		}
		failed := ""
		if n := stored.Retried(); n > 0 {
			failed = ", retrying " + report.Count(n, "failed row", "failed rows")
		}
		r.console.Printf("resuming %s: %s finished%s", stored.Part, report.Count(stored.Kept(), "row is", "rows are"), failed)
	}
}

// openOutputs creates the output files and sets up the pipeline.
func (r *run) openOutputs() (err error) {
	o := r.options
	note := o.calibrationNote()
	details := output.Details{
		Keep: o.Names.names(o.Dataset.Keep), KeepAll: o.Dataset.KeepAll,
		Notes: output.Notes(o.Datasets, r.settings), Foot: note,
		Page: html.Run{Datasets: o.Datasets, Settings: r.pageSettings()},
	}
	if note != "" {
		details.Notes = append(details.Notes, note)
	}
	r.out, err = output.New(&o.Options, r.streams, details, func(path string) (*journal.Journal, error) {
		j, err := journal.Open(path, r.settings, o.Resume)
		if _, changed := errors.AsType[*journal.SettingsError](err); changed {
			return nil, &exit.UsageError{Err: err}
		}
		return j, err
	})
	if err != nil {
		return err
	}
	r.pipeline.Fatal, r.pipeline.Drain = r.isFatal, llm.CanDrain
	r.pipeline.RowTimeout, r.pipeline.Now = o.RowTimeout, r.sys.Clock.Now
	return nil
}

// pageSettings returns the settings that an HTML report shows.
func (r *run) pageSettings() []result.Setting {
	var own []result.Setting
	if note := r.options.calibrationNote(); note != "" {
		name, value, _ := strings.Cut(note, " ")
		own = append(own, result.Setting{Name: strings.TrimSuffix(name, ":"), Value: value})
	}
	if r.local != nil {
		// Its directory and kernels have no effect on the results.
		info := r.local.Info()
		own = append(own, result.Setting{Name: "local model", Value: info.Architecture + ", " + r.options.Local.Precision})
	}
	settings := output.PageSettings(r.settings, own...)
	if r.options.Profile != "" && r.model == nil { // then it is not among the settings
		settings = append(settings, result.Setting{Name: "profile", Value: r.options.Profile})
	}
	return settings
}

// score runs the rows of set through the pipeline into all sinks.
func (r *run) score(ctx context.Context, cancel context.CancelCauseFunc, set *dataset.Set) error {
	o := r.options
	r.failures = o.newFailureLog(r.console)
	all := eval.Sinks{r.out, r.failures}
	if r.faithful != nil {
		all = append(all, r.faithful)
	}
	if !o.Quiet && !o.NoProgress {
		r.progress = console.StartProgress(r.console, console.ProgressOptions{
			Now: r.sys.Clock.Now, Size: set.Size(), Limit: o.Rows.Limit, Resuming: r.stored != nil, Terminal: r.streams.Bar,
		})
		defer r.progress.Stop()
		all = append(all, r.progress)
	}
	flushing, stopFlushing := context.WithCancel(ctx)
	var flusher sync.WaitGroup
	flusher.Go(func() { r.out.FlushUntil(flushing, cancel) })
	defer flusher.Wait()
	defer stopFlushing()

	start := r.sys.Clock.Now()
	digest := dataset.NewDigest()
	rows := o.Names.rename(o.Rows.Apply(digest.Add(set.Rows())), func(column, name string) {
		r.notef("column %s is kept as %s: the results have a field of that name", report.Printable(column), report.Printable(name))
	})
	err := r.pipeline.Run(ctx, r.stored.RejectUnmatched(rows), all)
	r.digest = digest.String()
	r.duration = r.sys.Clock.Now().Sub(start)
	return err
}

// isFatal reports whether the error of a row ends the run. A batch is paid for already, and a
// resumed run has rows whose replies could be used.
func (r *run) isFatal(err error) bool {
	return llm.IsFatal(err) || r.model != nil && r.batch == nil && r.stored == nil && r.model.stack.Hopeless(err)
}

type run struct {
	options *Options
	sys     *System
	streams *output.Streams
	console *console.Console
	warn    func(error)

	model     *model      // nil if no language model is asked
	local     *localModel // nil if no local model is used
	pipeline  eval.Pipeline
	threshold float64         // of the judge
	settings  result.Settings // that decide the results

	out    *output.Writer
	batch  *llm.Batch      // nil without --batch
	stored *journal.Stored // rows of an earlier run; nil for none

	faithful *faithfulShare    // nil without a calibrated confidence
	progress *console.Progress // nil for none
	failures *console.FailureLog
	digest   string // of the rows of the datasets
	duration time.Duration
}
