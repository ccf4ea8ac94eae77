package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// A boundaryKind classifies the text after a boundary between clauses.
type boundaryKind uint8

const (
	noBoundary boundaryKind = iota
	mainClause
	relativeClause
	apposition // possibly
	parenthesis
)

// clauseBoundary classifies the boundary at byte i and returns the offset of
// the text after it.
func clauseBoundary(text string, i int) (kind boundaryKind, next int) {
	rest := text[i:]
	switch {
	case rest[0] == '(':
		return parenthesis, i + 1
	case rest[0] == ';':
		return mainClause, i + 1
	case strings.HasPrefix(rest, "—"), strings.HasPrefix(rest, "–"):
		return dashBoundary(text, i+len("—"))
	case strings.HasPrefix(rest, " - "), strings.HasPrefix(rest, " -- "):
		return dashBoundary(text, i+strings.LastIndex(rest[:min(4, len(rest))], "-")+1)
	case rest[0] == ' ':
		switch first, _, _ := strings.Cut(rest[1:], " "); first {
		case "but", "although", "though", "whereas", "while", "because":
			return mainClause, i
		case "which":
			if !strings.HasSuffix(text[:i], ",") && startsWithVerb(rest[len(" which"):]) {
				return relativeClause, i + 1
			}
		}
		return noBoundary, 0
	case !strings.HasPrefix(rest, ", "):
		return noBoundary, 0
	}
	first, _, _ := strings.Cut(rest[2:], " ")
	switch low := english.Normalize(first); low {
	case "which", "who", "whose", "where":
		return relativeClause, i + 2
	case "but", "however", "although", "though", "while", "whereas", "yet", "because", "since", "even", "so":
		return mainClause, i + 1
	default:
		if aside, _, closed := strings.Cut(rest[2:], ","); isApposition(aside) && (closed || !english.StartsUpper(aside) || i+2+len(aside) == len(text)) {
			return apposition, i + 2
		}
		var buf [2 * maxSentenceBytes]byte
		if w := normalize(buf[:0], rest[2:min(len(rest), maxSentenceBytes)]); english.IsSubjectPronoun(low) || low == "and" || w.trimOpening().refuses(0) {
			return mainClause, i + 1
		}
	}
	return noBoundary, 0
}

// dashBoundary classifies the boundary formed by a dash that ends at byte next.
func dashBoundary(text string, next int) (kind boundaryKind, at int) {
	for next < len(text) && (text[next] == ' ' || text[next] == '-') {
		next++
	}
	if isApposition(text[next:]) {
		return apposition, next
	}
	return mainClause, next
}

// startsWithVerb reports whether text, which follows "which", starts with a
// verb.
func startsWithVerb(text string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " "), " ")
	low := english.Normalize(first)
	return english.IsAuxiliary(low) || english.IsVerb(low, english.ThirdPerson|english.PastForm)
}

// isValue reports whether text is a number with its unit, other than a year or
// a reference.
func isValue(text string) bool {
	w := english.Split(text)
	if len(w) == 0 || len(w) > 4 {
		return false
	}
	if len(w) == 1 && len(w[0].Lower) == 4 && english.IsNumeral(w[0].Lower) && w[0].Lower[0] != '$' {
		return false
	}
	return english.IsNumeral(w[0].Lower) || strings.HasSuffix(w[len(w)-1].Lower, "%")
}

// isApposition reports whether text consists of a name or a value.
func isApposition(text string) bool {
	if isValue(text) {
		return true
	}
	w := english.Split(text)
	if len(w) == 0 || len(w) > 5 || !english.StartsUpper(w[0].Text) {
		return false
	}
	return !slices.ContainsFunc(w, func(x english.Word) bool {
		return !english.StartsUpper(x.Text) && x.Lower != "of" && x.Lower != "the" && x.Lower != "&"
	})
}

// antecedent returns the noun phrase at the end of text, such as "the price" in
// "The documents do not mention the price". It returns "" if the phrase has no
// determiner.
func antecedent(text string) string {
	w := english.Split(text)
	const maxPhraseWords = 8
	for i := len(w) - 2; i >= max(0, len(w)-maxPhraseWords); i-- {
		if low := w[i].Lower; english.IsDeterminer(low) && low != "any" && low != "no" && (i == 0 || w[i-1].Lower != "of") && (w[i].Text == low || i == 0) && low != "that" {
			w[i] = english.LowerFirst(w[i])
			return strings.TrimRight(stripMarkdown(english.Join(w[i:])), ",;: ")
		}
	}
	return ""
}

// skipConjunction returns the offset of the first word at or after i that is
// not a conjunction.
func skipConjunction(text string, i int) int {
	for {
		for i < len(text) && (text[i] == ' ' || text[i] == ',') {
			i++
		}
		n := strings.IndexAny(text[i:], " ,")
		if n < 0 {
			return i
		}
		switch strings.ToLower(text[i : i+n]) {
		case "but", "however", "although", "though", "while", "whereas", "yet", "because", "since", "even", "so", "and":
			i += n
		default:
			return i
		}
	}
}

// completeClause combines a clause with its antecedent into a statement: "The
// price is $500." for both "which is $500" and "$500". It returns "" unless
// lead starts with a determiner, as results of [antecedent] do.
func completeClause(lead, text string) string {
	first, _, _ := strings.Cut(lead, " ")
	if !english.IsDeterminer(first) {
		return ""
	}
	text = strings.TrimRight(text, ".!; ")
	pronoun, rest, _ := strings.Cut(text, " ")
	var statement string
	switch strings.ToLower(pronoun) {
	case "which", "who", "it", "they":
		statement = lead + " " + rest
	case "whose":
		statement = lead + "'s " + rest
	case "where":
		statement = rest + " in " + lead
	default:
		verb := " is "
		if strings.HasSuffix(lead, "s") && !strings.HasSuffix(lead, "ss") {
			verb = " are "
		}
		switch {
		case english.IsParticiple(pronoun) && strings.Contains(text, " "):
			verb = strings.Replace(strings.Replace(verb, "is", "was", 1), "are", "were", 1)
		case !isApposition(text), !isValue(text) && english.StartsUpper(lead[strings.LastIndexByte(lead, ' ')+1:]): // "for BNP (B-type …)"
			return ""
		}
		statement = lead + verb + text
	}
	return english.Capitalize(statement) + "."
}
