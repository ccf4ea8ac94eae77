package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// outputOptions are the output options of score and report.
type outputOptions struct {
	to      string
	sort    string
	show    int
	output  []string
	summary string
	github  string
	quiet   bool
}

// flags returns the flags that score and report share, without --quiet.
func (o *outputOptions) flags() []flagSpec {
	var streams []string
	for _, f := range report.StreamFormats() {
		streams = append(streams, string(f))
	}
	return []flagSpec{
		{
			name: "to", arg: "FORMAT", value: flagvalue.OneOf(&o.to, "table", streams...),
			help: "format written to stdout: " + orList(streams),
		},
		{name: "sort", arg: "ORDER", value: flagvalue.OneOf(&o.sort, sortScore, sortScore, sortNone), harmless: true, help: "order of the table: score (lowest first) or none"},
		{name: "show", arg: "N", value: flagvalue.Int(&o.show, 0, 0), harmless: true, help: "show the N worst and the first N failed rows in full"},
		{
			name: "output", short: "o", arg: "FILE", value: &o.output, path: filePath, exts: fileExtensions(),
			help: "write results to FILE (atomically), by extension; repeatable",
		},
		{name: "summary", arg: "FILE", value: &o.summary, path: filePath, exts: []string{"json"}, help: "write figures, options and gates to FILE as JSON"},
		{
			name: "github", arg: "MODE", value: flagvalue.OneOf(&o.github, "auto", "auto", "off"), harmless: true,
			help: "GitHub Actions summary and annotations: auto or off",
		},
	}
}

// fileExtensions returns the extensions of output files, without dots.
func fileExtensions() []string {
	var exts []string
	for _, f := range report.FileFormats() {
		exts = append(exts, strings.TrimPrefix(f.Extension(), "."))
	}
	return exts
}

// Values of --sort.
const (
	sortScore = "score"
	sortNone  = "none"
)

// checkShow returns an error for --show with data on stdout. set reports whether the flag
// was given on the command line.
func (o *outputOptions) checkShow(set bool) error {
	if o.show > 0 && set && o.to != string(report.FormatTable) && o.to != string(report.FormatNone) {
		return usagef("--show needs --to table or none, got --to %s", o.to)
	}
	return nil
}

// checkOutputs returns an error if an output file has an unknown format or would
// overwrite another output or an input. kind describes the inputs in the message.
func (o *outputOptions) checkOutputs(kind string, inputs []string) error {
	for _, out := range o.output {
		if _, err := report.FormatOf(out); err != nil {
			return &usageError{err}
		}
	}
	var files []target
	if o.summary != "" {
		files = append(files, target{"--summary", o.summary})
	}
	return checkOverwrites(append(files, targets(o.output)...), kind+" ", inputs)
}

// isJSONL reports whether path has the extension of JSONL files.
func isJSONL(path string) bool {
	format, err := report.FormatOf(path)
	return err == nil && format == report.FormatJSONL
}

// flushInterval is the maximum delay before other programs can read a finished row.
// Flushed rows also survive a crash of this process.
const flushInterval = 250 * time.Millisecond

// errStdoutClosed reports that the reader of standard output exited, as head does in
// "ragfaith score ... | head -1".
var errStdoutClosed = errors.New("standard output is closed")

// outputs writes results to standard output and to all files. It is an eval.Sink.
type outputs struct {
	mu             sync.Mutex
	stdout         report.Writer
	buf            *bufio.Writer // buffers standard output
	stdoutOpen     bool          // standard output still has a reader
	hasOtherOutput bool          // the run continues after standard output is closed
	files          []*outputFile
	journal        *journal.Journal // the first JSONL file, or nil
	rows           int
	flushErr       error // first error of flush
}

type outputFile struct {
	path   string
	format report.Format
	writer report.Writer
	file   outputTarget
}

// An outputTarget is a file that is renamed to its final name when it is complete.
type outputTarget interface {
	io.Writer
	Flush() error
	Commit() error
	Abandon(keep bool) (part string, err error)
}

// A journalOpener creates the JSONL file that a later run can resume.
type journalOpener func(path string) (*journal.Journal, error)

// newOutputs creates all outputs, or none on an error. The first JSONL file is a journal
// unless openJournal is nil. A run with gates or files continues after standard
// output is closed.
func newOutputs(o *outputOptions, hasGates bool, stdout io.Writer, opts report.Options, openJournal journalOpener) (*outputs, error) {
	out := &outputs{stdoutOpen: true, hasOtherOutput: len(o.output) > 0 || hasGates || o.summary != ""}
	out.buf = bufio.NewWriterSize(stdout, 64<<10)
	var err error
	if out.stdout, err = report.New(report.Format(o.to), out.buf, opts); err != nil {
		return nil, err
	}
	for _, path := range o.output {
		f, err := out.open(path, opts, openJournal)
		if err != nil {
			_, abandonErr := out.abandon(false)
			return nil, errors.Join(err, abandonErr)
		}
		out.files = append(out.files, f)
	}
	return out, nil
}

// open creates the output file path. The first JSONL file is the journal.
func (o *outputs) open(path string, opts report.Options, openJournal journalOpener) (*outputFile, error) {
	f := &outputFile{path: path}
	var err error
	if f.format, err = report.FormatOf(path); err != nil {
		return nil, err
	}
	if f.format == report.FormatJSONL && o.journal == nil && openJournal != nil {
		if o.journal, err = openJournal(path); err != nil {
			return nil, err
		}
		f.file = o.journal
	} else {
		file, err := safefile.CreateOutput(path)
		if err != nil {
			return nil, err
		}
		f.file = file
	}
	opts.TempDir = filepath.Dir(path) // the disk must have space for the file anyway
	if f.writer, err = report.New(f.format, f.file, opts); err != nil {
		_, abandonErr := f.file.Abandon(false)
		return nil, errors.Join(err, abandonErr)
	}
	if f.file == o.journal {
		f.writer = journalWriter{f.writer, o.journal}
	}
	return f, nil
}

// Write writes r to every output.
func (o *outputs) Write(r *result.Row) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.flushErr != nil {
		return o.flushErr
	}
	if o.stdoutOpen {
		if err := o.checkStdout(o.stdout.Write(r)); err != nil {
			return err
		}
	}
	for _, f := range o.files {
		if err := f.writer.Write(r); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	o.rows++
	return nil
}

// checkStdout wraps an error from standard output. If standard output is closed, it
// returns nil for a run with other outputs and errStdoutClosed otherwise.
func (o *outputs) checkStdout(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		o.stdoutOpen = false
		if o.hasOtherOutput {
			return nil
		}
		return errStdoutClosed
	}
	return fmt.Errorf("standard output: %w", err)
}

// flush flushes all outputs.
func (o *outputs) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.flushErr != nil {
		return o.flushErr
	}
	if o.stdoutOpen {
		o.flushErr = o.checkStdout(o.buf.Flush())
	}
	for _, f := range o.files {
		if err := f.file.Flush(); err != nil && o.flushErr == nil {
			o.flushErr = fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return o.flushErr
}

// flushUntil flushes regularly until ctx is done, and calls fail on an error.
func (o *outputs) flushUntil(ctx context.Context, fail func(error)) {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := o.flush(); err != nil {
				fail(err)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// finish completes all outputs, including the files if standard output fails. It commits
// the journal last, and only if all other files are complete, so that a resumed run can
// write them again without rescoring a row.
func (o *outputs) finish() error {
	var errs []error
	if o.stdoutOpen {
		err := o.stdout.Close()
		if err == nil {
			err = o.buf.Flush()
		}
		if err = o.checkStdout(err); err != nil && !errors.Is(err, errStdoutClosed) {
			errs = append(errs, err)
		}
	}
	failed := false
	var journalFile *outputFile
	for _, f := range o.files {
		if f.file == o.journal {
			journalFile = f
			continue
		}
		if err := f.complete(); err != nil {
			failed, errs = true, append(errs, err)
		}
	}
	switch {
	case journalFile == nil:
	case failed:
		if _, err := o.journal.Abandon(o.rows > 0); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", journalFile.path, err))
		}
	default:
		if err := journalFile.complete(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// complete writes the end of a file and commits it, or abandons it.
func (f *outputFile) complete() error {
	if err := f.writer.Close(); err != nil {
		_, abandonErr := f.file.Abandon(false)
		return errors.Join(fmt.Errorf("%s: %w", f.path, err), abandonErr)
	}
	return f.file.Commit()
}

// unfinishedJournal returns the path of the journal that finish could not commit, or "".
func (o *outputs) unfinishedJournal() string {
	if o.journal == nil {
		return ""
	}
	return o.journal.RemainingPart()
}

// abandon removes all unfinished outputs and returns the files it keeps. If keep is set,
// it keeps a journal with rows.
func (o *outputs) abandon(keep bool) ([]string, error) {
	if o.stdoutOpen {
		_ = o.buf.Flush() // the run has failed already
	}
	var kept []string
	var errs []error
	for _, f := range o.files {
		report.Discard(f.writer)
		part, err := f.file.Abandon(keep && f.file == o.journal && o.rows > 0)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.path, err))
		}
		if part != "" {
			kept = append(kept, part)
		}
	}
	return kept, errors.Join(errs...)
}
