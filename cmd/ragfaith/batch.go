package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// batchSuffix follows safefile.PartSuffix in the name of the folder that holds the
// state of a batch, beside the first JSONL output.
const batchSuffix = ".batch"

// batchWindow is within what time a server answers a batch.
const batchWindow = 24 * time.Hour

// batched says that the run's requests go into batches.
func (o *scoreOptions) batched() bool { return o.llm.batch && o.asks() }

// checkBatch finds datasets that can't be read more than once, as batches need it.
func (o *scoreOptions) checkBatch(paths []string) error {
	if !o.batched() || o.dryRun {
		return nil
	}
	for _, path := range paths {
		if path == "-" {
			return usagef("--batch reads the dataset more than once: name a file in the place of standard input")
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return usagef("--batch reads the dataset more than once, and %s is no file", path)
		}
	}
	return nil
}

// batchBeside is the folder beside the first JSONL output; "" without one.
func (o *scoreOptions) batchBeside() string {
	if i := slices.IndexFunc(o.output, isJSONL); i >= 0 {
		return o.output[i] + safefile.PartSuffix + batchSuffix
	}
	return ""
}

// checkLeftBatch keeps a run without --batch from paying again for what a batch
// was submitted for.
func (o *scoreOptions) checkLeftBatch() error {
	if folder := o.batchBeside(); folder != "" && !o.batched() && llm.BatchSubmitted(folder) {
		return &llm.UnfinishedBatchError{Dir: folder}
	}
	return nil
}

// batchDuration is the longest that a batch may take: a window for each of the
// stages that ask.
func (o *scoreOptions) batchDuration() (time.Duration, string) {
	if o.claims == withLLM && o.judge == withLLM && !o.combined() {
		return 2 * batchWindow, "at most, for a batch of claims and one of verdicts; mostly it is far less"
	}
	return batchWindow, "at most; mostly it is far less"
}

// A batchRun is what comes before the last pass over the rows. A nil one does
// nothing.
type batchRun struct {
	*llm.Batch
	end func() // of the whole run, whose results are safe
}

// openBatch begins or goes on with the batch of a run with --batch.
func (s *scoring) openBatch(ctx context.Context, settled journal.Settings, paths []string, sys system) error {
	o := s.options
	if !o.batched() {
		return nil
	}
	settings, err := json.Marshal(settled)
	if err != nil {
		return err
	}
	folder := o.batchBeside()
	if folder == "" {
		if folder, err = batchFolder(o.llm.cache, settings, paths, sys); err != nil {
			return err
		}
	}
	options := llm.BatchOptions{Dir: folder, Settings: settings, Resume: o.resume, Poll: o.llm.batchPoll}
	if !o.quiet {
		options.Notify = func(line string) { s.console.say("%s", line) }
	}
	b, err := s.model.stack.OpenBatch(ctx, options)
	if other, ok := errors.AsType[*llm.BatchSettingsError](err); ok {
		return &usageError{changedSettings(other, settled)}
	}
	if err != nil {
		return err
	}
	s.batch = &batchRun{Batch: b}
	s.batch.end = func() {
		// An interrupt comes too late: the results are there.
		if err := b.Finish(context.WithoutCancel(ctx)); err != nil && !o.quiet {
			s.console.say("warning: %v", err)
		}
	}
	return nil
}

// batchFolder is a folder for a run without JSONL output, in that of the cache. A
// run with the same settings and datasets finds it again.
func batchFolder(given string, settings []byte, paths []string, sys system) (string, error) {
	folder, err := cacheFolder(given, sys)
	if err != nil {
		return "", fmt.Errorf("--batch keeps its state beside a JSONL output, or in the folder of the cache: %w", err)
	}
	h := sha256.New()
	h.Write(settings)
	for _, path := range paths {
		h.Write([]byte(resolved(path)))
		h.Write([]byte{0})
	}
	return filepath.Join(folder, "batches", hex.EncodeToString(h.Sum(nil)[:8])), nil
}

// changedSettings names what differs from the settings of a batch.
func changedSettings(e *llm.BatchSettingsError, is journal.Settings) error {
	var settings journal.Settings
	if json.Unmarshal(e.Was, &settings) != nil {
		return e
	}
	return &journal.SettingsError{Part: e.Dir, Changes: is.Changes(settings)}
}

// run submits and collects batches until the last pass can be run, and gives the
// stages the model of that.
func (b *batchRun) run(ctx context.Context, s *scoring, paths []string, input dataset.Options) error {
	if b == nil {
		return nil
	}
	input.Warn = nil // the last pass tells
	if b.resumed() {
		if err := s.checkBatchRows(ctx, paths, input); err != nil {
			return err
		}
		if !s.options.quiet {
			s.console.say("resuming the batch in %s", b.Dir())
		}
	}
	err := b.Run(ctx, func(ctx context.Context, ask llm.Completer) (string, error) {
		s.model.Completer = ask
		return s.recordingPass(ctx, paths, input)
	})
	s.model.Completer = b.Completer()
	return err
}

// recordingPass takes all rows that have no result yet through the stages, and
// keeps nothing of what comes of it.
func (s *scoring) recordingPass(ctx context.Context, paths []string, input dataset.Options) (string, error) {
	set, err := dataset.Open(paths, input)
	if err != nil {
		return "", err
	}
	defer set.Close()
	p := s.pipeline
	p.Earlier = nil
	if s.outputs.journal != nil {
		again, err := s.outputs.journal.Again()
		if err != nil {
			return "", err
		}
		if again != nil {
			defer again.Close()
			p.Earlier = again.Next
		}
	}
	h := sha256.New()
	err = p.Run(ctx, hashed(h, s.options.selection().Of(set.Rows())), nowhere{})
	return hex.EncodeToString(h.Sum(nil)), err
}

// checkBatchRows reads the rows, before anything else, to see that they are those
// that the batch was made for.
func (s *scoring) checkBatchRows(ctx context.Context, paths []string, input dataset.Options) error {
	set, err := dataset.Open(paths, input)
	if err != nil {
		return err
	}
	defer set.Close()
	h := sha256.New()
	for _, err := range hashed(h, s.options.selection().Of(set.Rows())) {
		var bad *dataset.RowError
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return s.batch.CheckRows(hex.EncodeToString(h.Sum(nil)))
}

// hashed yields rows and adds to h what a judge sees of them.
func hashed(h hash.Hash, rows iter.Seq2[dataset.Row, error]) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		text := func(s string) {
			var n [8]byte
			binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
			h.Write(n[:])
			h.Write([]byte(s))
		}
		for row, err := range rows {
			text(fmt.Sprint(row.Index, err != nil, len(row.Contexts)))
			text(row.Question)
			text(row.Answer)
			for _, c := range row.Contexts {
				text(c)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// nowhere is an eval.Sink.
type nowhere struct{}

// Write does nothing.
func (nowhere) Write(*result.Row) error { return nil }

// resumed says that another process submitted the batch.
func (b *batchRun) resumed() bool { return b != nil && b.Resumed() }

// left says what a run that ends now leaves to go on from; "" for nothing.
func (b *batchRun) left() string {
	if b == nil || !b.Submitted() {
		return ""
	}
	return "the batch is kept in " + b.Dir() + ", and --batch --resume goes on with it"
}

// finish ends the batch: the results are safe.
func (b *batchRun) finish() {
	if b != nil {
		b.end()
	}
}

// close lets go of the batch's folder, of which nothing is left where nothing was
// submitted.
func (b *batchRun) close() {
	if b != nil {
		_ = b.Close() // what can't be removed is in nobody's way
	}
}
