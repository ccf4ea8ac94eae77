package extract

import (
	"cmp"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// maxShortAnswers limits the short answers that are completed by their question.
const maxShortAnswers = 16

// JudgedAs returns [Claim.As] for each of claims, which must be consecutive
// sentences of an answer to question. The result depends only on its arguments,
// so stored results can be verified. It is the same for a claim alone and among
// others, except that a fragment among sentences is judged by its own words.
func JudgedAs(question string, claims []Claim) []string {
	all := make([]string, len(claims))
	for i := range claims {
		switch c := &claims[i]; {
		case c.Lead != "":
			all[i] = completeClause(c.Lead, c.Text)
		case mayHaveFrame(c.Text):
			if text, ok := trimFrames(c.Text); ok {
				all[i] = text
			}
		}
	}
	text := func(i int) string { return cmp.Or(all[i], claims[i].Text) }
	if strings.TrimSpace(question) == "" {
		return all
	}
	n := 0
	for n < min(len(claims), maxShortAnswers) && claims[n].Lead == "" && english.IsShortAnswer(text(n)) {
		n++
	}
	if n < len(claims) {
		n = min(n, 1) // a fragment among sentences belongs to them
	}
	if n == 0 {
		return all
	}
	asked := english.FindQuestion(question)
	if asked == "" {
		return all
	}
	q := parseAsked(asked)
	for i := range n {
		if s := english.Statement(asked, q, text(i)); s != "" {
			all[i] = s
		}
	}
	return all
}

// parseAsked parses a question. A prefix that only names the source is dropped.
func parseAsked(asked string) *english.Question {
	q := english.ParseQuestion(asked)
	if q != nil && len(q.Before) > 0 && isSourcePrefix(q.Before) {
		q.Before = nil
	}
	return q
}

// isSourcePrefix reports whether w attributes a question to its source, as
// "according to the passage" does.
func isSourcePrefix(w []english.Word) bool {
	if w[0].Lower == "according" || w[0].Lower == "based" {
		return true
	}
	plain, _ := normalize(nil, english.Join(w))
	_, ok := plain.cutAttribution()
	return ok
}
