package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
)

// finish completes the outputs after err, and returns the exit code as an error.
func (r *run) finish(ctx context.Context, err error) error {
	r.failures.Close()
	switch {
	case errors.Is(err, output.ErrStdoutClosed):
		// Stdout was the only output; a closed pipe is not an error, even under pipefail.
		_, err := r.out.Abandon(false)
		return err
	case err != nil:
		return r.fail(err)
	}
	if err := r.out.Finish(); err != nil {
		r.console.Error(err)
		if j := r.out.Journal; j != nil && j.RemainingPart() != "" {
			r.console.Printf("finished rows saved in %s; use --resume to continue", j.RemainingPart())
		}
		return &exit.ReportedError{Code: exit.Failure}
	}
	if r.batch != nil {
		if err := r.batch.Finish(context.WithoutCancel(ctx)); err != nil {
			r.warn(err)
		}
	}
	if err := r.out.Conclude(r.completeSummary); err != nil {
		r.console.Error(err)
		return &exit.ReportedError{Code: exit.Failure}
	}
	r.printSummary()
	r.out.SetStepOutputs()
	return r.out.PrintGates()
}

// completeSummary sets the fields of the summary that the rows do not determine.
func (r *run) completeSummary(s *report.Summary) {
	s.Datasets, s.DatasetDigest = r.options.Datasets, r.digest
	s.Settings = withoutDatasets(r.settings)
	if r.model != nil {
		s.Spent = r.model.spent()
	}
	if r.faithful != nil {
		s.FaithfulRows = new(r.faithful.interval())
	}
	if r.options.Prescreens() {
		s.Prescreen = r.out.Tally.Prescreen.Summary()
	}
}

// printSummary prints the statistics that are not on stdout, and warnings about them.
func (r *run) printSummary() {
	o := r.options
	if o.Verbose {
		r.console.Printf("%s in %v, %.0f rows/s", report.Count(r.out.Tally.Rows, "row", "rows"), r.duration.Round(time.Millisecond),
			float64(r.out.Tally.Rows)/max(r.duration.Seconds(), 1e-6))
	}
	if o.Quiet {
		return
	}
	for _, line := range r.out.Lines() {
		r.console.Println(line)
	}
	if report.Format(o.To) != report.FormatTable {
		if note := o.calibrationNote(); note != "" {
			r.console.Println(report.Printable(note))
		}
	}
	for _, w := range o.Gates.Warnings(r.out.Tally) {
		r.console.Printf("warning: %s", w)
	}
	if w := o.disagreement(r.out.Tally); w != "" {
		r.console.Printf("warning: %s", w)
	}
	if r.faithful != nil {
		r.console.Println(r.faithful.String())
	}
	r.printUsage()
}

// fail saves the finished rows of a failed or interrupted run and prints where they are. It
// returns the exit code as an error.
func (r *run) fail(err error) error {
	kept, abandonErr := r.out.Abandon(true)
	interrupted := errors.Is(err, exit.ErrInterrupted) || errors.Is(err, context.Canceled)
	if !interrupted {
		if _, ok := errors.AsType[*dataset.UsageError](err); ok {
			return errors.Join(err, abandonErr)
		}
		if stage, ok := errors.AsType[*eval.StageError](err); ok {
			if err = stage.Err; !llm.IsFatal(err) { // fatal only because no row succeeded; see isFatal
				err = fmt.Errorf("giving up on the model: no row got a usable reply: %w", err)
			}
		}
		r.console.Error(err)
	}
	if abandonErr != nil {
		r.console.Error(abandonErr)
	}
	if _, ok := errors.AsType[*journal.ChangedError](err); ok {
		return &exit.ReportedError{Code: exit.Failure} // the message already names the file
	}
	resumeHint := ""
	switch {
	case len(kept) > 0:
		resumeHint = "finished rows saved in " + strings.Join(kept, ", ") + "; use --resume to continue"
	case r.batch != nil && r.batch.Submitted():
		resumeHint = "batch saved in " + r.batch.Dir + "; use --batch --resume to continue"
	}
	rows := report.Count(r.out.Rows, "row", "rows") + " finished"
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
	if !r.options.Quiet {
		r.printUsage()
	}
	if interrupted {
		return &exit.ReportedError{Code: exit.Interrupted}
	}
	return &exit.ReportedError{Code: exit.Failure}
}

func (r *run) printUsage() {
	if r.model != nil {
		r.console.Println(r.model.usageLine())
	}
}

// newFailureLog logs no failed rows with --quiet, all with --verbose, otherwise the first 20.
func (o *Options) newFailureLog(c *console.Console) *console.FailureLog {
	const defaultLimit = 20
	switch {
	case o.Quiet:
		return console.NewFailureLog(c, 0, false)
	case o.Verbose:
		return console.NewFailureLog(c, -1, !o.DryRun)
	}
	return console.NewFailureLog(c, defaultLimit, false)
}
