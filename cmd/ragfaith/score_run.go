package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
)

// runScore does the work of "ragfaith score". All that can be wrong with the
// command line, the datasets' names and the outputs is found before the first
// row.
func runScore(ctx context.Context, o *scoreOptions, paths []string, stdin io.Reader, stdout, stderr io.Writer, sys system) error {
	if err := o.check(paths); err != nil {
		return err
	}
	input, err := o.dataset()
	if err != nil {
		return err
	}
	width, terminal := tableWidth(stdout, sys), sys.Terminal(stderr) > 0
	marks, paint, errorPaint := o.show > 0 || sys.Terminal(stdout) > 0, sys.palette(stdout), sys.palette(stderr)
	var github *githubRun
	if !o.dryRun {
		github = o.githubRun(sys)
	}
	stdout = sys.guarded(o.to, stdout)
	c := &console{w: stderr, paint: errorPaint}
	warn := func(err error) { c.say("warning: %v", err) }
	if o.quiet {
		warn = func(error) {}
	}

	if err := o.applyCalibration(warn); err != nil {
		return err
	}

	// The outputs come before the datasets, since to open standard input is to
	// wait for it; but not for a dataset that isn't there.
	if err := present(paths); err != nil {
		return err
	}
	var m *model
	if o.asks() {
		if m, err = o.newModel(ctx, sys, c, o.dryRun); err != nil {
			return err
		}
		defer m.close()
	}
	var local localJudge
	if o.local() && !o.dryRun {
		if local, err = o.openLocal(sys); err != nil { //nolint:contextcheck // it takes milliseconds
			return err
		}
		defer local.Close()
	}
	stages, err := o.newStages(m, local)
	if err != nil {
		return err
	}
	if stages.threshold == 0 && o.judge != withLLM {
		warn(errors.New("the threshold is 0: every claim counts as supported"))
	}
	if o.verbose {
		c.say("%s", o.settings(stages.threshold, m, local))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	input.Warn = warn
	if slices.Contains(paths, "-") {
		input.Stdin = untilDone(ctx, stdin)
	}
	input.OpenPipe = pipesUntilDone(ctx)
	if o.dryRun {
		set, err := dataset.Open(paths, input)
		if err != nil {
			return err
		}
		defer set.Close()
		return o.rehearse(ctx, set, stages, m, c, stdout)
	}
	settled, err := o.settled(paths, stages.threshold, m, local)
	if err != nil {
		return err
	}
	if err := o.checkCalibration(settled, warn); err != nil {
		return err
	}
	if err := o.checkLeftBatch(); err != nil {
		return err
	}
	keep, keepAll := o.kept()
	means := report.NewEstimator(o.cluster, o.seed)
	passed := func(t *report.Tally) []report.Gate { return o.of(t, means.Means(t)) }
	opts := report.Options{
		Keep: keep, KeepAll: keepAll, Width: width, Warn: warn,
		Palette: paint, Marks: marks, Show: o.show,
		Gates: passed, Means: means.Means, Notes: o.notes(paths, stages.threshold),
		Page: o.page(paths, stages.threshold, m, local, func(t *report.Tally) html.Conclusion {
			return pageConclusion(passed(t), means.Means(t))
		}),
		Foot: o.calibrationNote(),
	}
	after, err := newEpilogue(&o.outputOptions, opts, github, c)
	if err != nil {
		return err
	}
	defer after.abandon()
	after.datasets, after.settings, after.model = paths, summaryNames(settled), m
	out, err := newOutputs(&o.outputOptions, o.asked(), stdout, opts, func(path string) (*journal.Journal, error) {
		return openJournal(path, settled, o.resume)
	})
	if err != nil {
		return err
	}
	r := &scoring{options: o, console: c, now: sys.Clock.Now, outputs: out, model: m, after: after, means: means}
	r.pipeline = eval.Pipeline{
		Extractor: stages.extractor, Judge: stages.judge, Combined: stages.combined, Nearest: stages.nearest,
		Refusals: stages.refusals, JudgeRefusals: o.judge == withLLM, DeriveCited: o.judge == withLLM,
		Workers: o.concurrency, Window: o.window(false), NoClaims: o.noClaimsScore(), Fatal: llm.Fatal, Drain: llm.Drains,
		RowTimeout: o.rowTimeout, Now: sys.Clock.Now,
	}
	if err := r.openBatch(ctx, settled, paths, sys); err != nil {
		_, abandonErr := out.abandon(true)
		return errors.Join(err, abandonErr)
	}
	defer r.batch.close()
	r.goOn(warn)
	if err := r.batch.run(ctx, r, paths, input); err != nil {
		return r.giveUp(err)
	}
	set, err := dataset.Open(paths, input)
	if err != nil {
		return r.giveUp(err)
	}
	defer set.Close()
	return r.conclude(r.run(ctx, cancel, set, o.selection(), terminal))
}

// present finds a dataset that does not exist.
func present(paths []string) error {
	for _, path := range paths {
		if path == "-" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			if reason, ok := errors.AsType[*fs.PathError](err); ok {
				err = reason.Err
			}
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// A scoring is one run of the pipeline and what it leaves behind.
type scoring struct {
	options  *scoreOptions
	console  *console
	now      func() time.Time
	outputs  *outputs
	model    *model // nil for none
	pipeline eval.Pipeline
	stored   *journal.Stored // what an earlier run has finished; nil for nothing
	batch    *batchRun       // nil for none
	after    *epilogue
	means    *report.Estimator
	tally    report.Tally
	progress *progress // nil for none
	failures failures
	took     time.Duration
}

// tee is a Sink of several. The outputs come first: what they can't take is
// not counted.
type tee []eval.Sink

func (t tee) Write(r *result.Row) error {
	for _, sink := range t {
		if err := sink.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// run takes the rows through the pipeline into all sinks.
func (s *scoring) run(ctx context.Context, cancel context.CancelCauseFunc, set *dataset.Set, selection eval.Selection, terminal bool) error {
	s.failures = failures{console: s.console, most: shownFailures}
	switch {
	case s.options.quiet:
		s.failures.most = 0
	case s.options.verbose:
		s.failures.most, s.failures.stacks = -1, true
	}
	sinks := append(tee{s.outputs, &s.tally, s.means, &s.failures}, s.after.sinks()...)
	if !s.options.quiet && !s.options.noProgress {
		p := startProgress(s.console, s.now, set.Size(), terminal)
		p.ofFirst(s.options.limit)
		if s.stored != nil {
			p.takeOver()
		}
		s.progress = p
		defer p.end()
		sinks = append(sinks, p)
	}
	if !s.options.quiet {
		said := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			defer close(said)
			if errors.Is(context.Cause(ctx), errInterrupted) {
				s.console.say("interrupted: ending the rows in flight; a second interrupt quits at once")
			}
		})
		defer func() {
			if !stop() {
				<-said // and only then what came of it
			}
		}()
	}
	flushing, stopFlushing := context.WithCancel(ctx)
	var flusher sync.WaitGroup
	flusher.Go(func() { s.outputs.flushUntil(flushing, cancel) })
	defer flusher.Wait()
	defer stopFlushing()

	start := s.now()
	err := s.pipeline.Run(ctx, s.whole(selection.Of(set.Rows())), sinks)
	s.took = s.now().Sub(start)
	return err
}

// conclude completes the outputs after a run that ended with err, and decides
// the exit code.
func (s *scoring) conclude(err error) error {
	s.failures.end()
	switch {
	case errors.Is(err, errReaderGone):
		// Whoever read standard output has what they wanted, and nothing else
		// was asked for. In a shell with pipefail this is a success as well.
		_, err := s.outputs.abandon(false)
		s.batch.finish()
		return err
	case err != nil:
		return s.giveUp(err)
	}
	if err := s.outputs.finish(); err != nil {
		s.console.say("%v", err)
		if part := s.outputs.left(); part != "" {
			s.console.say("what was finished is kept in %s, and --resume goes on from there", part)
		}
		return &exitError{exitFailure}
	}
	s.batch.finish()
	means := s.means.Means(&s.tally)
	passed := s.options.of(&s.tally, means)
	if err := s.after.finish(passed, means); err != nil {
		s.console.say("%v", err)
		return &exitError{exitFailure}
	}
	if s.options.verbose {
		s.console.say("%d rows in %v, %.0f rows/s", s.tally.Rows, s.took.Round(time.Millisecond),
			float64(s.tally.Rows)/max(s.took.Seconds(), 1e-6))
	}
	if !s.options.quiet && report.Format(s.options.to) != report.FormatTable {
		s.console.line(summary(&s.tally, means)) // the table says it on standard output
		if note := s.options.calibrationNote(); note != "" {
			s.console.line(report.Printable(note))
		}
	}
	if !s.options.quiet {
		for _, doubt := range s.options.doubts(&s.tally) {
			s.console.say("warning: %s", doubt)
		}
	}
	s.tellSpent()
	s.after.github.setOutputs(&s.tally, means, passed)
	s.after.annotate(passed)
	return tellGates(passed, s.console)
}

// giveUp keeps what was finished by a run that could not go on, and says where.
func (s *scoring) giveUp(err error) error {
	kept, abandonErr := s.outputs.abandon(true)
	interrupted := errors.Is(err, errInterrupted) || errors.Is(err, context.Canceled)
	var usage *dataset.UsageError
	switch {
	case interrupted:
	case errors.As(err, &usage):
		return errors.Join(err, abandonErr)
	default:
		var stage *eval.StageError
		if errors.As(err, &stage) { // it ended the run, whatever the stage
			err = stage.Err
		}
		s.console.say("%v", err)
	}
	if abandonErr != nil {
		s.console.say("%v", abandonErr)
	}
	where := "no file is kept"
	if len(kept) > 0 {
		where = "what was finished is kept in " + strings.Join(kept, ", ") + ", and --resume goes on from there"
	}
	if left := s.batch.left(); left != "" && len(kept) == 0 {
		where, kept = left, []string{left}
	}
	rows := strconv.Itoa(s.outputs.rows) + " rows were finished"
	var changed *journal.ChangedError
	switch {
	case errors.As(err, &changed):
		return &exitError{exitFailure} // it says itself what is kept
	case s.stored != nil:
		rows += " or taken over"
	}
	switch {
	case interrupted:
		s.console.say("interrupted: %s; %s", rows, where)
		s.tellSpent()
		return &exitError{exitInterrupted}
	case len(kept) > 0:
		s.console.say("%s; %s", rows, where)
	}
	s.tellSpent()
	return &exitError{exitFailure}
}

// tellSpent says what was spent on a language model.
func (s *scoring) tellSpent() {
	if s.model != nil && !s.options.quiet {
		s.console.line(s.model.spent())
	}
}

// summary is the counts and the means on one line.
func summary(t *report.Tally, means *report.Means) string {
	line := t.String()
	for _, m := range means.Format() {
		switch {
		case m.Of != "rows":
			line += ", of claims " + m.Estimate
		default:
			line += ", mean faithfulness " + m.Estimate
		}
		switch {
		case m.Interval != "":
			line += " (95% interval " + m.Interval + ")"
		case m.Of == "rows":
			line += " (no 95% interval, " + m.Basis + ")"
		}
	}
	if cited := t.Cited(); cited != "" {
		line += ", citations " + cited
	}
	return line
}

// tableWidth is how wide the table may be: as COLUMNS says, or the terminal, or
// neither.
func tableWidth(stdout io.Writer, sys system) int {
	if text, ok := sys.LookupEnv("COLUMNS"); ok {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n
		}
	}
	return sys.Terminal(stdout)
}
