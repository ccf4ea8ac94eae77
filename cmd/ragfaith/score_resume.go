package main

import (
	"errors"
	"iter"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// resultFormat is the version of the JSONL results. It increases when rows of an older
// version can't be in one file with rows of this one.
const resultFormat = 1

// settings returns the settings that decide the results; only a run with the same
// settings can be resumed. Options that can't change a result are left out, such as
// --concurrency, --to and the gates. The settings are stored in plain text next to the
// results, and so never contain a key or a URL that may contain one.
func (o *scoreOptions) settings(paths []string, threshold float64, m *model, local localJudge) (journal.Settings, error) {
	seed := uint64(0)
	if o.sample > 0 { // otherwise it has no effect on results
		seed = o.seed
	}
	s := journal.Settings{
		{Name: "result format", Value: strconv.Itoa(resultFormat)},
		{Name: "--input-format", Value: o.inputFormat},
		{Name: "--limit", Value: strconv.Itoa(o.limit)},
		{Name: "--sample", Value: strconv.Itoa(o.sample)},
		{Name: "--seed", Value: strconv.FormatUint(seed, 10)},
		{Name: "--shard", Value: strconv.Itoa(o.shard) + "/" + strconv.Itoa(o.shards)},
		{Name: "--max-row-bytes", Value: strconv.Itoa(o.maxRowBytes)},
		{Name: "--lang", Value: o.lang},
		{Name: "--claims", Value: o.claims},
		{Name: "--judge", Value: o.judge},
		{Name: "--evidence", Value: o.evidence},
		{Name: "--threshold", Value: strconv.FormatFloat(threshold, 'g', -1, 64)},
		{Name: "--no-claims", Value: o.noClaims},
	}
	s = append(s, o.calibrationSetting()...)
	if m != nil {
		s = append(s, m.settings(o)...)
	}
	if local != nil {
		more, err := local.settings(o)
		if err != nil {
			return nil, err
		}
		s = append(s, more...)
	}
	s = append(s, each("dataset", paths)...)
	s = append(s, each("--map", o.columns)...)
	return append(s, each("--keep", o.keptNames())...), nil
}

// settings returns the settings of a language model that decide its verdicts. The
// endpoint is stored without secrets.
func (m *model) settings(o *scoreOptions) journal.Settings {
	l := &o.llm
	s := journal.Settings{
		{Name: "--profile", Value: o.profile},
		{Name: "--model", Value: m.stack.Client.Model()},
		{Name: "--base-url", Value: m.stack.Client.Endpoint()},
		{Name: "--strict", Value: strconv.FormatBool(l.strict)},
		{Name: "--votes", Value: strconv.Itoa(l.votes)},
		{Name: "--max-context-tokens", Value: strconv.Itoa(l.maxContextTokens)},
	}
	for _, n := range []prompt.Name{prompt.Claims, prompt.Judge, prompt.JudgeWord, prompt.RagasClaims, prompt.RagasJudge, prompt.RagEvals} {
		s = append(s, journal.Setting{Name: "prompt " + string(n), Value: m.prompts.Version(n)})
	}
	if m.embedder != nil {
		name := l.embedModel
		if m.local != nil {
			name += " " + m.local.digest
		}
		s = append(s,
			journal.Setting{Name: "--embed-model", Value: name},
			journal.Setting{Name: "--embed-base-url", Value: m.embedURL},
			journal.Setting{Name: "--semantic-threshold", Value: strconv.FormatFloat(*l.semanticThreshold, 'g', -1, 64)})
	}
	return s
}

// each returns a setting for each value, numbered from the second on.
func each(name string, values []string) journal.Settings {
	var s journal.Settings
	for i, v := range values {
		numbered := name
		if i > 0 {
			numbered += " " + strconv.Itoa(i+1)
		}
		s = append(s, journal.Setting{Name: numbered, Value: v})
	}
	return s
}

// openJournal creates the JSONL file that a later run can resume, or resumes it.
func openJournal(path string, settings journal.Settings, resume bool) (*journal.Journal, error) {
	j, err := journal.Open(path, settings, resume)
	if _, changed := errors.AsType[*journal.SettingsError](err); changed || errors.Is(err, journal.ErrNotAFile) {
		return nil, &usageError{err}
	}
	return j, err
}

// resume makes the pipeline take the rows that the journal has stored.
func (r *scoreRun) resume() {
	j := r.outputs.journal
	if !r.options.resume || j == nil {
		return
	}
	stored := j.Stored()
	if stored == nil {
		if !r.options.quiet && !r.batch.resumed() {
			r.console.Printf("nothing to resume: starting from the beginning")
		}
		return
	}
	r.stored, stored.Warn, r.pipeline.Earlier = stored, r.warn, stored.Next
	stored.Done = func() {
		r.progress.Resumed()
		if r.options.quiet {
			return
		}
		failed := ""
		if n := stored.Again(); n > 0 {
			failed = ", " + strconv.Itoa(n) + " failed rows are judged again"
		}
		r.console.Printf("resuming %s: %d rows are finished%s", stored.Part, stored.Kept(), failed)
	}
}

// withStoredRest yields rows, and then an error if stored results are left that belong
// to no row.
func (r *scoreRun) withStoredRest(rows iter.Seq2[dataset.Row, error]) iter.Seq2[dataset.Row, error] {
	if r.stored == nil {
		return rows
	}
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
		}
		if err := r.stored.Rest(); err != nil {
			yield(dataset.Row{}, err)
		}
	}
}

// journaled is the writer of a journal.
type journaled struct {
	report.Writer
	journal *journal.Journal
}

// Write writes a row and counts it.
func (w journaled) Write(r *result.Row) error {
	if err := w.Writer.Write(r); err != nil {
		return err
	}
	return w.journal.Wrote()
}
