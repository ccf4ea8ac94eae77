package extract

import (
	"context"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/segment"
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
	if e.Whole && len(e.Claims) == 1 { // include the assertions in the only claim
		whole := e.Claims[0]
		whole.Start, whole.End = min(whole.Start, a.found[0].Start), max(whole.End, a.found[len(a.found)-1].End)
		whole.Text, whole.Statement = string([]rune(answer)[whole.Start:whole.End]), ""
		e.Claims = []Claim{whole}
		e.Skipped = slices.DeleteFunc(slices.Clone(e.Skipped), func(s Skipped) bool { return s.Start < whole.End && s.End > whole.Start })
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

// assertions looks for assertions in the skipped text of an answer.
type assertions struct {
	*vocabulary // nil until needed

	question, answer string
	contexts         []string
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
		if !HasWords(text) && to-from < len(s.Text) {
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
		if !HasWords(text) {
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
		if value, ok := strings.CutPrefix(s[end:], `":`); ok && HasWords(part) {
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
		if strings.ContainsAny(part, ".?!") || !IsASCII(part) {
			sentences = segment.Sentences(part, "x-claims")
		}
		for _, sentence := range sentences {
			from, to := start+sentence.Start, start+sentence.End
			text := s[from:to]
			trimmed := strings.TrimLeft(trimListMarker(text), "#/*-=>[](){},:;. \t")
			if HasWords(trimmed) {
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
	if !a.alone && (isURL(text) || strings.IndexByte(text, ' ') < 0 && IsASCII(text)) {
		return false
	}
	if a.vocabulary == nil {
		a.vocabulary = newVocabulary(a.question, a.answer, a.contexts)
	}
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
		return isURL(text) || m.amount || (m.finite || m.headline) && m.content > 0
	case Greeting, Marks:
		q := parseQuestion(english.FindQuestion(a.question))
		_, ok := english.YesOrNo(text)
		return ok && q != nil && q.Wh == "" && len(q.Subject) > 0 && !slices.Contains([]string{"you", "i", "we"}, q.Subject[0].Lower)
	case Question, Heading, LeadIn, Refusal, Disclaimer, Unstated:
	}
	return false
}

// isCodeLine reports whether a line of a code block is code, as opposed to prose.
func isCodeLine(line string) bool {
	return segment.IsCode("    "+line) || strings.ContainsAny(line, "{}=;_\\") || strings.Contains(line, " -")
}
