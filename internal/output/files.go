package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// flushInterval is the maximum delay before other programs can read a finished row.
// Flushed rows also survive a crash of this process.
const flushInterval = 250 * time.Millisecond

// ErrStdoutClosed reports that the reader of standard output exited, as head does in
// "ragfaith score ... | head -1".
var ErrStdoutClosed = errors.New("standard output is closed")

// files are standard output and the result files of a run. It is an eval.Sink.
type files struct {
	mu             sync.Mutex
	stdout         report.Writer
	buf            *bufio.Writer // buffers standard output
	stdoutOpen     bool          // standard output still has a reader
	hasOtherOutput bool          // the run continues after standard output is closed
	files          []*outputFile
	Journal        *journal.Journal // the first JSONL file, or nil
	Rows           int              // number of rows written
	flushErr       error            // first error of flush
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

// A JournalOpener creates the JSONL file that a later run can resume.
type JournalOpener func(path string) (*journal.Journal, error)

// newFiles creates standard output and all files, or none on an error. The first JSONL
// file is a journal unless openJournal is nil. A run with gates or files continues after
// standard output is closed.
func newFiles(o *Options, stdout io.Writer, opts report.Options, page html.Run, openJournal JournalOpener) (*files, error) {
	out := &files{stdoutOpen: true, hasOtherOutput: len(o.Files) > 0 || o.Gates.Any() || o.Summary != ""}
	out.buf = bufio.NewWriterSize(stdout, 64<<10)
	var err error
	if out.stdout, err = report.New(report.Format(o.To), out.buf, opts); err != nil {
		return nil, err
	}
	for _, path := range o.Files {
		f, err := out.open(path, opts, page, openJournal)
		if err != nil {
			_, abandonErr := out.Abandon(false)
			return nil, errors.Join(err, abandonErr)
		}
		out.files = append(out.files, f)
	}
	return out, nil
}

// open creates the output file path. The first JSONL file is the journal.
func (o *files) open(path string, opts report.Options, page html.Run, openJournal JournalOpener) (*outputFile, error) {
	f := &outputFile{path: path}
	var err error
	if f.format, err = report.FormatOf(path); err != nil {
		return nil, err
	}
	if f.format == report.FormatJSONL && o.Journal == nil && openJournal != nil {
		if o.Journal, err = openJournal(path); err != nil {
			return nil, err
		}
		f.file = o.Journal
	} else {
		file, err := safefile.CreateOutput(path)
		if err != nil {
			return nil, err
		}
		f.file = file
	}
	opts.TempDir = filepath.Dir(path) // the disk must have space for the file anyway
	if f.format == report.FormatHTML {
		f.writer, err = html.New(f.file, page)
	} else {
		f.writer, err = report.New(f.format, f.file, opts)
	}
	if err != nil {
		_, abandonErr := f.file.Abandon(false)
		return nil, errors.Join(err, abandonErr)
	}
	return f, nil
}

// Write writes r to every output.
func (o *files) Write(r *result.Row) error {
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
		err := f.writer.Write(r)
		if err == nil && f.file == o.Journal {
			err = o.Journal.Wrote()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	o.Rows++
	return nil
}

// checkStdout wraps an error from standard output. If standard output is closed, it
// returns nil for a run with other outputs and ErrStdoutClosed otherwise.
func (o *files) checkStdout(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		o.stdoutOpen = false
		if o.hasOtherOutput {
			return nil
		}
		return ErrStdoutClosed
	}
	return fmt.Errorf("standard output: %w", err)
}

// flush flushes all outputs.
func (o *files) flush() error {
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

// FlushUntil flushes regularly until ctx is done, and calls fail on an error.
func (o *files) FlushUntil(ctx context.Context, fail func(error)) {
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

// Finish completes all outputs, including the files if standard output fails. It commits
// the journal last, and only if all other files are complete, so that a resumed run can
// write them again without rescoring a row.
func (o *files) Finish() error {
	var errs []error
	if o.stdoutOpen {
		err := o.stdout.Close()
		if err == nil {
			err = o.buf.Flush()
		}
		if err = o.checkStdout(err); err != nil && !errors.Is(err, ErrStdoutClosed) {
			errs = append(errs, err)
		}
	}
	failed := false
	var journalFile *outputFile
	for _, f := range o.files {
		if f.file == o.Journal {
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
		if _, err := o.Journal.Abandon(o.Rows > 0); err != nil {
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

// Abandon removes all unfinished outputs and returns the files it keeps. If keep is set,
// it keeps a journal with rows.
func (o *files) Abandon(keep bool) ([]string, error) {
	if o.stdoutOpen {
		_ = o.buf.Flush() // the run has failed already
	}
	var kept []string
	var errs []error
	for _, f := range o.files {
		report.Discard(f.writer)
		part, err := f.file.Abandon(keep && f.file == o.Journal && o.Rows > 0)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.path, err))
		}
		if part != "" {
			kept = append(kept, part)
		}
	}
	return kept, errors.Join(errs...)
}
