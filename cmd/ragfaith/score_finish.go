package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
)

// finish completes the outputs of a run that ended with err, and returns the exit code
// as an error.
func (r *scoreRun) finish(ctx context.Context, err error) error {
	r.failures.Close()
	switch {
	case errors.Is(err, errStdoutClosed):
		// Stdout was the only output; a closed pipe is not an error, even under pipefail.
		_, err := r.outputs.abandon(false)
		r.batch.finish(ctx)
		return err
	case err != nil:
		return r.fail(err)
	}
	if err := r.outputs.finish(); err != nil {
		r.console.Printf("%v", err)
		if part := r.outputs.unfinishedJournal(); part != "" {
			r.console.Printf("finished rows saved in %s; use --resume to continue", part)
		}
		return &exitError{exitFailure}
	}
	r.batch.finish(ctx)
	means := r.means.Means(&r.tally)
	gates := r.options.gates.Evaluate(&r.tally, means)
	if err := r.summary.finish(gates, means); err != nil {
		r.console.Printf("%v", err)
		return &exitError{exitFailure}
	}
	r.printSummary(ctx, means)
	r.summary.github.setOutputs(&r.tally, means, gates)
	r.summary.annotate(gates)
	return printGates(gates, r.console)
}

// printSummary prints the statistics that are not already on stdout, and warnings about
// them.
func (r *scoreRun) printSummary(ctx context.Context, means *report.Means) {
	o := r.options
	if o.verbose {
		r.console.Printf("%d rows in %v, %.0f rows/s", r.tally.Rows, r.duration.Round(time.Millisecond),
			float64(r.tally.Rows)/max(r.duration.Seconds(), 1e-6))
	}
	if o.quiet {
		return
	}
	if report.Format(o.to) != report.FormatTable {
		for _, line := range summaryLines(&r.tally, means) {
			r.console.Println(line)
		}
		if note := o.calibrationNote(); note != "" {
			r.console.Println(report.Printable(note))
		}
	}
	for _, w := range o.gates.Warnings(&r.tally, means) {
		r.console.Printf("warning: %s", w)
	}
	if w := o.disagreement(&r.tally); w != "" {
		r.console.Printf("warning: %s", w)
	}
	if r.faithful != nil {
		r.console.Println(r.faithful.String())
	}
	r.printUsage()
	if r.savings != nil {
		r.console.Println(r.savings.String())
	}
	r.suggestJudge(ctx, r.tally.UncertainShare())
}

// fail saves the finished rows of a failed or interrupted run and prints where they are. It
// returns the exit code as an error.
func (r *scoreRun) fail(err error) error {
	kept, abandonErr := r.outputs.abandon(true)
	interrupted := errors.Is(err, errInterrupted) || errors.Is(err, context.Canceled)
	if !interrupted {
		if usage := (*dataset.UsageError)(nil); errors.As(err, &usage) {
			return errors.Join(err, abandonErr)
		}
		if stage := (*eval.StageError)(nil); errors.As(err, &stage) {
			if err = stage.Err; !llm.IsFatal(err) { // see isFatal
				err = fmt.Errorf("giving up on the model: no row got a usable reply: %w", err)
			}
		}
		r.console.Printf("%v", err)
	}
	if abandonErr != nil {
		r.console.Printf("%v", abandonErr)
	}
	if changed := (*journal.ChangedError)(nil); errors.As(err, &changed) {
		return &exitError{exitFailure} // the message already names the file
	}
	resumeHint := ""
	switch hint := r.batch.resumeHint(); {
	case len(kept) > 0:
		resumeHint = "finished rows saved in " + strings.Join(kept, ", ") + "; use --resume to continue"
	case hint != "":
		resumeHint = hint
	}
	rows := report.Count(r.outputs.rows, "row", "rows") + " finished"
	if r.stored != nil {
		rows += " or resumed"
	}
	switch {
	case interrupted && resumeHint == "":
		r.console.Printf("interrupted: %s; no rows saved", rows)
	case interrupted:
		r.console.Printf("interrupted: %s; %s", rows, resumeHint)
	case resumeHint != "":
		r.console.Printf("%s; %s", rows, resumeHint)
	}
	if !r.options.quiet {
		r.printUsage()
	}
	if interrupted {
		return &exitError{exitInterrupted}
	}
	return &exitError{exitFailure}
}

// printUsage prints the requests, tokens and cost of the language model.
func (r *scoreRun) printUsage() {
	if r.model != nil {
		r.console.Println(r.model.usageLine())
	}
}

// newFailureLog returns a log that prints no failed rows with --quiet, all with --verbose,
// otherwise the first 20.
func (o *scoreOptions) newFailureLog(c *console.Console) *console.FailureLog {
	const defaultLimit = 20
	switch {
	case o.quiet:
		return console.NewFailureLog(c, 0, false)
	case o.verbose:
		return console.NewFailureLog(c, -1, !o.dryRun)
	}
	return console.NewFailureLog(c, defaultLimit, false)
}
