package app

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/crossencoder"
	"github.com/ragfaith/ragfaith/internal/verdict/embedded"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
	"github.com/ragfaith/ragfaith/internal/verdict/markup"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// stages are the stages of the pipeline: either an extractor and a judge, or a combined
// stage.
type stages struct {
	extractor eval.Extractor
	judge     verdict.Judge
	combined  eval.Combined
	nearest   verdict.Judge // finds the nearest passage if the judge returns no evidence
	threshold float64
	refusals  eval.RefusalChecker
}

// newStages returns the stages for --claims and --judge. m may be nil if neither is llm.
// local may be nil if the judge is not a local model, or in a dry run.
func (o *Options) newStages(m *model, local *localModel) (stages, error) {
	words, err := o.newLexical()
	if err != nil {
		return stages{}, err
	}
	s := stages{extractor: o.newExtractor(m), refusals: words}
	switch {
	case local != nil:
		s.nearest = markup.Judge{Inner: words}
		s.judge, s.threshold, err = local.judge(o)
		return s, err
	case o.UsesLocalModel(): // in a dry run
		s.judge, s.threshold = noopJudge{}, *cmp.Or(o.Threshold, new(crossencoder.DefaultThreshold))
		return s, nil
	case o.Judge == JudgeEmbedded:
		reader := embedded.New(embedded.Options{Lexical: words, Threshold: words.Threshold(), Sentences: o.sentences})
		s.judge, s.threshold = markup.Judge{Inner: reader}, reader.Threshold()
		return s, nil
	case o.Judge != JudgeLLM:
		s.judge, s.threshold = markup.Judge{Inner: words}, words.Threshold()
		return s, nil
	}
	s.nearest = markup.Judge{Inner: words}
	opts := o.judgeOptions(m)
	if o.Evidence == "joined" || o.Published() != nil {
		s.refusals = nil // a verdict of 0 does not tell a false refusal from a true one
	}
	j := judge.New(opts)
	s.judge, s.threshold = j, j.Threshold()
	if o.Combined() {
		s.combined = judge.NewCombined(opts, o.Lang)
		return s, nil
	}
	if m.embedder != nil {
		s.judge, err = o.newSemantic(m, j)
	}
	return s, err
}

// judgeOptions returns the options of the judge that asks m.
func (o *Options) judgeOptions(m *model) judge.Options {
	opts := judge.Options{
		Model: m, Prompts: m.prompts, Strict: o.LLM.Strict, Votes: o.LLM.Votes,
		Threshold: o.Threshold, MaxContextTokens: cmp.Or(o.LLM.MaxContextTokens, m.window), Tokens: m.stack.Tokens.Text, Limit: m.stack.Limit,
	}
	if p := o.Published(); p != nil {
		opts.Style, opts.EachChunk = p.Style, p.EachChunk && o.Evidence == "chunks"
	} else if o.Evidence == "joined" {
		opts.Style = judge.Ragas
	}
	return opts
}

// window returns the maximum number of rows between reading and writing, or 0 for the
// default. Fast stages need a larger window to keep all workers busy.
func (o *Options) window(dryRun bool) int {
	const quick = 512
	if dryRun || !o.UsesLLM() && !o.UsesLocalModel() {
		return quick
	}
	return 0
}

// newExtractor returns the extractor for --claims.
func (o *Options) newExtractor(m *model) eval.Extractor {
	switch o.Claims {
	case ClaimsLLM:
	case ClaimsClause:
		return extract.Clauses{Sentences: extract.Sentences{Lang: o.Lang}}
	case ClaimsAnswer:
		return extract.WholeAnswer{Sentences: extract.Sentences{Lang: o.Lang}}
	default:
		return extract.Sentences{Lang: o.Lang}
	}
	return extractllm.Extractor{Model: m, Prompts: m.prompts, Lang: o.Lang, Strict: o.LLM.Strict, Whole: o.wholeAnswers()}
}

// newSemantic wraps a judge in the semantic cache. Without a reply cache, its entries are
// discarded after the run.
func (o *Options) newSemantic(m *model, j *judge.Judge) (verdict.Judge, error) {
	opts := semantic.Options{
		Judge: j, Embedder: m.embedder, Store: &semantic.Memory{}, Threshold: *o.LLM.SemanticThreshold, Waiting: eval.Waiting,
		Key: strings.Join([]string{m.stack.Client.Endpoint(), m.stack.Client.ModelKey(), j.Settings()}, "\x00"),
	}
	if m.cache != nil {
		opts.Store = m.cache
	}
	return semantic.New(opts)
}

// newLexical returns the lexical judge. Local models use it, too, to select quotes.
func (o *Options) newLexical() (*lexical.Judge, error) {
	opts := lexical.Options{
		Threshold: lexical.DefaultThreshold,
		Joined:    o.Evidence == "joined" && !o.UsesLocalModel(),
		Sentences: o.sentences,
	}
	if o.Threshold != nil && !o.UsesLocalModel() {
		opts.Threshold = *o.Threshold
	}
	return lexical.New(opts)
}

// sentences yields the byte offsets of the sentences of a context.
func (o *Options) sentences(text string, yield func(start, end int)) {
	for _, s := range segment.Sentences(text, o.Lang) {
		yield(s.Start, s.End)
	}
}

// checkCalibration returns an error for a calibration that was made for another judge.
func (o *Options) checkCalibration(settings result.Settings, warn func(error)) error {
	if o.Calibrated == nil {
		return nil
	}
	refused, doubtful := o.Calibrated.Match(withoutDatasets(settings), o.Version)
	if len(refused) > 0 {
		return exit.Usagef("--calibration %s was made for another judge: %s", o.Calibration, strings.Join(refused, "; "))
	}
	for _, d := range doubtful {
		warn(fmt.Errorf("--calibration %s may not apply: %s", o.Calibration, d))
	}
	return nil
}

// calibrationNote returns the description of the calibration in reports, or "" without
// one.
func (o *Options) calibrationNote() string {
	if o.Calibrated == nil {
		return ""
	}
	if o.Prescreens() {
		return "prescreen " + o.LLM.Prescreen + ": " + o.Calibrated.DescribeBounds()
	}
	return "calibration " + o.Calibrated.String()
}
