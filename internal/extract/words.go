package extract

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// maxSentenceBytes limits the length of the sentences that are analyzed. Longer
// sentences are always claims.
const maxSentenceBytes = 480

// words is a normalized sentence. It contains lower-case words separated by
// single spaces, without punctuation and apostrophes ("I don't" becomes "i
// dont"). Semicolons and em dashes become a separate word ";".
type words string

func normalize(text string) words {
	out := make([]byte, 0, maxSentenceBytes) // on the stack
	gap := false                             // a space precedes the next word
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z' && !gap:
			out = append(out, byte(r))
			continue
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		case r >= 'A' && r <= 'Z':
			r |= 0x20
		case r == '\'', r == '’', r == '‘', r == 'ʼ':
			continue
		case r == ';', r == '—':
			if len(out) > 0 {
				out = append(out, " ;"...)
			}
			gap = true
			continue
		case r < utf8.RuneSelf, strings.ContainsRune("“”¡¿«»„…。，！、\u00a0–", r):
			gap = true
			continue
		}
		if gap && len(out) > 0 {
			out = append(out, ' ')
		}
		gap = false
		out = utf8.AppendRune(out, r)
	}
	return words(out)
}

func (w words) cutWord() (first string, rest words) {
	first, after, _ := strings.Cut(string(w), " ")
	return first, words(after)
}

func (w words) cutPrefix(phrase string) (words, bool) {
	n := len(phrase)
	if len(w) < n || w[0] != phrase[0] || len(w) > n && w[n] != ' ' || string(w[:n]) != phrase {
		return w, false
	}
	return w[min(n+1, len(w)):], true
}

// cutAnyPrefix cuts the first of the phrases that starts w.
func (w words) cutAnyPrefix(phrases ...string) (words, bool) {
	for _, p := range phrases {
		if rest, ok := w.cutPrefix(p); ok {
			return rest, true
		}
	}
	return w, false
}

func (w words) count() int {
	if len(w) == 0 {
		return 0
	}
	return strings.Count(string(w), " ") + 1
}

func (w words) last() string { return string(w[strings.LastIndexByte(string(w), ' ')+1:]) }

// contains reports whether match reports true for any of the words.
func (w words) contains(match func(string) bool) bool {
	for rest := range w.suffixes() {
		if first, _ := rest.cutWord(); match(first) {
			return true
		}
	}
	return false
}

// containsAny reports whether w contains one of the words of a list.
func (w words) containsAny(list ...string) bool {
	return w.contains(func(s string) bool { return slices.Contains(list, s) })
}

// suffixes yields w without its first n words, for n = 0, 1, ... and at least one word.
func (w words) suffixes() iter.Seq[words] {
	return func(yield func(words) bool) {
		for len(w) > 0 && yield(w) {
			_, w = w.cutWord()
		}
	}
}

func (w words) hasDigit() bool {
	return strings.ContainsAny(string(w), "0123456789")
}

// A role is the function of a phrase at the start of a sentence.
type role uint8

const (
	opening     role = 1 + iota // introduces a sentence without adding content: "Unfortunately,"
	salutation                  // greets, if little else follows
	closing                     // offers help or wishes well
	declining                   // declines to answer
	announcing                  // announces the text after it
	sourceWord                  // a word for what the answer is based on
	aboutAnswer                 // a word for the origin or quality of an answer
	aside                       // another word of disclaimers
)

// has reports whether a word alone has the role.
func (r role) has(word string) bool {
	known := phrases()[word]
	return known != nil && slices.ContainsFunc(known[r], func(p phrase) bool { return p.text == word })
}

// A phrase is a sequence of normalized words.
type phrase struct {
	text  string
	whole bool // matches only a whole sentence
}

//go:embed data/en.txt
var phraseData string

// byRole holds phrases with the same first word, indexed by role.
type byRole [aside + 1][]phrase

//nolint:gochecknoglobals // parsed once from embedded data, never changed
var phrases = sync.OnceValue(func() map[string]*byRole { return parsePhrases(phraseData) })

// parsePhrases parses a data file and indexes its phrases by their first word. A
// line in brackets sets the role of the lines after it.
func parsePhrases(data string) map[string]*byRole {
	roles := map[string]role{
		"[opening]": opening, "[salute]": salutation, "[closing]": closing, "[decline]": declining, "[announce]": announcing,
		"[source]": sourceWord, "[about]": aboutAnswer, "[aside]": aside,
	}
	all := make(map[string]*byRole)
	var current role
	for l := range strings.Lines(data) {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' {
			continue
		}
		if r, ok := roles[l]; ok {
			current = r
			continue
		}
		text, whole := strings.CutSuffix(l, " .")
		first, _, _ := strings.Cut(text, " ")
		known := all[first]
		if known == nil {
			known = new(byRole)
			all[first] = known
		}
		known[current] = append(known[current], phrase{text: text, whole: whole})
	}
	return all
}

// cutPhrase cuts the longest phrase with the given role from the start of w.
func (w words) cutPhrase(r role) (rest words, found bool) {
	first, _ := w.cutWord()
	rest = w
	longest := 0
	known := phrases()[first]
	if known == nil {
		return rest, false
	}
	for _, p := range known[r] {
		if len(p.text) <= longest {
			continue
		}
		if after, ok := w.cutPrefix(p.text); ok && (!p.whole || len(after) == 0) {
			rest, found, longest = after, true, len(p.text)
		}
	}
	return rest, found
}

func isOneOf(word string, list ...string) bool {
	return slices.Contains(list, word)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// isClause reports whether text, which may be a title in any case, has a finite verb.
func isClause(text string) bool {
	w := english.Split(strings.ToLower(text))
	return len(w) > 2 && english.HasFiniteVerb(w)
}

// isCommonVerb reports whether s is a common finite verb, which marks a line as a sentence.
func isCommonVerb(s string) bool {
	return isOneOf(s, "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "can", "could", "will",
		"would", "may", "might", "must", "should", "shall", "cannot", "isnt", "arent", "wasnt", "dont", "doesnt",
		"includes", "provides", "means", "makes", "became", "won", "made", "says", "said")
}

// A rule cuts a phrase from the start of a sentence. It reports false if the sentence does
// not start with such a phrase.
type rule func(words) (rest words, ok bool)

// oneOf returns the rule for any of the given phrases.
func oneOf(phrases ...string) rule {
	phrases = slices.Clone(phrases)
	slices.SortStableFunc(phrases, func(a, b string) int { return int(a[0]) - int(b[0]) })
	var ends [256]uint8 // of the phrases that start with each byte, of which 0 is none
	for _, p := range phrases {
		ends[p[0]]++
	}
	for k := range ends[1:] {
		ends[k+1] += ends[k]
	}
	return func(w words) (words, bool) {
		if len(w) == 0 {
			return w, false
		}
		return w.cutAnyPrefix(phrases[ends[w[0]-1]:ends[w[0]]]...)
	}
}

// sequence returns the rule for phrases that follow each other.
func sequence(rules ...rule) rule {
	return func(w words) (words, bool) {
		rest := w
		for _, r := range rules {
			after, ok := r(rest)
			if !ok {
				return w, false
			}
			rest = after
		}
		return rest, true
	}
}

// either returns the rule for phrases of any of the given rules, of which the first that
// matches counts.
func either(rules ...rule) rule {
	return func(w words) (words, bool) {
		for _, r := range rules {
			if rest, ok := r(w); ok {
				return rest, true
			}
		}
		return w, false
	}
}

// many returns the rule for any number of phrases, including none. phrase must cut at
// least one word.
func many(phrase rule) rule {
	return func(w words) (words, bool) {
		for len(w) > 0 {
			rest, ok := phrase(w)
			if !ok {
				break
			}
			w = rest
		}
		return w, true
	}
}

// within returns the rule for up to n words that end in one of the given ones.
func within(n int, list ...string) rule {
	return func(w words) (words, bool) {
		rest := w
		for range n {
			var first string
			if first, rest = rest.cutWord(); isOneOf(first, list...) {
				return rest, true
			}
		}
		return w, false
	}
}

func anyWord(w words) (words, bool) {
	_, rest := w.cutWord()
	return rest, len(w) > 0
}

// HasWords reports whether text contains a letter or a number.
func HasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// trimClosing trims closing quotation marks, brackets and emphasis. It also
// returns the last byte of the trimmed text, or 0 if it is empty.
func trimClosing(text string) (last byte, trimmed string) {
	trimmed = strings.TrimRight(text, "*_)`\"' ")
	if trimmed == "" {
		return 0, ""
	}
	return trimmed[len(trimmed)-1], trimmed
}

// isAnswerLabel reports whether s only announces an answer, as "The short answer" and "In summary"
// do. One word must refer to the answer. Other words must be typical of labels.
func isAnswerLabel(s string) bool {
	if len(s) > maxLabelBytes {
		return false
	}
	s = strings.Trim(s, " *_#:-–—：.\t")
	if takesComma(s) || isOneOf(strings.ToLower(s), "a", "ans", "tl;dr", "tl ; dr", "tldr", "tl dr", "tl/dr", "in a word", "short version", "the short version", "long story short", "here's what i found", "here is what i found", "this is what i found",
		"bottom line", "the bottom line", "antwort", "kurz gesagt", "kurzantwort", "kurze antwort", "respuesta", "respuesta corta", "en resumen", "réponse", "en bref", "en résumé", "resposta",
		"em resumo", "risposta", "in breve", "antwoord", "svar", "ответ", "答案", "回答", "答え", "الجواب", "الإجابة") {
		return true
	}
	named := false
	for word := range strings.FieldsSeq(strings.ToLower(s)) {
		switch word {
		case "answer", "response", "reply", "summary", "conclusion", "tl;dr", "tldr":
			named = true
		case "the", "my", "a", "an", "your", "our", "this", "to", "in", "final", "short", "long", "quick", "brief", "direct", "simple", "full", "complete", "concise", "detailed", "overall", "actual",
			"correct", "best", "question", "&", "and", "is", "here", "here's":
		default:
			return false
		}
	}
	return named
}

// startsWithQuote reports whether text starts with a quotation mark. Such a
// sentence may be someone else's words.
func startsWithQuote(text string) bool {
	return strings.ContainsRune("\"'`“‘«„", firstRune(text))
}

// maxLabelBytes limits labels such as "To answer your question:".
const maxLabelBytes = 32

// takesComma reports whether s is a label that can be followed by a comma.
func takesComma(s string) bool {
	return isOneOf(strings.ToLower(s), "in short", "in brief", "in a nutshell", "in summary", "in conclusion", "to sum up", "to summarize", "to summarise", "to conclude")
}

// isDisclaimerWord reports whether s is a function word or a word for the answer or its author.
func isDisclaimerWord(s string) bool { return namesAnswer(s) || namesWriter(s) || aside.has(s) }

// isAboutAnswer reports whether s describes the origin or quality of an answer.
func isAboutAnswer(s string) bool { return aboutAnswer.has(s) || sourceWord.has(s) }

// namesAnswer reports whether s refers to the answer.
func namesAnswer(s string) bool {
	return isOneOf(s, "answer", "answers", "response", "responses", "reply", "summary", "disclaimer", "assistant")
}

// namesWriter reports whether s refers to the author of the answer, who is not the company that "we" is.
func namesWriter(s string) bool { return isOneOf(s, "i", "ive", "im", "my") }
