package lexical

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
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
		answered, answerStart, answerEnd := false, 0, 0
		header, rowEnd := "", 0 // header of the current table, end of its last row
		j.opts.Sentences(text, func(start, end int) {
			if answered {
				return
			}
			s := text[start:end]
			above := ""
			if strings.IndexByte(s, '|') < 0 {
				header = ""
			} else {
				if header == "" || strings.Trim(text[rowEnd:start], "|-:= \t\r\n") != "" {
					header = s
				} else {
					above = header
				}
				rowEnd = end
			}
			if t.answeredBy(j.lex, s, above) {
				answered, answerStart, answerEnd = true, start, end
			}
		})
		if answered {
			quote := text[answerStart:answerEnd]
			start := utf8.RuneCountInString(text[:answerStart])
			return verdict.Evidence{Chunk: i, Start: start, End: start + utf8.RuneCountInString(quote), Quote: quote}, true, nil
		}
	}
	return verdict.Evidence{}, false, nil
}

// A topic describes the statements that would answer a refused question.
type topic struct {
	want   extract.AnswerType
	words  []topicWord
	keys   map[uint64]int // index into words, by key of the word or a synonym
	seen   []bool         // words seen in the current sentence
	tokens []lexicon.Token
	// subject is set if the topic is a single common word. That word must then be the
	// first content word of the answer.
	subject bool
}

type topicWord struct {
	number bool
	value  float64
}

// topic returns the topic of a declined question, and whether it has enough words for a
// reliable comparison.
func (j *Judge) topic(d extract.Declined) (*topic, bool) {
	t := &topic{want: d.Type, keys: make(map[uint64]int)}
	named := false
	for i, k := range j.lex.Tokens(nil, d.Topic) {
		word := k.Lower(d.Topic)
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
	minWords := 1
	if slices.Contains([]extract.AnswerType{extract.AnyStatement, extract.Event, extract.Value, extract.Place, extract.Person}, t.want) {
		minWords = 2
	}
	t.seen = make([]bool, len(t.words))
	t.subject = t.want == extract.AnyStatement && len(t.words) == 1 && !named
	return t, len(t.words) >= minWords || named && len(t.words) > 0 || t.subject
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
// of the wanted type. If the sentence is a table row, header is the header of the
// table. Questions and conditional clauses are not answers.
func (t *topic) answeredBy(l *lexicon.Lexicon, sentence, header string) bool {
	if strings.HasSuffix(strings.TrimSpace(sentence), "?") || isInconclusive(sentence) {
		return false
	}
	clear(t.seen)
	remaining := len(t.words)
	var f facts
	if header != "" {
		t.tokens = l.Tokens(t.tokens[:0], header)
		for i := range t.tokens {
			k := &t.tokens[i]
			if n, ok := t.keys[k.Key]; ok && !t.seen[n] && len(t.words) > 1 {
				t.seen[n] = true
				remaining--
			}
			f.money = f.money || isMoney(k.Lower(header)) || strings.ContainsAny(header, "$€£")
		}
		if remaining == 0 {
			return false // only the header is about the topic
		}
	}
	t.tokens = l.Tokens(t.tokens[:0], sentence)
	first := true
	for i := range t.tokens {
		k := &t.tokens[i]
		n, ok := t.keys[k.Key]
		if ok && t.words[n].number && k.Value != t.words[n].value {
			ok = false
		}
		if ok {
			if !t.seen[n] {
				t.seen[n] = true
				remaining--
			}
			f.topic, first = true, false
			continue
		}
		if first && t.subject && !k.Is(lexicon.Stop) {
			return false
		}
		f.add(t.tokens, i, sentence)
	}
	if remaining > 0 || f.conditional || t.subject && !f.topic {
		return false
	}
	return f.answers(t.want)
}

// isInconclusive reports whether a sentence states that something is unknown, refers
// the reader to someone else, or starts with a subordinate clause.
func isInconclusive(sentence string) bool {
	lower := strings.ToLower(sentence)
	for _, part := range [...]string{
		"unknown", "not known", "unclear", "not clear", "contact ", "ask ", "not say", "not state", "not specif", "not mention", "not disclose", "undisclosed", "not publish", "to be announced", "to be decided",
	} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	first, _, _ := strings.Cut(strings.TrimLeft(lower, " -*#>"), " ")
	switch first {
	case "when", "how", "why", "where", "if", "whether", "although", "though", "while", "for", "as", "unless":
		return true
	}
	return false
}

// facts records the kinds of information in a sentence, apart from the words of a
// topic.
type facts struct {
	words                                                  int // number of content words
	number, money, time, name, free, place, reason, manner bool
	conditional                                            bool // starts with a condition
	topic                                                  bool // a topic word has been seen
}

// add records token i, which is not a topic word.
func (f *facts) add(tokens []lexicon.Token, i int, text string) {
	k := &tokens[i]
	word := k.Lower(text)
	switch word {
	case "if", "unless", "whether":
		f.conditional = f.conditional || !f.topic // "If tickets are late,"
	case "because", "since", "due", "owing", "therefore":
		f.reason = true
	case "by", "via", "using", "through", "with":
		f.manner = true
	case "free", "gratis":
		f.free = true
	case "in", "at", "on", "from", "near", "behind", "beside", "opposite":
		f.place = f.place || namesPlace(tokens[i+1:], text)
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays",
		"daily", "weekly", "monthly", "yearly", "annually", "immediately", "today", "tomorrow", "noon", "midnight", "always", "never":
		f.time = true
	}
	f.money = f.money || isMoney(word)
	if k.Class&(lexicon.Number|lexicon.Numeral) != 0 {
		f.number = true
		const firstYear, lastYear = 1000, 2100
		year := k.Is(lexicon.Number) && k.Value >= firstYear && k.Value < lastYear && k.End-k.Start == 4
		clock := int(k.End) < len(text)-2 && text[k.End] == ':'
		f.time = f.time || year || clock || i+1 < len(tokens) && isTimeUnit(tokens[i+1].Lower(text))
		before := strings.TrimRight(text[:k.Start], " ")
		after := strings.TrimLeft(text[k.End:], " ")
		f.money = f.money || strings.HasSuffix(before, "$") || strings.HasSuffix(before, "€") || strings.HasSuffix(before, "£") || strings.HasPrefix(after, "€") || strings.HasPrefix(after, "$")
	}
	f.time = f.time || k.Is(lexicon.Month) && k.Is(lexicon.Capital)
	if k.Is(lexicon.Capital) && !k.Is(lexicon.Month) && !k.Is(lexicon.Stop) && (!k.Is(lexicon.Initial) || i+1 < len(tokens) && tokens[i+1].Is(lexicon.Capital)) {
		f.name = true
	}
	if !k.Is(lexicon.Stop) {
		f.words++
	}
}

// answers reports whether the facts include an answer of the wanted type.
func (f *facts) answers(want extract.AnswerType) bool {
	switch want {
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
		return f.place
	case extract.Value:
		return f.name || f.number
	case extract.Reason:
		return f.reason
	case extract.Manner:
		return f.manner
	}
	return false
}

// isMoney reports whether a word indicates that a number is an amount of money.
func isMoney(word string) bool {
	switch word {
	case "cost", "costs", "price", "prices", "priced", "charge", "charged", "pay", "pays", "paid", "fee", "fees", "dollars", "euros", "pounds", "crowns", "cents", "dollar", "euro", "pound", "eur", "usd", "gbp":
		return true
	}
	return false
}

// namesPlace reports whether the words after a preposition may name a place: the first
// content word is not a number, month, day or unit.
func namesPlace(tokens []lexicon.Token, text string) bool {
	for i := range tokens {
		k := &tokens[i]
		if k.Is(lexicon.Stop) {
			continue
		}
		word := k.Lower(text)
		return k.Class&(lexicon.Number|lexicon.Numeral|lexicon.Month|lexicon.Unit) == 0 && !isTimeUnit(word) && !strings.HasSuffix(strings.TrimSuffix(word, "s"), "day")
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
