package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/report"
)

// finish completes the outputs of a run that ended with err, and returns the exit code
// as an error.
func (r *scoreRun) finish(ctx context.Context, err error) error {
	r.failures.Close()
	switch {
	case errors.Is(err, errStdoutClosed):
		// There is no other output, so this is a success, also with pipefail.
		_, err := r.outputs.abandon(false)
		r.batch.finish(ctx)
		return err
	case err != nil:
		return r.fail(err)
	}
	if err := r.outputs.finish(); err != nil {
		r.console.Printf("%v", err)
		if part := r.outputs.unfinishedJournal(); part != "" {
			r.console.Printf("finished rows are kept in %s; continue with --resume", part)
		}
		return &exitError{exitFailure}
	}
	r.batch.finish(ctx)
	means := r.means.Means(&r.tally)
	gates := r.options.evaluate(&r.tally, means)
	if err := r.summary.finish(gates, means); err != nil {
		r.console.Printf("%v", err)
		return &exitError{exitFailure}
	}
	r.printSummary(means)
	r.summary.github.setOutputs(&r.tally, means, gates)
	r.summary.annotate(gates)
	return printGates(gates, r.console)
}

// printSummary writes the figures that standard output lacks, and warnings about them.
func (r *scoreRun) printSummary(means *report.Means) {
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
	for _, w := range o.warnings(&r.tally, means) {
		r.console.Printf("warning: %s", w)
	}
	r.printUsage()
}

// fail keeps the finished rows of a failed or interrupted run and reports their file. It
// returns the exit code as an error.
func (r *scoreRun) fail(err error) error {
	kept, abandonErr := r.outputs.abandon(true)
	interrupted := errors.Is(err, errInterrupted) || errors.Is(err, context.Canceled)
	if !interrupted {
		if usage := (*dataset.UsageError)(nil); errors.As(err, &usage) {
			return errors.Join(err, abandonErr)
		}
		if stage := (*eval.StageError)(nil); errors.As(err, &stage) {
			err = stage.Err // the stage does not matter to the user
		}
		r.console.Printf("%v", err)
	}
	if abandonErr != nil {
		r.console.Printf("%v", abandonErr)
	}
	if changed := (*journal.ChangedError)(nil); errors.As(err, &changed) {
		return &exitError{exitFailure} // the message names the file that is kept
	}
	where := ""
	switch hint := r.batch.resumeHint(); {
	case len(kept) > 0:
		where = "finished rows are kept in " + strings.Join(kept, ", ") + "; continue with --resume"
	case hint != "":
		where = hint
	}
	rows := report.Count(r.outputs.rows, "row", "rows") + " finished"
	if r.stored != nil {
		rows += " or resumed"
	}
	switch {
	case interrupted && where == "":
		r.console.Printf("interrupted: %s; no file is kept", rows)
	case interrupted:
		r.console.Printf("interrupted: %s; %s", rows, where)
	case where != "":
		r.console.Printf("%s; %s", rows, where)
	}
	if !r.options.quiet {
		r.printUsage()
	}
	if interrupted {
		return &exitError{exitInterrupted}
	}
	return &exitError{exitFailure}
}

// printUsage writes the requests, tokens and cost of the language model.
func (r *scoreRun) printUsage() {
	if r.model != nil {
		r.console.Println(r.model.usageLine())
	}
}

// newFailureLog returns the list of failed rows: none with --quiet, all with --verbose.
func (o *scoreOptions) newFailureLog(c *console.Console) *console.FailureLog {
	const usual = 20
	switch {
	case o.quiet:
		return console.NewFailureLog(c, 0, false)
	case o.verbose:
		return console.NewFailureLog(c, -1, !o.dryRun)
	}
	return console.NewFailureLog(c, usual, false)
}
