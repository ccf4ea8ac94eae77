package main

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
	"github.com/ragfaith/ragfaith/internal/verdict/markup"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// stages are what rows go through: an extractor and a judge, or what does both.
type stages struct {
	extractor eval.Extractor
	judge     eval.Judge
	combined  eval.Combined
	nearest   eval.Judge // finds the nearest passage where the judge names none
	threshold float64
	refusals  eval.RefusalChecker
}

// newStages returns what --claims and --judge name. m may be nil where neither
// asks a language model, and local where no model runs on this machine.
func (o *scoreOptions) newStages(m *model, local localJudge) (stages, error) {
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
	case o.local(): // a rehearsal
		s.judge = newUnjudged()
		return s, nil
	case o.judge != withLLM:
		s.judge, s.threshold = markup.Judge{Inner: words}, words.Threshold()
		return s, nil
	}
	s.nearest = markup.Judge{Inner: words}
	opts := judge.Options{
		Model: m, Prompts: m.prompts, Strict: o.llm.strict, Votes: o.llm.votes,
		MaxContextTokens: o.llm.maxContextTokens, Tokens: m.stack.Tokens.Text, Limit: m.stack.Limit,
	}
	if o.evidence == "joined" {
		opts.Style = judge.Ragas
	}
	j, err := judge.New(opts)
	if err != nil {
		return s, err
	}
	s.judge, s.threshold = j, j.Threshold()
	if o.combined() {
		s.combined, err = judge.NewCombined(opts, o.lang)
		return s, err
	}
	if m.embedder != nil {
		s.judge, err = o.newSemantic(m, j)
	}
	return s, err
}

// window is how many rows are read and not yet written, 0 for as many as suit
// stages that wait. Those that take microseconds wait for each other less often
// the more rows lie between them.
func (o *scoreOptions) window(dry bool) int {
	const quick = 512
	if dry || !o.asks() && !o.local() {
		return quick
	}
	return 0
}

// newExtractor returns the extractor that --claims names.
func (o *scoreOptions) newExtractor(m *model) eval.Extractor {
	if o.claims != withLLM {
		return extract.Sentences{Lang: o.lang}
	}
	return extractllm.Extractor{Model: m, Prompts: m.prompts, Lang: o.lang, Strict: o.llm.strict, Whole: o.whole()}
}

// newSemantic puts the semantic cache before a judge. Where there is no cache on
// disk it lasts as long as the run.
func (o *scoreOptions) newSemantic(m *model, j *judge.Judge) (eval.Judge, error) {
	opts := semantic.Options{
		Judge: j, Embedder: m.embedder, Store: &semantic.Memory{}, Threshold: *o.llm.semanticThreshold, Waiting: eval.Waiting,
		Key: strings.Join([]string{m.stack.Client.Endpoint(), m.stack.Client.Model(), j.Settings()}, "\x00"),
	}
	if m.cache != nil {
		opts.Store = m.cache
	}
	return semantic.New(opts)
}

func (o *scoreOptions) newLexical() (*lexical.Judge, error) {
	opts := lexical.Options{
		Threshold: lexical.DefaultThreshold,
		Joined:    o.evidence == "joined" && (o.judge == withEmbedded || !o.local()),
		Sentences: o.sentences,
	}
	if o.threshold != nil && !o.local() {
		opts.Threshold = *o.threshold
	}
	return lexical.New(opts)
}

// sentences yields the sentences of a context, in bytes.
func (o *scoreOptions) sentences(text string, yield func(start, end int)) {
	for _, s := range segment.Sentences(text, o.lang) {
		yield(s.Start, s.End)
	}
}
