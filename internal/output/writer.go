package output

import (
	"bufio"
	"errors"
	"fmt"
	"sync"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A Writer is an eval.Sink that writes the rows of a run to standard output and all files,
// and collects its statistics.
type Writer struct {
	Tally   *report.Tally
	Gates   []report.Gate    // set by Conclude
	Journal *journal.Journal // the first JSONL file, or nil
	Rows    int              // number of rows written

	options  *Options
	details  Details
	streams  *Streams
	summary  *safefile.Output // nil without --summary
	supports report.Supports
	step     *step      // nil outside GitHub Actions
	sinks    eval.Sinks // of rows that were written

	mu         sync.Mutex
	stdout     report.Writer
	buf        *bufio.Writer // buffers standard output
	stdoutOpen bool          // standard output still has a reader
	files      []*outputFile
	flushErr   error // first error of flush
}

// New creates all outputs, or none on an error, so that errors are found before the first
// row is read. The first JSONL file is a journal unless openJournal is nil.
func New(o *Options, s *Streams, d Details, openJournal JournalOpener) (*Writer, error) {
	w := &Writer{
		options: o, details: d, streams: s, Tally: report.NewTally(o.Cluster, o.By, o.Seed),
		buf: bufio.NewWriterSize(s.Stdout, 64<<10), stdoutOpen: true,
	}
	opts := report.Options{
		Keep: d.Keep, KeepAll: d.KeepAll, Notes: d.Notes, Foot: d.Foot, Warn: o.Warner(s.Console),
		Width: s.Width, Palette: s.Palette, Marks: s.Marks, Show: o.Show, DatasetOrder: o.Sort == SortNone,
		Tally: w.Tally, Gates: w.evaluate,
	}
	page := d.Page
	page.Tally, page.Gates = w.Tally, w.evaluate
	if err := w.open(opts, page, openJournal); err != nil {
		w.Discard()
		_, abandonErr := w.Abandon(false)
		return nil, errors.Join(err, abandonErr)
	}
	return w, nil
}

// open creates all outputs.
func (w *Writer) open(opts report.Options, page html.Run, openJournal JournalOpener) (err error) {
	if w.step, err = newStep(w.options, w.streams, opts); err != nil {
		return err
	}
	w.sinks = eval.Sinks{w.Tally}
	if w.options.Summary != "" {
		if w.summary, err = safefile.CreateOutput(w.options.Summary); err != nil {
			return err
		}
		w.sinks = append(w.sinks, &w.supports)
	}
	if w.step != nil && w.step.report != nil {
		w.sinks = append(w.sinks, w.step.report)
	}
	if w.stdout, err = report.New(report.Format(w.options.To), w.buf, opts); err != nil {
		return err
	}
	for _, path := range w.options.Files {
		f, err := w.openFile(path, opts, page, openJournal)
		if err != nil {
			return err
		}
		w.files = append(w.files, f)
	}
	return nil
}

// evaluate evaluates the gates after the last row.
func (w *Writer) evaluate() []report.Gate {
	gates := w.options.Gates.Evaluate(w.Tally)
	if w.details.Partial != nil {
		gates = append(w.details.Partial(), gates...)
	}
	return gates
}

// Conclude evaluates the gates and writes the step summary and the summary, after
// complete has set the fields of the summary that the rows do not determine.
func (w *Writer) Conclude(complete func(*report.Summary)) error {
	w.Gates = w.evaluate()
	w.step.addSummary()
	if w.summary == nil {
		return nil
	}
	s := w.Tally.Summary(&w.supports, w.Gates)
	s.Ragfaith, s.ExitCode = w.options.Version, ExitCode(w.Gates)
	complete(s)
	content, err := s.Bytes()
	if err == nil {
		_, err = w.summary.Write(content)
	}
	if err != nil {
		w.Discard()
		return fmt.Errorf("%s: %w", w.options.Summary, err)
	}
	summary := w.summary
	w.summary = nil
	return summary.Commit()
}

// Discard removes an unfinished summary.
func (w *Writer) Discard() {
	if w.summary != nil {
		_, _ = w.summary.Abandon(false) // the run has failed already
		w.summary = nil
	}
}

// SetStepOutputs sets the outputs of the step of a GitHub workflow.
func (w *Writer) SetStepOutputs() { w.step.setOutputs(w.Tally, w.Gates) }

// PrintGates adds annotations on GitHub, writes the outcomes of the gates and returns the
// exit code as an error.
func (w *Writer) PrintGates() error {
	w.step.annotate(w.Gates)
	for i := range w.Gates {
		if g := &w.Gates[i]; g.Name != report.GateMaxFailed || !g.Passed {
			w.streams.Console.Gate(g)
		}
	}
	if code := ExitCode(w.Gates); code != exit.OK {
		return &exit.ReportedError{Code: code}
	}
	return nil
}

// ExitCode returns the exit code of a run. Too many failed rows take precedence, since
// they make the statistics of other gates unreliable.
func ExitCode(gates []report.Gate) int {
	code := exit.OK
	for i := range gates {
		switch {
		case gates[i].Passed:
		case gates[i].Name == report.GateMaxFailed:
			return exit.FailedRows
		default:
			code = exit.Gate
		}
	}
	return code
}
