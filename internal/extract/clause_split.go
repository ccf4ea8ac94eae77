package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

const (
	maxSplitBytes = 600 // longer sentences are not split
	maxSplitDepth = 4
)

// splitSentence returns the statements of an English sentence, or nil if there is only one
// or the sentence is not understood. Each is a sentence that follows from the original.
func splitSentence(text string) []string {
	if len(text) > maxSplitBytes || strings.ContainsAny(text, "\"“”„«»?:|()[]\n") {
		return nil
	}
	return splitParts(text, maxSplitDepth)
}

// splitParts applies the first rule that splits text, and then splits its parts.
func splitParts(text string, depth int) []string {
	s := newSentence(text)
	if depth == 0 || s.contains(isUnsureWord) {
		return nil
	}
	for _, rule := range []func(sentence) []string{sentence.semicolon, sentence.relative, sentence.coordination, sentence.adjuncts} {
		parts := rule(s)
		if len(parts) < 2 {
			continue
		}
		var all []string
		for _, p := range parts {
			if part := newSentence(p); part.verb == 0 || part.verb+1 == len(part.words) {
				return nil
			}
			if inner := splitParts(p, depth-1); inner != nil {
				all = append(all, inner...)
			} else {
				all = append(all, p)
			}
		}
		return all
	}
	return nil
}

// A sentence is an English text and its words.
type sentence struct {
	text  string
	words []english.Word
	at    []int // byte offset of each word
	verb  int   // index of the finite verb after the subject, or 0
}

func newSentence(text string) sentence {
	s := sentence{text: text, words: english.Split(text)}
	at := 0
	for _, w := range s.words {
		at += strings.Index(text[at:], w.Text)
		s.at = append(s.at, at)
		at += len(w.Text)
	}
	const maxSubject = 8
	for i := 1; i < min(len(s.words), maxSubject); i++ {
		if low := s.words[i-1].Lower; english.IsPreposition(low) && low != "of" || s.endsInComma(i-1) || low == "and" {
			break
		}
		if s.isFinite(i) {
			s.verb = i
			break
		}
	}
	return s
}

// end returns the end of word i without punctuation.
func (s sentence) end(i int) int { return s.at[i] + len(strings.TrimRight(s.words[i].Text, ".,;!")) }

func (s sentence) endsInComma(i int) bool { return strings.HasSuffix(s.words[i].Text, ",") }

func (s sentence) contains(match func(string) bool) bool {
	return slices.ContainsFunc(s.words, func(w english.Word) bool { return match(w.Lower) })
}

// isFinite reports whether word i is a verb with tense. A form in -s, which may be a plural,
// needs an object.
func (s sentence) isFinite(i int) bool {
	low := s.words[i].Lower
	switch {
	case english.StartsUpper(s.words[i].Text):
		return false
	case english.IsAuxiliary(low):
		return true
	case i > 0 && (english.IsDeterminer(s.words[i-1].Lower) || english.IsPreposition(s.words[i-1].Lower)):
		return false
	case english.IsVerb(low, english.PastForm), len(low) > 4 && strings.HasSuffix(low, "ed"):
		return true
	}
	return english.IsVerb(low, english.ThirdPerson) && i+1 < len(s.words) && english.IsDeterminer(s.words[i+1].Lower)
}

// hasDefiniteSubject reports whether the subject is one thing: a name, a pronoun, or a noun
// with a definite determiner.
func (s sentence) hasDefiniteSubject() bool {
	if s.verb == 0 {
		return false
	}
	first := s.words[0].Lower
	return !slices.ContainsFunc(s.words[:s.verb], func(w english.Word) bool { return english.IsNumeral(w.Lower) || isQuantifier(w.Lower) }) &&
		(first == "the" || first == "this" || english.IsSubjectPronoun(first) || english.StartsUpper(s.words[s.verb-1].Text))
}

func (s sentence) semicolon() []string {
	var parts []string
	for piece := range strings.SplitSeq(s.text, ";") {
		if parts != nil && newSentence(piece).contains(refersBack) {
			return nil
		}
		parts = append(parts, strings.TrimSpace(piece))
	}
	return parts
}

// relative splits off a relative clause after the whole subject, or after a name at the end
// of the sentence.
func (s sentence) relative() []string {
	open := slices.IndexFunc(s.words, func(w english.Word) bool { return w.Lower == "who" || w.Lower == "which" })
	if open < 1 || open+2 >= len(s.words) || !s.endsInComma(open-1) || !s.isFinite(open+1) {
		return nil
	}
	subject, rest := s.text[:s.end(open-1)], s.words[open+1:]
	if n := slices.IndexFunc(rest, func(w english.Word) bool { return strings.HasSuffix(w.Text, ",") }); n >= 0 {
		main := newSentence(subject + s.text[s.end(open+1+n)+1:])
		if main.verb != open || !main.hasDefiniteSubject() || slices.ContainsFunc(s.words[:open], func(w english.Word) bool { return english.IsPreposition(w.Lower) }) {
			return nil
		}
		return []string{main.text, sentenceText(subject, english.Join(rest[:n+1]))}
	}
	first := open
	for first > 0 && english.StartsUpper(s.words[first-1].Text) {
		first--
	}
	if s.words[open].Lower != "who" || open-first < 2 || first == 0 || first <= s.verb || s.words[first-1].Lower == "and" || s.endsInComma(first-1) || rest[0].Lower == "were" || rest[0].Lower == "have" {
		return nil
	}
	return []string{subject, sentenceText(subject[s.at[first]:], english.Join(rest))}
}

// coordination splits at the first "and", "but" or comma before another clause, or before
// a predicate that gets the subject of the first.
func (s sentence) coordination() []string {
	if s.verb == 0 || s.contains(isQuantifier) || strings.Contains(s.text[:s.at[s.verb]], "'") {
		return nil
	}
	for i := s.verb + 2; i+2 < len(s.words); i++ {
		joined := s.words[i].Lower == "and" || s.words[i].Lower == "but"
		from := i // of the second part
		if joined {
			from++
		} else if !s.endsInComma(i - 1) {
			continue
		}
		before, second := s.end(i-1), newSentence(s.text[s.at[from]:])
		switch {
		case s.isFinite(from) && (joined || strings.Contains(s.text[s.at[from]:], " and ")):
			subjectEnd, sure := s.sharedWords(from)
			if !sure {
				return nil
			}
			return []string{s.text[:before], sentenceText(s.text[:s.end(subjectEnd-1)], second.text)}
		case joined && second.verb > 0 && !second.contains(refersBack):
			return []string{s.text[:before], second.text}
		}
	}
	return nil
}

// sharedWords returns the number of words at the start of the sentence that the predicate
// at word i shares with the first one: the subject, and the auxiliary of a passive. It
// reports false if the predicate may be active or passive, as in "was built and moved".
func (s sentence) sharedWords(i int) (n int, sure bool) {
	first, low, next := s.words[s.verb].Lower, s.words[i].Lower, s.words[i+1].Lower
	auxiliary := english.IsAuxiliary(first)
	switch {
	case auxiliary && !english.IsBe(first) && english.IsVerb(low, english.BaseForm):
		return s.verb + 1, true // "will cut and put"
	case english.IsAuxiliary(low), english.IsDeterminer(next), !english.IsParticiple(low):
		return s.verb, true
	case low == "died", low == "lived", low == "worked", low == "served":
		return s.verb, true
	case auxiliary:
		return s.verb + 1, next == "by" && english.IsBe(first)
	}
	return s.verb, next != "by"
}

// adjuncts splits the places and times of a past event, if there are at least two at the end.
func (s sentence) adjuncts() []string {
	if !s.hasDefiniteSubject() || s.contains(isQuantifier) {
		return nil
	}
	verb := s.verb
	if low := s.words[verb].Lower; (low == "was" || low == "were") && verb+1 < len(s.words) {
		verb++
	}
	if !isEvent(s.words[verb].Lower) {
		return nil
	}
	var starts []int
	for i := verb + 1; i < len(s.words); i++ {
		switch low := s.words[i].Lower; {
		case low == "in" || low == "on" || low == "at":
			starts = append(starts, i)
		case len(starts) == 0:
			if s.words[i].Lower != "place" {
				return nil
			}
		case !english.StartsUpper(s.words[i].Text) && !english.IsNumeral(low) || s.endsInComma(i):
			return nil
		}
	}
	if len(starts) < 2 {
		return nil
	}
	var parts []string
	for k, i := range starts {
		to := len(s.words)
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		if to == i+1 {
			return nil
		}
		if k == 0 {
			parts = append(parts, s.text[:s.end(to-1)])
		} else {
			parts = append(parts, sentenceText(s.text[:s.end(starts[0]-1)], english.Join(s.words[i:to])))
		}
	}
	return parts
}

// sentenceText joins the parts of a sentence.
func sentenceText(subject, predicate string) string {
	return english.Capitalize(strings.TrimRight(subject+" "+predicate, " ,.")) + "."
}

// isUnsureWord reports whether a word changes what follows from a sentence in ways that the
// rules do not know: conditions, comparisons, contrasts and alternatives.
func isUnsureWord(low string) bool {
	return isOneOf(low, "if", "unless", "when", "whenever", "while", "because", "although", "though", "than", "whether", "either", "neither", "nor", "or", "both", "only",
		"whereas", "until", "till", "except", "without", "provided", "so", "therefore", "thus", "hence", "respectively", "according", "such", "rather", "instead", "otherwise",
		"reportedly", "allegedly", "supposedly", "perhaps", "maybe", "possibly", "probably", "likely", "once", "since", "before", "after", "as", "like", "that", "including",
		"together", "each", "between", "about", "per", "every", "never", "hardly", "rarely", "seldom", "said", "says", "first", "last")
}

// isQuantifier reports whether a word negates or limits a statement.
func isQuantifier(low string) bool {
	return strings.HasSuffix(low, "n't") || isOneOf(low, "no", "none", "nobody", "nothing", "few", "fewer", "less", "little", "not", "most", "exactly", "some", "many", "several", "all", "any")
}

// refersBack reports whether a word may refer to another clause.
func refersBack(low string) bool {
	return isOneOf(low, "he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "this", "these", "those", "former", "latter", "same", "other", "others", "another",
		"one", "ones", "else", "also", "too", "did", "does", "there", "then", "here", "which", "who")
}

// isEvent reports whether a past verb names a single event, so that what happened at a time
// and a place happened at that time, and at that place.
func isEvent(past string) bool {
	return isOneOf(past, "born", "died", "founded", "established", "opened", "took", "held", "happened", "occurred", "built", "published", "released", "married", "launched", "signed", "created",
		"premiered", "met", "elected", "arrested", "buried", "began", "started", "ended", "graduated", "invented", "discovered", "murdered", "killed", "executed", "crowned")
}
