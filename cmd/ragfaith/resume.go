package main

import (
	"errors"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// resultFormat is the version of the JSONL results. It goes up when an older
// version's rows can't stand in one file with those of this one.
const resultFormat = 1

// settled are the settings that decide what the results are; a run goes on only
// from one with the same. What can't change a result is left out, such as
// --concurrency, --to and the gates. They are stored in the open beside the
// results: never a key, nor a URL that could hold one.
func (o *scoreOptions) settled(paths []string, threshold float64, m *model, local localJudge) (journal.Settings, error) {
	seed := uint64(0)
	if o.sample > 0 { // without, it decides nothing
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
		s = append(s, m.settled(o)...)
	}
	if local != nil {
		more, err := local.settled(o)
		if err != nil {
			return nil, err
		}
		s = append(s, more...)
	}
	s = append(s, each("dataset", paths)...)
	s = append(s, each("--map", o.columns)...)
	return append(s, each("--keep", o.keptNames())...), nil
}

// settled are the settings of a language model that decide its verdicts. The
// endpoint is stored without secrets.
func (m *model) settled(o *scoreOptions) journal.Settings {
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
			name += " " + m.local.mark
		}
		s = append(s,
			journal.Setting{Name: "--embed-model", Value: name},
			journal.Setting{Name: "--embed-base-url", Value: m.embedsAt},
			journal.Setting{Name: "--semantic-threshold", Value: strconv.FormatFloat(*l.semanticThreshold, 'g', -1, 64)})
	}
	return s
}

// each makes a setting of each value, numbered from the second on.
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

// openJournal begins the JSONL file that a later run can go on from, or goes on
// with it.
func openJournal(path string, settings journal.Settings, resume bool) (*journal.Journal, error) {
	j, err := journal.Open(path, settings, resume)
	var changed *journal.SettingsError
	if errors.As(err, &changed) || errors.Is(err, journal.ErrNotAFile) {
		return nil, &usageError{err}
	}
	return j, err
}

// goOn makes the run take the results that its journal has stored.
func (s *scoring) goOn(warn func(error)) {
	j := s.outputs.journal
	if !s.options.resume || j == nil {
		return
	}
	stored := j.Stored()
	if stored == nil {
		if !s.options.quiet && !s.batch.resumed() {
			s.console.say("nothing to resume: starting from the beginning")
		}
		return
	}
	s.stored, stored.Warn, s.pipeline.Earlier = stored, warn, stored.Next
	stored.Done = func() {
		s.progress.judge()
		if s.options.quiet {
			return
		}
		again := ""
		if n := stored.Again(); n > 0 {
			again = ", " + strconv.Itoa(n) + " that had failed are judged again"
		}
		s.console.say("resuming %s: %d rows are finished%s", stored.Part, stored.Kept(), again)
	}
}

// whole yields rows, and then an error where stored results are left that no
// row is for.
func (s *scoring) whole(rows func(yield func(dataset.Row, error) bool)) func(yield func(dataset.Row, error) bool) {
	if s.stored == nil {
		return rows
	}
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
		}
		if err := s.stored.Rest(); err != nil {
			yield(dataset.Row{}, err)
		}
	}
}

// journaled is the Writer of a journal.
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
