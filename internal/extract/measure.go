package extract

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/segment"
)

// A vocabulary holds the words of a question and its contexts.
type vocabulary struct {
	known   map[string]bool // stems of the contexts: true, and of the question only: false
	english bool            // whether the answer is in English
}

// newVocabulary collects the words of the question and the contexts.
func newVocabulary(question, answer string, contexts []string) *vocabulary {
	v := &vocabulary{known: make(map[string]bool), english: segment.Language(answer, "") == "en"}
	for word := range strings.FieldsFuncSeq(question, isSeparator) {
		v.known[stem(strings.ToLower(word))] = false
	}
	for _, text := range contexts {
		for word := range strings.FieldsFuncSeq(text, isSeparator) {
			v.known[stem(strings.ToLower(word))] = true
		}
	}
	return v
}

// A measure describes what a text says beyond the question and the contexts.
// Words about the conversation, such as "question" and "help", do not count.
type measure struct {
	content  int  // nouns, verbs, adjectives and numbers
	shared   int  // those in the contexts
	lacking  int  // those in neither the contexts nor the question
	names    bool // a noun or adjective is lacking, and a word is shared
	value    bool // a number is lacking
	amount   bool // a sum of money or a percentage is lacking
	finite   bool // it has a finite verb
	complete bool // the finite verb has a subject other than the reader, and an object
	headline bool // a subject of the contexts has a participle: "Mayor arrested for fraud"
	presumes bool // it presumes an event: "why the mayor was arrested"
	excepts  bool // it has an exception: "nothing beyond the arrest"
}

// isAbout reports whether a text says something new about a subject of the contexts.
func (m measure) isAbout() bool { return m.shared > 0 && m.lacking > 0 }

// measure classifies the words of an English text by lists and endings: whatever is not a
// function word is content, and a past form is a verb.
func (v *vocabulary) measure(text string) measure {
	if !v.english {
		return v.measureWords(text)
	}
	if isTitleCase(text) && !strings.HasSuffix(text, ".") {
		text = strings.ToLower(text)
	}
	var m measure
	all := slices.DeleteFunc(english.Split(text), func(w english.Word) bool { return !HasWords(w.Lower) })
	lower := func(i int) string {
		if i < 0 || i >= len(all) {
			return ""
		}
		return all[i].Lower
	}
	explains := false  // a word such as "why" precedes
	lacksName := false // a word other than a verb is lacking
	for i, w := range all {
		low, before, after := w.Lower, lower(i-1), lower(i+1)
		switch low {
		case "why", "how", "that", "because":
			explains = true
		case "beyond", "except", "besides", "apart", "aside", "than", "but":
			m.excepts = true
		}
		ed := len(low) > 4 && strings.HasSuffix(low, "ed") && !strings.Contains(low, "-")
		past := ed || english.IsVerb(low, english.PastForm|english.ParticipleForm)
		tense := ed || english.IsVerb(low, english.PastForm) // or a participle
		if last := i+1 == len(all); english.IsAuxiliary(low) || i > 0 && !isFunctionWord(before) && (tense || english.IsVerb(low, english.ThirdPerson) && !last && !english.IsVerb(before, english.BaseForm)) {
			m.finite = true
			m.complete = m.complete || !last && before != "you" && before != "i" && before != "we" && (english.IsAuxiliary(low) || tense || english.IsDeterminer(after))
		}
		if past {
			about, _ := v.knows(before)
			m.headline = m.headline || about && !isFunctionWord(before) && !isConversational(before)
		}
		number := unicode.IsNumber(firstRune(strings.TrimLeft(low, "$€£")))
		if isFunctionWord(low) || isConversational(low) || number && (isTextNoun(before) || isTextNoun(after)) {
			continue
		}
		m.content++
		inContexts, known := v.knows(low)
		if inContexts {
			m.shared++
		}
		if known {
			continue
		}
		m.lacking++
		lacksName = lacksName || !past
		m.value = m.value || number
		m.amount = m.amount || number && strings.ContainsAny(w.Text, "$€£%")
		m.presumes = m.presumes || past && explains && before != "is" && before != "are" && before != "be"
	}
	m.names = lacksName && m.shared > 0
	if _, trimmed := trimClosing(text); endsSentence(trimmed) {
		m.finite = m.finite || english.HasFiniteVerb(all)
	}
	return m
}

// isTextNoun reports whether a number beside low counts or numbers a piece of text, as in
// "passage 3" and "100 words".
func isTextNoun(low string) bool { return isSourceWord(low) || low == "words" || low == "sentences" }

// isFunctionWord reports whether a lower-case word carries no content of its own.
func isFunctionWord(low string) bool {
	return !isOneOf(low, "many", "most", "several", "few") && (english.IsDeterminer(low) || english.IsPreposition(low) || english.IsAuxiliary(low) || english.IsPronoun(low) || english.IsSubjectPronoun(low) ||
		english.IsQuestionWord(low) || isDisclaimerWord(low))
}

// measureWords measures a text in a language other than English. Its grammar is
// unknown, so only a full stop and words of the contexts indicate a statement.
func (v *vocabulary) measureWords(text string) measure {
	const minLetters = 4
	var m measure
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
		inContexts, known := v.knows(word)
		digits := strings.ContainsAny(word, "0123456789")
		if !digits && utf8.RuneCountInString(word) < minLetters && word[0] < 0xe3 {
			continue
		}
		m.content++
		if inContexts {
			m.shared++
		}
		if !known {
			m.lacking++
			m.value = m.value || digits
		}
	}
	_, trimmed := trimClosing(text)
	m.finite = m.shared > 0 && endsSentence(trimmed) && strings.IndexByte(text, ' ') > 0
	return m
}

// lacks reports whether a word of text is in neither the question nor the contexts.
// It is much faster than measure.
func (v *vocabulary) lacks(text string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
		if _, known := v.known[stem(word)]; !known && !isConversational(word) {
			return true
		}
	}
	return false
}

// knows reports whether a word is in the contexts, and whether it is there or in the question.
func (v *vocabulary) knows(word string) (inContexts, known bool) {
	inContexts, known = v.known[stem(strings.TrimSuffix(strings.TrimLeft(word, "$€£"), "'s"))]
	return inContexts, known
}

// isSeparator reports whether r separates words. Commas and full stops do not, since they
// also separate digits.
func isSeparator(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != ',' && r != '.'
}

// stem returns the stem of a lower-case word without punctuation.
func stem(word string) string {
	word = strings.ReplaceAll(strings.Trim(word, ".,"), ",", "")
	return word[:lexicon.StemLength(word)]
}

// isConversational reports whether a lower-case word belongs to the talk about
// an answer, such as "question", "help" and "document", not to its subject.
func isConversational(low string) bool {
	return conversation()[stem(low)] || namesAnswer(low) || isAboutAnswer(low) || isGenericWord(low) || endsLeadIn(low) || slices.Contains(contextNouns, low) || slices.Contains(reportNouns, low) ||
		isOneOf(low, "question", "determine", "help", "assist", "clarify", "unclear", "asked", "requested", "needed", "mentioned")
}

//nolint:gochecknoglobals // computed once from embedded data, never changed
var conversation = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for l := range strings.Lines(phraseData) {
		if l[0] == '#' {
			continue
		}
		for word := range strings.FieldsFuncSeq(l, isSeparator) {
			all[stem(word)] = true
		}
	}
	return all
})
