package main

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
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// flushEvery is how long a finished row waits at most before other programs can
// see it. What is flushed also outlives this process.
const flushEvery = 250 * time.Millisecond

// errReaderGone says that nobody reads standard output any more, as after
// "| head -1".
var errReaderGone = errors.New("nobody reads standard output")

// outputs writes every result to standard output and to all files. It is an
// eval.Sink.
type outputs struct {
	mu       sync.Mutex
	stdout   report.Writer
	buf      *bufio.Writer // of stdout
	readable bool          // standard output still has a reader
	goOn     bool          // the run has a purpose without one
	files    []*outputFile
	journal  *journal.Journal // the first JSONL file; nil without one
	rows     int
	err      error // of a flush between two rows
}

type outputFile struct {
	path   string
	format report.Format
	writer report.Writer
	file   outputTarget
}

// An outputTarget is a file that appears when it is complete.
type outputTarget interface {
	io.Writer
	Flush() error
	Commit() error
	Abandon(keep bool) (part string, err error)
}

// A journalOpener begins the JSONL file that a later run can go on from.
type journalOpener func(path string) (*journal.Journal, error)

// newOutputs begins all outputs, or none. With gated there is a purpose even where
// nothing is written. The first JSONL file is a journal; with nil it is a file like
// all others.
func newOutputs(o *outputOptions, gated bool, stdout io.Writer, opts report.Options, openJournal journalOpener) (*outputs, error) {
	out := &outputs{readable: true, goOn: len(o.output) > 0 || gated || o.summary != ""}
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

// open begins a file. The first one of JSONL is the journal.
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
	opts.TempDir = filepath.Dir(path) // where there is room for the file
	if f.writer, err = report.New(f.format, f.file, opts); err != nil {
		_, abandonErr := f.file.Abandon(false)
		return nil, errors.Join(err, abandonErr)
	}
	if f.file == o.journal {
		f.writer = journaled{f.writer, o.journal}
	}
	return f, nil
}

// Write gives r to every output.
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

// check takes an error of standard output. That its reader went away is no
// error where there is something else to do, and errReaderGone otherwise.
func (o *outputs) check(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		o.readable = false
		if o.goOn {
			return nil
		}
		return errReaderGone
	}
	return fmt.Errorf("standard output: %w", err)
}

// flush passes on what is written.
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

// flushUntil flushes now and then until ctx is done, and calls fail when that
// can't be done.
func (o *outputs) flushUntil(ctx context.Context, fail func(error)) {
	tick := time.NewTicker(flushEvery)
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

// finish completes all outputs. The files appear even where standard output
// can't be written to. The journal is the last one, and where another file could
// not be completed it stays what it is: so whatever happens in between, a run
// that resumes completes the others, and judges nothing again.
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
	var last *outputFile
	for _, f := range o.files {
		if f.file == o.journal {
			last = f
			continue
		}
		if err := f.complete(); err != nil {
			failed, errs = true, append(errs, err)
		}
	}
	switch {
	case last == nil:
	case failed:
		if _, err := o.journal.Abandon(o.rows > 0); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", last.path, err))
		}
	default:
		if err := last.complete(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// complete writes the end of a file and makes it appear, or gives it up.
func (f *outputFile) complete() error {
	if err := f.writer.Close(); err != nil {
		_, abandonErr := f.file.Abandon(false)
		return errors.Join(fmt.Errorf("%s: %w", f.path, err), abandonErr)
	}
	return f.file.Commit()
}

// left returns where finished rows are that finish could not complete, if any.
func (o *outputs) left() string {
	if o.journal == nil {
		return ""
	}
	return o.journal.Left()
}

// abandon gives up all outputs. With keep the finished rows in the journal stay,
// and abandon returns the names of the files that stay.
func (o *outputs) abandon(keep bool) ([]string, error) {
	if o.readable {
		_ = o.buf.Flush() // the run has failed already, or nobody reads
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
