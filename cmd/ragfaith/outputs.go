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

// outputOptions are the options of score and report for what they write.
type outputOptions struct {
	to      string
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
			name: "to", arg: "FORMAT", value: flagvalue.OneOf(&o.to, "table", streams...), untrusted: "table none",
			help: "format written to stdout: " + orList(streams),
		},
		{name: "show", arg: "N", value: flagvalue.Int(&o.show, 0, 0), untrusted: anyValue, help: "show the N worst and the first N failed rows below the table"},
		{
			name: "output", short: "o", arg: "FILE", value: &o.output, path: filePath, exts: fileExtensions(),
			help: "write results to FILE (atomically), by extension; repeatable",
		},
		{name: "summary", arg: "FILE", value: &o.summary, path: filePath, exts: []string{"json"}, help: "write figures, options and gates to FILE as JSON"},
		{
			name: "github", arg: "MODE", value: flagvalue.OneOf(&o.github, "auto", "auto", "off"), untrusted: anyValue,
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

// checkShow returns an error for --show without a table. explicit reports whether the
// flag was given on the command line.
func (o *outputOptions) checkShow(explicit bool) error {
	if o.show > 0 && explicit && report.Format(o.to) != report.FormatTable {
		return usagef("--show needs --to table, got --to %s", o.to)
	}
	return nil
}

// checkOutputs returns an error for files of an unknown format, and for files that
// would overwrite one another or an input. kind describes the inputs in the message.
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

// flushInterval is the maximum time before other programs can read a finished row.
// Flushed rows also survive a crash of this process.
const flushInterval = 250 * time.Millisecond

// errReaderGone means that the reader of standard output has closed it, such as
// "| head -1".
var errReaderGone = errors.New("standard output is closed")

// outputs writes results to standard output and to all files. It is an eval.Sink.
type outputs struct {
	mu       sync.Mutex
	stdout   report.Writer
	buf      *bufio.Writer // of stdout
	readable bool          // standard output still has a reader
	required bool          // something else is asked for, so that a run without a reader continues
	files    []*outputFile
	journal  *journal.Journal // the first JSONL file; nil without one
	rows     int
	err      error // of an earlier flush
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

// newOutputs creates all outputs, or none. The first JSONL file is a journal, unless
// openJournal is nil. gated reports whether the run has gates: it then continues
// without a reader of standard output.
func newOutputs(o *outputOptions, gated bool, stdout io.Writer, opts report.Options, openJournal journalOpener) (*outputs, error) {
	out := &outputs{readable: true, required: len(o.output) > 0 || gated || o.summary != ""}
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

// open creates a file. The first JSONL file is the journal.
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
	if o.err != nil {
		return o.err
	}
	if o.readable {
		if err := o.check(o.stdout.Write(r)); err != nil {
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

// check converts an error of standard output. If its reader is gone, check returns nil
// or errReaderGone, depending on whether the run has another purpose.
func (o *outputs) check(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		o.readable = false
		if o.required {
			return nil
		}
		return errReaderGone
	}
	return fmt.Errorf("standard output: %w", err)
}

// flush flushes all outputs.
func (o *outputs) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	if o.readable {
		o.err = o.check(o.buf.Flush())
	}
	for _, f := range o.files {
		if err := f.file.Flush(); err != nil && o.err == nil {
			o.err = fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return o.err
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

// finish completes all outputs, the files even if standard output fails. The journal
// comes last, and stays a journal if another file fails: whatever happens in between,
// a resumed run completes the others without judging a row again.
func (o *outputs) finish() error {
	var errs []error
	if o.readable {
		err := o.stdout.Close()
		if err == nil {
			err = o.buf.Flush()
		}
		if err = o.check(err); err != nil && !errors.Is(err, errReaderGone) {
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

// left returns the file with the finished rows if finish could not complete it, or "".
func (o *outputs) left() string {
	if o.journal == nil {
		return ""
	}
	return o.journal.Left()
}

// abandon removes all unfinished outputs. With keep the journal stays if it has rows.
// abandon returns the files that stay.
func (o *outputs) abandon(keep bool) ([]string, error) {
	if o.readable {
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
