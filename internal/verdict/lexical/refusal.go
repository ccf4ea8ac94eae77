package lexical

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// Answered looks for the statement of the contexts that answers what a refusal says
// they do not, such as "Returns cost $5." for "The documents do not say what returns
// cost." It wants all content words of the refusal in one statement, beside what is
// asked for, and so misses answers in other words rather than take a true refusal
// for a false one. The error is that of ctx.
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
		found, at, last := false, 0, 0
		j.opts.Sentences(text, func(start, end int) {
			if !found && t.answeredBy(j.lex, text[start:end]) {
				found, at, last = true, start, end
			}
		})
		if found {
			from := utf8.RuneCountInString(text[:at])
			return verdict.Evidence{Chunk: i, Start: from, End: from + utf8.RuneCountInString(text[at:last]), Quote: text[at:last]}, true, nil
		}
	}
	return verdict.Evidence{}, false, nil
}

// A topic is what a statement has to have to answer a refusal.
type topic struct {
	sought extract.Sought
	words  []topicWord
	keys   map[uint64]int // of the words and their synonyms: index into words
	seen   []bool
	tokens []lexicon.Token
}

type topicWord struct {
	number bool
	value  float64
}

// topic reads what a refusal declines. It reports false if that is too little to be
// sure of.
func (j *Judge) topic(d extract.Declined) (*topic, bool) {
	t := &topic{sought: d.Sought, keys: make(map[uint64]int)}
	named := false
	for i, k := range j.lex.Tokens(nil, d.Topic) {
		word := strings.ToLower(d.Topic[k.Start:k.End])
		if k.Is(lexicon.Stop) && !k.Is(lexicon.Number) || isFiller(word) {
			continue
		}
		named = named || k.Is(lexicon.Capital) && i > 0 || k.Is(lexicon.Number)
		if _, ok := t.keys[k.Key]; ok {
			continue
		}
		n := len(t.words)
		t.words = append(t.words, topicWord{k.Is(lexicon.Number), k.Value})
		t.keys[k.Key] = n
		j.lex.Related(k.Key, func(key uint64, r lexicon.Relation) {
			if _, ok := t.keys[key]; !ok && (r == lexicon.Synonym || r == lexicon.Adjective) {
				t.keys[key] = n
			}
		})
	}
	least := 1
	if t.sought == extract.AnyStatement || t.sought == extract.Event || t.sought == extract.Value || t.sought == extract.Place || t.sought == extract.Person {
		least = 2
	}
	t.seen = make([]bool, len(t.words))
	return t, len(t.words) >= least || named && len(t.words) > 0
}

// isFiller knows content words that a refusal has and an answer need not have.
func isFiller(word string) bool {
	switch word {
	case "happen", "happens", "happened", "exact", "exactly", "specific", "specifically", "information", "detail", "details", "currently", "actually", "possible", "mention", "mentioned", "need", "needs", "there":
		return true
	}
	return false
}

// answeredBy reports whether a sentence has all words of the topic and what is
// sought. A condition and a question state nothing.
func (t *topic) answeredBy(l *lexicon.Lexicon, sentence string) bool {
	if strings.HasSuffix(strings.TrimSpace(sentence), "?") {
		return false
	}
	t.tokens = l.Tokens(t.tokens[:0], sentence)
	clear(t.seen)
	left := len(t.words)
	var f found
	for i := range t.tokens {
		k := &t.tokens[i]
		n, ok := t.keys[k.Key]
		if ok && t.words[n].number && k.Value != t.words[n].value {
			ok = false
		}
		if ok {
			if !t.seen[n] {
				t.seen[n] = true
				left--
			}
			continue
		}
		f.see(t.tokens, i, sentence)
	}
	if left > 0 || f.unclear {
		return false
	}
	return f.has(t.sought, sentence)
}

// found is what a sentence says beside the words of a topic.
type found struct {
	words                                           int // with content
	number, money, time, name, free, after, unclear bool
}

// see takes the token i, which is no word of the topic.
func (f *found) see(tokens []lexicon.Token, i int, text string) {
	k := &tokens[i]
	word := strings.ToLower(text[k.Start:k.End])
	switch word {
	case "if", "unless", "whether":
		f.unclear = true
	case "free", "gratis":
		f.free = true
	case "in", "at", "on", "near", "behind", "beside", "opposite":
		f.after = f.after || i+1 < len(tokens)
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays",
		"daily", "weekly", "monthly", "yearly", "annually", "immediately", "today", "tomorrow", "noon", "midnight", "always", "never":
		f.time = true
	case "cost", "costs", "price", "priced", "charge", "charged", "pay", "pays", "paid", "fee", "dollars", "euros", "pounds", "crowns", "cents", "dollar", "euro", "pound":
		f.money = true
	}
	if k.Class&(lexicon.Number|lexicon.Numeral) != 0 {
		f.number = true
		const firstYear, lastYear = 1000, 2100
		year := k.Is(lexicon.Number) && k.Value >= firstYear && k.Value < lastYear && k.End-k.Start == 4
		clock := int(k.End) < len(text)-2 && text[k.End] == ':'
		f.time = f.time || year || clock || i+1 < len(tokens) && isTimeUnit(strings.ToLower(text[tokens[i+1].Start:tokens[i+1].End]))
		before := strings.TrimRight(text[:k.Start], " ")
		after := strings.TrimLeft(text[k.End:], " ")
		f.money = f.money || strings.HasSuffix(before, "$") || strings.HasSuffix(before, "€") || strings.HasSuffix(before, "£") || strings.HasPrefix(after, "€") || strings.HasPrefix(after, "$")
	}
	f.time = f.time || k.Is(lexicon.Month) && (k.Is(lexicon.Capital))
	if k.Is(lexicon.Capital) && !k.Is(lexicon.Month) && !k.Is(lexicon.Stop) && (!k.Is(lexicon.Initial) || i+1 < len(tokens) && tokens[i+1].Is(lexicon.Capital)) {
		f.name = true
	}
	if !k.Is(lexicon.Stop) {
		f.words++
	}
}

// has reports whether there is what is sought.
func (f *found) has(sought extract.Sought, _ string) bool {
	switch sought {
	case extract.AnyStatement, extract.Event:
		return f.words > 0
	case extract.Affirmation:
		return true
	case extract.Amount:
		return f.number
	case extract.Cost:
		return f.number && f.money || f.free
	case extract.Time:
		return f.time
	case extract.Person:
		return f.name
	case extract.Place:
		return f.name && f.after
	case extract.Value:
		return f.name || f.number
	case extract.Reason, extract.Manner:
	}
	return false
}

func isTimeUnit(word string) bool {
	switch strings.TrimSuffix(word, "s") {
	case "second", "minute", "hour", "day", "week", "month", "year", "decade", "night", "am", "pm":
		return true
	}
	return false
}
