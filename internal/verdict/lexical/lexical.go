// Package lexical implements a judge that needs no model. It compares the words,
// numbers, dates and names of a claim with the contexts.
//
// The score of a claim is the share of its words, weighted by inverse document
// frequency (IDF), that a window of a context contains: as the same word, an inflected
// form, a synonym, or the same number in a different notation. The judge has no
// rules for grammatical roles. docs/judges.md describes its limitations.
package lexical

import (
	"sync"

	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/values"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// Options configure a Judge.
type Options struct {
	// Threshold is the minimum score of a supported claim, from 0 to 1.
	Threshold float64
	// Joined treats all contexts as one text, so that a supporting passage may span two contexts.
	// Otherwise a claim is compared with each context separately and the best score counts.
	Joined bool
	// Sentences calls yield with the start and end byte offsets of each sentence of text. Required.
	Sentences func(text string, yield func(start, end int))
}

// A Judge judges claims by comparing words. It is deterministic and safe for concurrent use.
type Judge struct {
	lex    *lexicon.Lexicon
	entail *entail.Comparer
	values *values.Finder
	opts   Options
	pool   sync.Pool
}

// New returns a judge with the given options. It returns an error only if the embedded
// lexicon is corrupt.
func New(opts Options) (*Judge, error) {
	lex, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	comparer, err := entail.New(lex)
	if err != nil {
		return nil, err
	}
	j := &Judge{lex: lex, entail: comparer, values: values.New(lex), opts: opts}
	j.pool.New = func() any { return newScratch(j.values) }
	return j, nil
}

// Threshold returns the minimum score of a supported claim.
func (j *Judge) Threshold() float64 { return j.opts.Threshold }

// Values returns the values in a text.
func (j *Judge) Values(text string) []values.Value { return j.values.Find(text) }

func (j *Judge) getScratch() *scratch {
	s, _ := j.pool.Get().(*scratch)
	return s
}

func (j *Judge) putScratch(s *scratch) {
	s.observe = nil
	if !s.tooLarge() {
		j.pool.Put(s)
	}
}
