package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A scoreRun is one run of "ragfaith score".
type scoreRun struct {
	options *scoreOptions
	paths   []string
	sys     system
	console *console.Console
	warn    func(error)
	stdout  outputStream
	bar     bool // show a progress bar

	model    *model      // nil if no language model is asked
	local    *localModel // nil if no local model is used
	stages   stages
	settings result.Settings // that decide the results

	pipeline eval.Pipeline
	outputs  *outputs
	summary  *summaryWriter
	batch    *batchRun       // nil without --batch
	stored   *journal.Stored // rows of an earlier run; nil for none

	savings  *savings       // nil without --prescreen
	faithful *faithfulShare // nil without a calibrated confidence
	means    *report.Estimator
	tally    report.Tally
	progress *console.Progress // nil for none
	failures *console.FailureLog
	duration time.Duration
}

// runScore runs "ragfaith score". It reports mistakes in the command line, missing
// datasets and files that can't be written before it reads the first row.
func runScore(ctx context.Context, o *scoreOptions, paths []string, stdin io.Reader, stdout, stderr io.Writer, sys system) error {
	r := newScoreRun(o, paths, stdout, stderr, sys)
	if err := r.chooseJudge(ctx); err != nil {
		return err
	}
	if err := o.check(paths); err != nil {
		return err
	}
	input, err := o.datasetOptions()
	if err != nil {
		return err
	}
	if err := o.applyCalibration(r.warn); err != nil {
		return err
	}
	if err := checkExist(paths); err != nil {
		return err
	}
	defer r.closeModels()
	if err := r.openModels(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	input.Warn = r.warn
	if !o.quiet {
		input.Note = func(text string) { r.console.Printf("note: %s", text) }
	}
	input.OpenPipe = safefile.OpenPipe(ctx)
	if slices.Contains(paths, "-") {
		input.Stdin = safefile.Interruptible(ctx, stdin)
	}
	if o.dryRun {
		return r.dryRun(ctx, input)
	}
	if err := r.resolveSettings(); err != nil {
		return err
	}
	// The outputs are opened before the dataset: opening standard input waits for it.
	if err := r.openOutputs(); err != nil {
		return err
	}
	defer r.summary.discard()
	if err := r.openBatch(ctx); err != nil {
		_, abandonErr := r.outputs.abandon(true)
		return errors.Join(err, abandonErr)
	}
	defer r.batch.close()
	r.resume()
	if err := r.runBatch(ctx, input); err != nil {
		return r.fail(err)
	}
	set, err := dataset.Open(paths, input)
	if err != nil {
		return r.fail(err)
	}
	defer set.Close()
	return r.finish(ctx, r.score(ctx, cancel, set))
}

func newScoreRun(o *scoreOptions, paths []string, stdout, stderr io.Writer, sys system) *scoreRun {
	r := &scoreRun{
		options: o, paths: paths, sys: sys,
		console: console.New(stderr, sys.palette(stderr)),
		stdout:  sys.outputStream(stdout, &o.outputOptions),
		bar:     sys.Terminal(stderr) > 0,
		means:   report.NewEstimator(o.cluster, o.by, o.seed),
	}
	r.warn = r.console.Warn
	if o.quiet {
		r.warn = func(error) {}
	}
	return r
}

// openModels opens the models that the options name, and builds the stages of the
// pipeline.
func (r *scoreRun) openModels(ctx context.Context) (err error) {
	o := r.options
	if o.usesLLM() {
		if r.model, err = o.newModel(ctx, r.sys, r.console, o.dryRun); err != nil {
			return err
		}
	}
	if o.usesLocalModel() {
		r.local, err = o.openLocal(r.sys) //nolint:contextcheck // opening takes milliseconds
		if _, missing := errors.AsType[*hub.MissingError](err); err != nil && (!missing || !o.dryRun) {
			return err
		}
		if o.dryRun && r.local != nil {
			r.local.meter = &meter{now: r.sys.Clock.Now}
		}
	}
	if r.stages, err = o.newStages(r.model, r.local); err != nil {
		return err
	}
	switch {
	case o.prescreens():
		if err := r.openPrescreen(); err != nil {
			return err
		}
	case o.calibrated != nil && o.calibrated.Confidence != nil:
		r.stages.judge = calibratedJudge{r.stages.judge, o.calibrated.Confidence}
		r.faithful = &faithfulShare{fit: o.calibrated.Confidence}
	}
	if r.stages.threshold == 0 && o.judge != judgeLLM {
		r.warn(errors.New("the threshold is 0: every claim counts as supported"))
	}
	if o.verbose {
		r.console.Printf("%s", r.describe())
	}
	return nil
}

func (r *scoreRun) closeModels() {
	r.model.close()
	if r.local != nil {
		_ = r.local.Close()
	}
}

// describe returns the main options on one line, for --verbose.
func (r *scoreRun) describe() string {
	o := r.options
	parts := []string{fmt.Sprintf("claims %s, judge %s, evidence %s, threshold %v, concurrency %d, %d processors",
		o.claims, o.judge, o.evidence, r.stages.threshold, o.concurrency, runtime.GOMAXPROCS(0))}
	if r.local != nil {
		parts = append(parts, r.local.String())
	}
	if note := o.calibrationNote(); note != "" {
		parts = append(parts, note)
	}
	if r.model != nil {
		parts = append(parts, fmt.Sprintf("model %s at %s", r.model.stack.Client.Model(), r.model.stack.Client.Endpoint()))
	}
	return strings.Join(parts, ", ")
}

// resolveSettings determines the settings that decide the results, and compares them
// with the calibration.
func (r *scoreRun) resolveSettings() (err error) {
	if r.settings, err = r.options.settings(r.paths, r.stages.threshold, r.model, r.local); err != nil {
		return err
	}
	if r.options.prescreens() {
		err = r.checkBounds()
	} else {
		err = r.options.checkCalibration(r.settings, r.warn)
	}
	if err != nil {
		return err
	}
	return r.options.checkUnfinishedBatch()
}

// openOutputs creates the output files and sets up the pipeline.
func (r *scoreRun) openOutputs() (err error) {
	o := r.options
	opts := r.reportOptions()
	if r.summary, err = newSummaryWriter(&o.outputOptions, opts, newGithubStep(&o.outputOptions, r.sys, r.console)); err != nil {
		return err
	}
	r.summary.datasets, r.summary.settings, r.summary.model, r.summary.savings, r.summary.faithful = r.paths, summarySettings(r.settings), r.model, r.savings, r.faithful
	r.outputs, err = newOutputs(&o.outputOptions, o.gates.Any(), r.stdout.w, opts, func(path string) (*journal.Journal, error) {
		return openJournal(path, r.settings, o.resume)
	})
	if err != nil {
		r.summary.discard()
		return err
	}
	r.pipeline = eval.Pipeline{
		Extractor: r.stages.extractor, Judge: r.stages.judge, Combined: r.stages.combined, Nearest: r.stages.nearest,
		Refusals: r.stages.refusals, JudgeRefusals: o.judge == judgeLLM, DeriveCited: o.judge == judgeLLM,
		Workers: o.concurrency, Window: o.window(false), NoClaims: o.noClaimsScore(), SkipEmpty: o.emptyContexts == emptySkip, Fatal: r.isFatal, Drain: llm.CanDrain,
		RowTimeout: o.rowTimeout, Now: r.sys.Clock.Now,
	}
	return nil
}

// reportOptions returns the options of all outputs.
func (r *scoreRun) reportOptions() report.Options {
	o := r.options
	keep, keepAll := o.kept()
	return report.Options{
		Keep: o.names.names(keep), KeepAll: keepAll, Width: r.stdout.width, Warn: r.warn,
		Palette: r.stdout.palette, Marks: r.stdout.marks, Show: o.show, DatasetOrder: o.sort == sortNone,
		Gates: r.gates, Means: r.means.Means, Notes: r.notes(),
		Page: func(w io.Writer) (report.Writer, error) {
			return html.New(w, html.Run{Datasets: r.paths, Settings: r.pageSettings(), Conclude: func(t *report.Tally) html.Conclusion {
				return htmlSummary(r.gates(t), r.means.Means(t))
			}})
		},
		Foot: o.calibrationNote(),
	}
}

// gates evaluates the gates of the run.
func (r *scoreRun) gates(t *report.Tally) []report.Gate {
	return r.options.gates.Evaluate(t, r.means.Means(t))
}

// notes are the lines of a report that name the datasets and the main options.
func (r *scoreRun) notes() []string {
	notes := runNotes(r.paths, r.settings)
	if note := r.options.calibrationNote(); note != "" {
		notes = append(notes, note)
	}
	return notes
}

// pageSettings returns the settings that an HTML report shows.
func (r *scoreRun) pageSettings() []result.Setting {
	var own []result.Setting
	if note := r.options.calibrationNote(); note != "" {
		name, value, _ := strings.Cut(note, " ")
		own = append(own, result.Setting{Name: strings.TrimSuffix(name, ":"), Value: value})
	}
	if r.local != nil {
		// Its directory and kernels have no effect on the results.
		info := r.local.Info()
		own = append(own, result.Setting{Name: "local model", Value: info.Architecture + ", " + precisionName(info.Precision)})
	}
	settings := pageSettings(r.settings, own...)
	if r.options.profile != "" && r.model == nil { // then it is not among the settings
		settings = append(settings, result.Setting{Name: "profile", Value: r.options.profile})
	}
	return settings
}

// sinks is an eval.Sink that writes to several. The outputs come first: a row that
// they can't write is not counted.
type sinks []eval.Sink

// Write writes r to each sink.
func (s sinks) Write(r *result.Row) error {
	for _, sink := range s {
		if err := sink.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// score runs the rows of set through the pipeline into all sinks.
func (r *scoreRun) score(ctx context.Context, cancel context.CancelCauseFunc, set *dataset.Set) error {
	o := r.options
	r.failures = o.newFailureLog(r.console)
	if !o.quiet {
		o.names.note = r.keepNote
	}
	all := append(sinks{r.outputs, &r.tally, r.means, r.failures}, r.summary.sinks()...)
	if r.faithful != nil {
		all = append(all, r.faithful)
	}
	if r.savings != nil {
		all = append(all, r.savings.sink(ctx))
	}
	if !o.quiet && !o.noProgress {
		r.progress = console.StartProgress(r.console, console.ProgressOptions{
			Now: r.sys.Clock.Now, Size: set.Size(), Limit: o.limit, Resuming: r.stored != nil, Terminal: r.bar,
		})
		defer r.progress.Stop()
		all = append(all, r.progress)
	}
	if !o.quiet {
		defer r.announceInterrupt(ctx)()
	}
	flushing, stopFlushing := context.WithCancel(ctx)
	var flusher sync.WaitGroup
	flusher.Go(func() { r.outputs.flushUntil(flushing, cancel) })
	defer flusher.Wait()
	defer stopFlushing()

	start := r.sys.Clock.Now()
	digest := dataset.NewDigest()
	err := r.pipeline.Run(ctx, r.rejectUnmatched(o.names.rename(o.selection().Apply(digest.Add(set.Rows())))), all)
	r.summary.digest = digest.String()
	r.duration = r.sys.Clock.Now().Sub(start)
	return err
}

// isFatal reports whether the error of a row ends the run. A batch is paid for already, and a
// resumed run has rows whose replies could be used.
func (r *scoreRun) isFatal(err error) bool {
	return llm.IsFatal(err) || r.model != nil && r.batch == nil && r.stored == nil && r.model.stack.Hopeless(err)
}

// announceInterrupt writes a message when ctx is interrupted. The function that it
// returns ends that, and waits for a message in progress.
func (r *scoreRun) announceInterrupt(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		if errors.Is(context.Cause(ctx), errInterrupted) {
			r.console.Printf("interrupted: finishing the rows in progress; interrupt again to exit at once")
		}
	})
	return func() {
		if !cancel() {
			<-done
		}
	}
}
