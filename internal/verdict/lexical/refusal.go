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

// Answered looks for the statement of the contexts that answers what a refusal says
// they do not, such as "Returns cost $5." for "The documents do not say what returns
// cost." The statement must have all content words of the refusal and the kind of thing
// that is asked for. This misses answers in other words, but it rarely rejects a
// justified refusal. The error is that of ctx.
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
		answered, at, last := false, 0, 0
		header, rowEnd := "", 0 // of the table whose row the last sentence is, and the end of that row
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
				answered, at, last = true, start, end
			}
		})
		if answered {
			from := utf8.RuneCountInString(text[:at])
			return verdict.Evidence{Chunk: i, Start: from, End: from + utf8.RuneCountInString(text[at:last]), Quote: text[at:last]}, true, nil
		}
	}
	return verdict.Evidence{}, false, nil
}

// A topic is what a statement must have to answer a refusal.
type topic struct {
	want   extract.AnswerType
	words  []topicWord
	keys   map[uint64]int // index into words, by key of the word or a synonym
	seen   []bool
	tokens []lexicon.Token
	// subject is set for a single common word, which must be the first content word of
	// a statement about it.
	subject bool
}

type topicWord struct {
	number bool
	value  float64
}

// topic returns the topic of what a refusal declines to answer. It reports false if
// there are too few words to be sure.
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

// isFiller reports whether a content word of a refusal need not be in an answer.
func isFiller(word string) bool {
	switch word {
	case "happen", "happens", "happened", "exact", "exactly", "specific", "specifically", "information", "detail", "details", "currently", "actually", "possible", "mention", "mentioned", "need", "needs", "there":
		return true
	}
	return false
}

// answeredBy reports whether a sentence has all words of the topic and an answer of the
// wanted type. A row of a table is read with the header of the table. Conditions and
// questions state nothing.
func (t *topic) answeredBy(l *lexicon.Lexicon, sentence, header string) bool {
	if strings.HasSuffix(strings.TrimSpace(sentence), "?") || leavesOpen(sentence) {
		return false
	}
	clear(t.seen)
	left := len(t.words)
	var f facts
	if header != "" {
		t.tokens = l.Tokens(t.tokens[:0], header)
		for i := range t.tokens {
			k := &t.tokens[i]
			if n, ok := t.keys[k.Key]; ok && !t.seen[n] && len(t.words) > 1 {
				t.seen[n] = true
				left--
			}
			f.money = f.money || isMoney(k.Lower(header)) || strings.ContainsAny(header, "$€£")
		}
		if left == 0 {
			return false // the row is about something else
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
				left--
			}
			f.topic, first = true, false
			continue
		}
		if first && t.subject && !k.Is(lexicon.Stop) {
			return false
		}
		f.add(t.tokens, i, sentence)
	}
	if left > 0 || f.unclear || t.subject && !f.topic {
		return false
	}
	return f.has(t.want)
}

// leavesOpen reports whether a sentence says that something is not known or whom to
// ask, or starts with a subordinate clause.
func leavesOpen(sentence string) bool {
	low := strings.ToLower(sentence)
	for _, part := range [...]string{
		"unknown", "not known", "unclear", "not clear", "contact ", "ask ", "not say", "not state", "not specif", "not mention", "not disclose", "undisclosed", "not publish", "to be announced", "to be decided",
	} {
		if strings.Contains(low, part) {
			return true
		}
	}
	first, _, _ := strings.Cut(strings.TrimLeft(low, " -*#>"), " ")
	switch first {
	case "when", "how", "why", "where", "if", "whether", "although", "though", "while", "for", "as", "unless":
		return true
	}
	return false
}

// facts records what a sentence has beside the words of a topic.
type facts struct {
	words                                                           int // content words
	number, money, time, name, free, place, reason, manner, unclear bool
	topic                                                           bool // a word of the topic came before
}

// add adds token i, which is not a word of the topic.
func (f *facts) add(tokens []lexicon.Token, i int, text string) {
	k := &tokens[i]
	word := k.Lower(text)
	switch word {
	case "if", "unless", "whether":
		f.unclear = f.unclear || !f.topic // "If tickets are late,"
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

// has reports whether the sentence has an answer of the wanted type.
func (f *facts) has(want extract.AnswerType) bool {
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

// isMoney reports whether a word makes a number an amount of money.
func isMoney(word string) bool {
	switch word {
	case "cost", "costs", "price", "prices", "priced", "charge", "charged", "pay", "pays", "paid", "fee", "fees", "dollars", "euros", "pounds", "crowns", "cents", "dollar", "euro", "pound", "eur", "usd", "gbp":
		return true
	}
	return false
}

// namesPlace reports whether the words after "in" or "at" may name a place: the first
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
