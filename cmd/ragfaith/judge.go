package main

import (
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
)

// newExtractor returns the extractor that --claims names.
func (o *scoreOptions) newExtractor() eval.Extractor {
	return extract.Sentences{Lang: o.lang}
}

// newJudge returns the judge that --judge names, and its threshold.
func (o *scoreOptions) newJudge() (judge eval.Judge, threshold float64, err error) {
	opts := lexical.Options{
		Threshold: lexical.DefaultThreshold,
		Joined:    o.evidence == "joined",
		Sentences: o.sentences,
	}
	if o.threshold != nil {
		opts.Threshold = *o.threshold
	}
	j, err := lexical.New(opts)
	if err != nil {
		return nil, 0, err
	}
	return j, j.Threshold(), nil
}

// sentences yields the sentences of a context, in bytes.
func (o *scoreOptions) sentences(text string, yield func(start, end int)) {
	for _, s := range segment.Sentences(text, o.lang) {
		yield(s.Start, s.End)
	}
}
