package extract

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// A refusalPart is a part of a sentence that contains a refusal. Offsets are in
// bytes.
type refusalPart struct {
	start, end int
	lead       string // antecedent of a relative clause or apposition
	asserts    bool   // assertion, as opposed to a refusal
}

// splitRefusal splits a sentence that both declines to answer and asserts
// something: "The documents do not mention the price, which is $500." It
// returns nil for any other sentence.
func splitRefusal(text string) []refusalPart {
	if startsWithQuote(text) {
		return nil
	}
	clauses := splitClauses(text)
	refuses := refusesBesideAsides(text, clauses)
	var parts []refusalPart
	declines, claims := refuses, false
	start := -1 // start of text that belongs to the next part, or -1
	for _, c := range clauses {
		var buf [2 * maxSentenceBytes]byte
		w := normalize(buf[:0], text[c.start:c.end])
		switch {
		case c.lead != "":
			c.asserts = true
		case refuses:
		case w.trimOpening().refuses(0):
			declines = true
		case isAssertion(text[c.start:c.end], w), w.hasDigit() && len(parts) == 0:
			c.asserts = true
		case len(parts) > 0: // a part of the clause before it
			parts[len(parts)-1].end = c.end
			continue
		default:
			start = c.start
			continue
		}
		if start >= 0 {
			c.start, start = start, -1
		}
		claims = claims || c.asserts
		if n := len(parts); n > 0 && parts[n-1].asserts == c.asserts && c.lead == "" && parts[n-1].lead == "" {
			parts[n-1].end = c.end
			continue
		}
		parts = append(parts, c)
	}
	if !declines || !claims {
		return nil
	}
	return parts
}

// refusesBesideAsides reports whether the parts without a lead form a refusal.
// Parts with a lead are asides, such as appositions.
func refusesBesideAsides(text string, parts []refusalPart) bool {
	var b strings.Builder
	asides := false
	for _, c := range parts {
		if c.lead != "" {
			asides = true
			continue
		}
		b.WriteString(text[c.start:c.end])
		b.WriteByte(' ')
	}
	if !asides {
		return false
	}
	w := normalize(nil, b.String())
	return w.trimOpening().refuses(0)
}

// mayNegate is a fast pre-check for [splitRefusal]. It reports whether text may
// contain a negation, such as "nothing", or "unable" or "know".
func mayNegate(text string) bool {
	for _, part := range [...]string{"no", "No", "n't", "n’t", "n‘t", "nʼt", "nable"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// isAssertion reports whether a clause states a fact, as opposed to describing
// what an answer would require.
func isAssertion(text string, w words) bool {
	if w.count() < 3 || !w.hasDigit() && w.contains(isAnsweringWord) {
		return false
	}
	_, offer := w.cutPhrase(closing)
	return !offer && english.HasFiniteVerb(english.Split(text))
}

// isAnsweringWord reports whether s is typical of clauses about the answer
// itself, such as "so I cannot answer the question".
func isAnsweringWord(s []byte) bool {
	switch string(s) {
	case "answer", "question", "determine", "help", "assist", "clarify", "unclear", "asked", "requested", "needed", "information", "details",
		"context", "passage", "passages", "document", "documents", "text", "provided", "mentioned":
		return true
	}
	return false
}

// splitClauses splits a sentence at punctuation and words that can separate a
// refusal from an assertion. The parts omit only conjunctions and punctuation.
func splitClauses(text string) []refusalPart {
	end := len(strings.TrimRight(text, ".!? "))
	var parts []refusalPart
	from := skipConjunction(text, 0)
	add := func(to int) {
		for to > from && text[to-1] == ' ' {
			to--
		}
		if to > from {
			parts = append(parts, refusalPart{start: from, end: to, lead: pronounLead(parts, text, from, to)})
		}
	}
	for i := from; i < end; i++ {
		switch text[i] {
		case ',', ';', ':', '(', ' ', 0xe2: // 0xe2 starts a dash
		default:
			continue
		}
		kind, next := clauseBoundary(text[:end], i)
		switch kind {
		case noBoundary:
		case parenthesis:
			last := i + strings.IndexByte(text[i:end], ')')
			inner := text[next:max(last, next)]
			lead := antecedent(text[from:i])
			if last < i || lead == "" || completeClause(lead, inner) == "" {
				continue
			}
			add(i)
			parts = append(parts, refusalPart{start: next, end: last, lead: lead})
			from, i = last+1, last
			for from < end && text[from] == ' ' {
				from++
			}
		case relativeClause, apposition:
			lead := antecedent(text[from:i])
			to := end
			if n := strings.IndexByte(text[next:end], ','); n > 0 {
				to = next + n
			}
			if lead == "" || !mayAssertAside(kind, text[next:to], text[to:end]) {
				continue
			}
			add(i)
			parts = append(parts, refusalPart{start: next, end: to, lead: lead})
			from, i = skipConjunction(text, min(to+1, end)), to
		case mainClause:
			add(i)
			from = skipConjunction(text, next)
			i = from - 1
		}
	}
	add(end)
	if len(parts) > 0 && parts[len(parts)-1].lead == "" && parts[len(parts)-1].end == end {
		parts[len(parts)-1].end = len(text)
	}
	return parts
}

// mayAssertAside reports whether aside, a relative clause or apposition, states
// a fact about its antecedent. rest is the remaining sentence.
func mayAssertAside(kind boundaryKind, aside, rest string) bool {
	if kind == apposition { // not an item of an enumeration
		return isApposition(aside) && !strings.Contains(rest, " or ") && !strings.Contains(rest, " and ")
	}
	var buf [2 * maxSentenceBytes]byte
	w := normalize(buf[:0], aside+rest)
	return w.hasDigit() || !w.contains(isAnsweringWord)
}

// pronounLead returns the antecedent of a clause such as "it is $500" that
// follows a refusal, or "".
func pronounLead(parts []refusalPart, text string, from, to int) string {
	pronoun, rest, _ := strings.Cut(strings.TrimRight(text[from:to], ".!? "), " ")
	verb, value, _ := strings.Cut(rest, " ")
	if len(parts) == 0 || !isValue(value) || !english.IsBe(verb) || pronoun != "it" && pronoun != "they" {
		return ""
	}
	last := parts[len(parts)-1]
	return antecedent(text[last.start:last.end])
}
