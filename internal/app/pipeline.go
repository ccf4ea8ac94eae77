package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/embedded"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
	"github.com/ragfaith/ragfaith/internal/verdict/local"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// OpenJudge opens the local model of Options.Judge. The caller closes the model.
func OpenJudge(o *Options, sys *System) (verdict.Judge, io.Closer, error) {
	m, err := o.openLocal(sys)
	if err != nil {
		return nil, nil, err
	}
	j, err := m.judge(o)
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	return j, m, nil
}

// newPipeline returns the pipeline for the options, and the threshold of its judge. Without a
// language model m is nil. Without a local judge, and in a dry run, local is nil.
func (o *Options) newPipeline(m *model, local *localModel) (p eval.Pipeline, threshold float64, err error) {
	words, err := o.newLexical()
	if err != nil {
		return p, 0, err
	}
	p = eval.Pipeline{
		Extractor: o.newExtractor(m), DeriveCited: o.Judge == JudgeLLM,
		Workers: o.Concurrency, Window: o.window(), NoClaims: o.noClaimsScore(), SkipEmpty: o.EmptyContexts == EmptySkip,
	}
	switch {
	case local != nil:
		p.Nearest = verdict.PlainJudge{Inner: words}
		p.Judge, err = local.judge(o)
		return p, o.localThreshold(), err
	case o.UsesLocalModel(): // in a dry run
		p.Judge = noopJudge{}
		return p, o.localThreshold(), nil
	case o.Judge == JudgeEmbedded:
		reader := embedded.New(embedded.Options{Lexical: words, Threshold: words.Threshold(), Sentences: o.sentences, Values: words.Values, Waiting: eval.Waiting})
		p.Judge = verdict.PlainJudge{Inner: reader}
		return p, reader.Threshold(), nil
	case o.Judge != JudgeLLM:
		p.Judge = verdict.PlainJudge{Inner: words}
		return p, words.Threshold(), nil
	}
	p.Nearest = verdict.PlainJudge{Inner: words}
	opts := o.judgeOptions(m)
	j := judge.New(opts)
	p.Judge = j
	switch {
	case o.Combined():
		p.Combined = judge.NewCombined(opts, o.Lang)
	case m.embedder != nil:
		p.Judge, err = semantic.New(semantic.Options{ // its entries are in the reply cache
			Judge: j, Embedder: m.embedder, Store: m.cache, Threshold: *o.LLM.SemanticThreshold, Waiting: eval.Waiting,
			Key: strings.Join([]string{m.stack.Client.Endpoint(), m.stack.Client.ModelKey(), j.Settings()}, "\x00"),
		})
	}
	return p, j.Threshold(), err
}

// A noopJudge is a judge that supports no claim and uses no tokens.
type noopJudge struct{}

// Judge implements verdict.Judge.
func (noopJudge) Judge(_ context.Context, task verdict.Task) (verdict.Judgement, error) {
	verdicts := make([]verdict.Verdict, len(task.Claims))
	for i := range verdicts {
		verdicts[i].ClaimID = i
	}
	return verdict.Judgement{Verdicts: verdicts}, nil
}

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
func (o *Options) window() int {
	const quick = 512
	if o.DryRun || o.Judge == JudgeLexical && !o.UsesLLM() {
		return quick
	}
	return 0
}

func (o *Options) newExtractor(m *model) eval.Extractor {
	switch o.Claims {
	case ClaimsLLM:
		whole := slices.Contains([]string{ProfileRagas, ProfileHHEM, ProfileDeepEval}, o.Profile) // these extract claims from whole answers
		return extractllm.Extractor{Model: m, Prompts: m.prompts, Lang: o.Lang, Strict: o.LLM.Strict, Whole: whole}
	case ClaimsAnswer:
		return extract.WholeAnswer{Sentences: extract.Sentences{Lang: o.Lang}}
	}
	return extract.Sentences{Lang: o.Lang}
}

func (m *localModel) judge(o *Options) (verdict.Judge, error) {
	quoter, err := o.newLexical()
	if err != nil {
		return nil, err
	}
	tokens := m.Info().Kind == encoder.Tokens
	if o.Profile == ProfileLettuce && !tokens {
		return nil, exit.Usagef("--profile lettucedetect needs a judge that classifies tokens, not %s", o.Judge)
	}
	if o.Local.PrefilterGiven && tokens {
		return nil, exit.Usagef("--prefilter has no effect on --judge %s, which reads all contexts at once", o.Judge)
	}
	opts := local.Options{Threshold: o.localThreshold(), Sentences: o.sentences, Quoter: quoter}
	var j verdict.Judge
	if tokens {
		j, err = local.NewTokenClassifier(local.TokenClassifierOptions{
			Options: opts, Model: m.Model, Layout: m.tokenLayout, Strictest: o.Profile == ProfileLettuce,
		})
	} else {
		j, err = local.NewCrossEncoder(local.CrossEncoderOptions{
			Options: opts, Model: m.Model, Layout: m.pairLayout, Joined: o.Evidence == "joined", Batch: o.Local.Batch,
			Rounded: o.roundsScores(), Nearest: o.Local.Prefilter, Rank: quoter.Scores,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("--judge %s: %w", o.Judge, err)
	}
	return j, nil
}

func (o *Options) localThreshold() float64 { return *cmp.Or(o.Threshold, new(local.DefaultThreshold)) }

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
