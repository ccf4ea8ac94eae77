package lexical

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/values"
)

// Answered looks for a sentence in the contexts that answers the question that a refusal
// declines, such as "Returns cost $5." for "The documents do not say what returns cost."
// It reports whether it found one. The sentence must contain all content words of the
// refusal and an answer of the expected type. This misses paraphrased answers, but
// rarely rejects a justified refusal. Answered returns an error if ctx is done.
func (j *Judge) Answered(ctx context.Context, question, refusal string, contexts []string) (verdict.Evidence, bool, error) {
	d, ok := extract.DeclinedBy(refusal, question)
	if !ok {
		return verdict.Evidence{}, false, nil
	}
	t, ok := j.topic(d)
	if !ok {
		return verdict.Evidence{}, false, nil
	}
	for i, text := range contexts {
		if err := ctx.Err(); err != nil {
			return verdict.Evidence{}, false, err
		}
		start, end := -1, 0
		j.opts.Sentences(text, func(from, to int) {
			if start < 0 && j.answeredBy(t, text[from:to]) {
				start, end = from, to
			}
		})
		if start >= 0 {
			quote, points := text[start:end], utf8.RuneCountInString(text[:start])
			return verdict.Evidence{Chunk: i, Start: points, End: points + utf8.RuneCountInString(quote), Quote: quote}, true, nil
		}
	}
	return verdict.Evidence{}, false, nil
}

// A topic describes the statements that would answer a refused question.
type topic struct {
	want   extract.AnswerType
	words  int            // number of words
	keys   map[uint64]int // index of a word, by key of the word or a synonym
	tokens []lexicon.Token
}

// topic returns the topic of a declined question, and whether it has enough words for a
// reliable comparison.
func (j *Judge) topic(d extract.Declined) (*topic, bool) {
	t := &topic{want: d.Type, keys: make(map[uint64]int)}
	named := false
	for i, k := range j.lex.Tokens(nil, d.Topic) {
		if k.Is(lexicon.Stop) && !k.Is(lexicon.Number) || isFiller(k.Lower(d.Topic)) {
			continue
		}
		named = named || k.Is(lexicon.Capital) && i > 0 || k.Is(lexicon.Number)
		if _, ok := t.keys[k.Key]; ok {
			continue
		}
		t.keys[k.Key] = t.words
		j.lex.Related(k.Key, func(key uint64, r lexicon.Relation) {
			if _, ok := t.keys[key]; !ok && (r == lexicon.Synonym || r == lexicon.Adjective) {
				t.keys[key] = t.words
			}
		})
		t.words++
	}
	minWords := 1
	if slices.Contains([]extract.AnswerType{extract.AnyStatement, extract.Value, extract.Person}, t.want) {
		minWords = 2
	}
	return t, t.words >= minWords || named && t.words > 0
}

// isFiller reports whether an answer may omit this content word of a refusal.
func isFiller(word string) bool {
	switch word {
	case "happen", "happens", "happened", "exact", "exactly", "specific", "specifically", "information", "detail", "details", "currently", "actually", "possible", "mention", "mentioned", "need", "needs", "there":
		return true
	}
	return false
}

// answeredBy reports whether a sentence contains all words of the topic and an answer
// of the wanted type. Questions, conditions and what is not known are not answers.
func (j *Judge) answeredBy(t *topic, sentence string) bool {
	lower := strings.ToLower(strings.TrimLeft(sentence, " -*#>"))
	first, _, _ := strings.Cut(lower, " ")
	switch first {
	case "when", "how", "why", "where", "if", "whether", "although", "though", "while", "for", "as", "unless", "contact", "ask":
		return false
	}
	for _, part := range [...]string{"?", "unknown", "not known", "unclear", "not clear", "not say", "not state", "not specif", "not mention", "not disclose", "undisclosed", "to be announced", "to be decided"} {
		if strings.Contains(lower, part) {
			return false
		}
	}
	t.tokens = j.lex.Tokens(t.tokens[:0], sentence)
	seen := map[int]bool{}
	words := map[string]bool{} // other words
	named, content := false, false
	for i := range t.tokens {
		k := &t.tokens[i]
		if n, ok := t.keys[k.Key]; ok {
			seen[n] = true
			continue
		}
		words[k.Lower(sentence)] = true
		content = content || !k.Is(lexicon.Stop)
		named = named || k.Is(lexicon.Capital) && k.Class&(lexicon.Month|lexicon.Stop|lexicon.Initial) == 0
	}
	if len(seen) < t.words {
		return false
	}
	contains := func(list ...string) bool { return slices.ContainsFunc(list, func(w string) bool { return words[w] }) }
	has := func(kinds ...values.Kind) bool {
		return slices.ContainsFunc(j.values.Find(sentence), func(v values.Value) bool { return slices.Contains(kinds, v.Kind) })
	}
	switch t.want {
	case extract.AnyStatement:
		return content
	case extract.Affirmation:
		return true
	case extract.Amount:
		return has(values.Number, values.Share, values.Money, values.Measure, values.Duration)
	case extract.Cost:
		return has(values.Money) || contains("free", "gratis")
	case extract.Time:
		return has(values.Date, values.Clock, values.Duration) || contains("daily", "weekly", "monthly", "always", "never")
	case extract.Person:
		return named
	case extract.Value:
		return named || len(j.values.Find(sentence)) > 0
	}
	return false
}
