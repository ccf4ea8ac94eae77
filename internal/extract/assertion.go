package extract

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// ClaimAssertions turns skipped text of any kind into claims if it says something that
// neither the question nor the contexts do. Only reasoning at the start of an answer is
// exempt, since the answer follows it. The only possible error is ctx.Err().
func (e Extraction) ClaimAssertions(ctx context.Context, question, answer string, contexts []string) (Extraction, error) {
	a := assertions{question: question, answer: answer, contexts: contexts}
	if err := a.find(ctx, e, false); err != nil {
		return e, err
	}
	if len(e.Claims) == 0 && len(a.found) == 0 && e.Reason() != reasonRefusal {
		// Nothing else answers the question, so what the skipped text states is the
		// answer, even if the contexts say the same.
		if err := a.find(ctx, e, true); err != nil {
			return e, err
		}
	}
	if len(a.found) == 0 {
		return e, nil
	}
	if e.Whole && len(e.Claims) == 1 {
		e.widen(answer, a.found)
		return e, nil
	}
	if len(e.Claims) > 0 {
		question = "" // it is answered
	}
	for i := range a.found {
		a.found[i].Statement = Statements(question, a.found[i:i+1])[0]
	}
	e.Skipped = a.skipped
	e.Add(a.found)
	return e, nil
}

// widen extends the only claim so that it includes found.
func (e *Extraction) widen(answer string, found []Claim) {
	whole := e.Claims[0]
	whole.Start, whole.End = min(whole.Start, found[0].Start), max(whole.End, found[len(found)-1].End)
	whole.Text, whole.Statement = string([]rune(answer)[whole.Start:whole.End]), ""
	e.Claims = []Claim{whole}
	e.Skipped = slices.DeleteFunc(slices.Clone(e.Skipped), func(s Skipped) bool { return s.Start < whole.End && s.End > whole.Start })
}

// assertions looks for assertions in the skipped text of an answer.
type assertions struct {
	question, answer string
	contexts         []string
	known            map[string]bool // stems of the contexts: true, and of the question only: false
	english          bool
	alone            bool // nothing else is claimed

	found   []Claim
	skipped []Skipped // what remains
}

// find sets the assertions found and the remaining skipped text. alone selects
// the rules for an answer without claims.
func (a *assertions) find(ctx context.Context, e Extraction, alone bool) error {
	a.alone, a.found, a.skipped = alone, nil, nil
	leads := make(map[string]bool) // judged with the fragments that depend on them
	for _, c := range e.Claims {
		leads[c.Lead] = true
	}
	leading := len(e.Claims) > 0 || e.Reason() == reasonRefusal
	for i, s := range e.Skipped {
		if i%ctxCheckInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		leading = leading && s.Kind == Reasoning && (len(e.Claims) == 0 || e.Claims[0].Position() > s.Start)
		if lead := leadText(s.Text, s.Kind); leading || s.Kind == Unstated || lead != "" && leads[lead] {
			a.skipped = append(a.skipped, s)
			continue
		}
		if err := a.examine(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// examine splits s into its assertions and the text around them.
func (a *assertions) examine(ctx context.Context, s Skipped) error {
	points := codePoints{text: s.Text}
	skip := func(from, to int) {
		text := strings.TrimSpace(s.Text[from:to])
		if !hasAlphanumeric(text) && to-from < len(s.Text) {
			return
		}
		from += strings.Index(s.Text[from:to], text)
		start := s.Start + points.count(from)
		a.skipped = append(a.skipped, Skipped{Kind: s.Kind, Text: text, Start: start, End: s.Start + points.count(from+len(text))})
	}
	at := 0
	for i, p := range splitSkipped(s.Text, s.Kind) {
		if i%ctxCheckInterval == ctxCheckInterval-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		text := stripMarkdown(newView(p.text).text)
		if !hasAlphanumeric(text) {
			text = p.text
		}
		if !a.asserts(text, p, s.Kind) {
			continue
		}
		skip(at, p.start)
		start := s.Start + points.count(p.start)
		a.found = append(a.found, Claim{Text: text, Start: start, End: s.Start + points.count(p.end)})
		at = p.end
	}
	if at < len(s.Text) {
		skip(at, len(s.Text))
	}
	return nil
}

// A skippedPart is a part of skipped text that may be a statement: a sentence, a line
// or a quoted string.
type skippedPart struct {
	text       string
	start, end int  // range in the skipped text, in bytes
	member     bool // a JSON member that is true or false
}

// splitSkipped splits skipped text at line breaks, tags, cells and quotation marks,
// and what is between them at the ends of sentences.
func splitSkipped(s string, kind Kind) []skippedPart {
	if kind != Code && kind != Reference && kind != Reasoning && kind != Heading {
		return []skippedPart{{text: s, end: len(s)}}
	}
	var all []skippedPart
	start := 0
	if strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") { // skip the language of the code
		start = strings.IndexByte(s, '\n') + 1
	}
	for start < len(s) {
		n := strings.IndexAny(s[start:], "\n\"`<>|")
		if n < 0 {
			n = len(s) - start
		}
		part, end := s[start:start+n], start+n
		if value, ok := strings.CutPrefix(s[end:], `":`); ok && hasAlphanumeric(part) {
			value = strings.TrimLeft(value, " ")
			for _, v := range [...]string{"true", "false"} {
				if strings.HasPrefix(value, v) {
					end = len(s) - len(value) + len(v)
					all = append(all, skippedPart{strings.Map(keyToWords, part) + ": " + v, start, end, true})
				}
			}
		}
		if len(all) > 0 && all[len(all)-1].end == end {
			start = end
			continue
		}
		sentences := []segment.Span{{Start: 0, End: len(part)}}
		if strings.ContainsAny(part, ".?!") || !isASCII(part) {
			sentences = segment.Sentences(part, "x-claims")
		}
		for _, sentence := range sentences {
			from, to := start+sentence.Start, start+sentence.End
			text := s[from:to]
			trimmed := strings.TrimLeft(trimListMarker(text), "#/*-=>[](){},:;. \t")
			if hasAlphanumeric(trimmed) {
				from += len(text) - len(trimmed)
				all = append(all, skippedPart{text: trimmed, start: from, end: to})
			}
		}
		start = end + 1
	}
	return all
}

// asserts reports whether a part of skipped text, without markup, says
// something that the question and the contexts do not.
func (a *assertions) asserts(text string, p skippedPart, kind Kind) bool {
	if len(text) > 4*maxSentenceBytes {
		return true
	}
	if isURL(text) || strings.IndexByte(text, ' ') < 0 && isASCII(text) && !a.alone {
		return false
	}
	a.learn()
	if a.alone {
		return a.answers(text, kind)
	}
	if !a.lacks(text) {
		return false
	}
	if p.member {
		return a.measure(text[:strings.LastIndexByte(text, ':')]).isAbout()
	}
	text, _ = trimLeadingFrame(text)
	w := normalize(text)
	opened := w.trimOpening()
	rest, offer := opened.cutPhrase(closing)
	switch {
	case kind == Greeting || kind == Disclaimer || kind == Question && offer: // without the offer, if any
	case kind == LeadIn:
		rest, _ = opened.cutPhrase(announcing)
	case kind == Refusal:
		rest = opened
	default:
		rest = w
	}
	if after, ok := trimWords(text, w.count()-rest.count()); ok {
		text = after
	}
	m := a.measure(text)
	switch kind {
	case Greeting, Disclaimer:
		return m.value || m.names || m.presumes
	case Question:
		return m.value || m.presumes || offer && m.names
	case Refusal:
		return m.value || m.presumes || m.excepts && m.lacking > 0
	case LeadIn:
		return m.amount || m.complete && m.lacking > 0
	case Code:
		return m.finite && m.isAbout() && !isCodeLine(text)
	case Heading, Reference, Marks, Reasoning, Unstated:
	}
	return m.amount || (m.finite || m.headline) && m.lacking > 0
}

// answers reports whether text answers the question if nothing else does.
func (a *assertions) answers(text string, kind Kind) bool {
	switch kind {
	case Code:
		return !isCodeLine(text)
	case Reasoning, Reference:
		m := a.measure(text)
		return m.amount || (m.finite || m.headline) && m.content > 0
	case Greeting, Marks:
		q := parseQuestion(english.FindQuestion(a.question))
		_, ok := english.YesOrNo(text)
		return ok && q != nil && q.Wh == "" && len(q.Subject) > 0 && !slices.Contains([]string{"you", "i", "we"}, q.Subject[0].Lower)
	case Question, Heading, LeadIn, Refusal, Disclaimer, Unstated:
	}
	return false
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

// isAbout reports whether a text says something new about a subject of the
// contexts.
func (m measure) isAbout() bool { return m.shared > 0 && m.lacking > 0 }

// measure finds the words of an English text by lists and endings: whatever is not a
// function word is content, and a past form is a verb.
func (a *assertions) measure(text string) measure {
	if !a.english {
		return a.measureWords(text)
	}
	if isTitleCase(text) && !strings.HasSuffix(text, ".") {
		text = strings.ToLower(text)
	}
	var m measure
	all := slices.DeleteFunc(english.Split(text), func(w english.Word) bool { return !hasAlphanumeric(w.Lower) })
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
			about, _ := a.knows(before)
			m.headline = m.headline || about && !isFunctionWord(before) && !isConversational(before)
		}
		number := unicode.IsNumber(firstRune(strings.TrimLeft(low, "$€£")))
		if isFunctionWord(low) || isConversational(low) || number && (isTextNoun(before) || isTextNoun(after)) {
			continue
		}
		m.content++
		inContexts, known := a.knows(low)
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

// isCodeLine reports whether a line of a code block is code, as opposed to prose.
func isCodeLine(line string) bool {
	return segment.IsCode("    "+line) || strings.ContainsAny(line, "{}=;_\\") || strings.Contains(line, " -")
}

// measureWords measures a text in a language other than English. Its grammar is
// unknown, so only a full stop and words of the contexts indicate a statement.
func (a *assertions) measureWords(text string) measure {
	const minLetters = 4
	var m measure
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
		inContexts, known := a.knows(word)
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
func (a *assertions) lacks(text string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
		if _, known := a.known[stem(word)]; !known && !isConversational(word) {
			return true
		}
	}
	return false
}

// knows reports whether a word is in the contexts, and whether it is there or
// in the question.
func (a *assertions) knows(word string) (inContexts, known bool) {
	inContexts, known = a.known[stem(strings.TrimSuffix(strings.TrimLeft(word, "$€£"), "'s"))]
	return inContexts, known
}

// learn collects the words of the question and the contexts.
func (a *assertions) learn() {
	if a.known != nil {
		return
	}
	a.known = make(map[string]bool)
	for word := range strings.FieldsFuncSeq(a.question, isSeparator) {
		a.known[stem(strings.ToLower(word))] = false
	}
	for _, text := range a.contexts {
		for word := range strings.FieldsFuncSeq(text, isSeparator) {
			a.known[stem(strings.ToLower(word))] = true
		}
	}
	a.english = segment.Language(a.answer, "") == "en"
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
	return conversation()[stem(low)] || namesAnswer(low) || isAboutAnswer(low) || isGenericWord(low) || endsLeadIn(low) || slices.Contains(contextNouns, low) || slices.Contains(reportNouns, low) || isAnsweringWord(low)
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
