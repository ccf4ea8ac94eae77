package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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

// openFile creates the output file path. The first JSONL file is the journal, unless
// openJournal is nil.
func (w *Writer) openFile(path string, opts report.Options, page html.Run, openJournal JournalOpener) (*outputFile, error) {
	f := &outputFile{path: path}
	var err error
	if f.format, err = report.FormatOf(path); err != nil {
		return nil, err
	}
	if f.format == report.FormatJSONL && w.Journal == nil && openJournal != nil {
		if w.Journal, err = openJournal(path); err != nil {
			return nil, err
		}
		f.file = w.Journal
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
func (w *Writer) Write(r *result.Row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flushErr != nil {
		return w.flushErr
	}
	if w.stdoutOpen {
		if err := w.checkStdout(w.stdout.Write(r)); err != nil {
			return err
		}
	}
	for _, f := range w.files {
		err := f.writer.Write(r)
		if err == nil && f.file == w.Journal {
			err = w.Journal.Wrote()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	w.Rows++
	return w.sinks.Write(r)
}

// checkStdout wraps an error from standard output. If standard output is closed, it
// returns nil for a run with other outputs and ErrStdoutClosed otherwise.
func (w *Writer) checkStdout(err error) error {
	switch {
	case err == nil:
		return nil
	case IsClosedPipe(err):
		w.stdoutOpen = false
		if len(w.files) > 0 || w.options.Gates.Any() || w.options.Summary != "" {
			return nil
		}
		return ErrStdoutClosed
	}
	return fmt.Errorf("standard output: %w", err)
}

// IsClosedPipe reports whether the reader of standard output has exited, as with "| head -1".
func IsClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// flush flushes all outputs.
func (w *Writer) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flushErr != nil {
		return w.flushErr
	}
	if w.stdoutOpen {
		w.flushErr = w.checkStdout(w.buf.Flush())
	}
	for _, f := range w.files {
		if err := f.file.Flush(); err != nil && w.flushErr == nil {
			w.flushErr = fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return w.flushErr
}

// FlushUntil flushes regularly until ctx is done, and calls fail on an error.
func (w *Writer) FlushUntil(ctx context.Context, fail func(error)) {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := w.flush(); err != nil {
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
func (w *Writer) Finish() error {
	var errs []error
	if w.stdoutOpen {
		err := w.stdout.Close()
		if err == nil {
			err = w.buf.Flush()
		}
		if err = w.checkStdout(err); err != nil && !errors.Is(err, ErrStdoutClosed) {
			errs = append(errs, err)
		}
	}
	failed := false
	var journalFile *outputFile
	for _, f := range w.files {
		if f.file == w.Journal {
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
		if _, err := w.Journal.Abandon(w.Rows > 0); err != nil {
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
func (w *Writer) Abandon(keep bool) ([]string, error) {
	if w.stdoutOpen {
		_ = w.buf.Flush() // the run has failed already
	}
	var kept []string
	var errs []error
	for _, f := range w.files {
		report.Discard(f.writer)
		part, err := f.file.Abandon(keep && f.file == w.Journal && w.Rows > 0)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.path, err))
		}
		if part != "" {
			kept = append(kept, part)
		}
	}
	return kept, errors.Join(errs...)
}
