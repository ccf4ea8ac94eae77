package extract

import (
	"cmp"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// maxShortAnswers limits the number of short answers that are turned into
// sentences.
const maxShortAnswers = 16

// Statements returns [Claim.Statement] for each claim. claims must be
// consecutive sentences of an answer to question. The result depends only on
// the arguments, so that stored results can be verified. A claim gets the same
// statement alone and among others, except that a fragment followed by a full
// sentence is judged unchanged.
func Statements(question string, claims []Claim) []string {
	all := make([]string, len(claims))
	for i := range claims {
		if text, ok := trimFrames(claims[i].Text); ok && claims[i].Lead == "" {
			all[i] = text
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
		n = min(n, 1) // a fragment before a full sentence depends on it
	}
	asked := english.FindQuestion(question)
	if n < 2 && len(claims) > 0 && claims[0].Lead == "" {
		if stem, option := choice(question, text(0)); option != "" {
			n, asked, all[0] = 1, english.FindQuestion(stem+"?"), option
		}
	}
	if n == 0 || asked == "" {
		return all
	}
	q := parseQuestion(asked)
	for i := range n {
		if s := english.Statement(asked, q, text(i)); s != "" {
			all[i] = s
		}
	}
	return all
}

// isClause reports whether text, which may be a title in any case, has a finite
// verb.
func isClause(text string) bool {
	w := english.Split(strings.ToLower(text))
	return len(w) > 2 && english.HasFiniteVerb(w)
}

// parseQuestion parses a question. It drops a prefix that only refers to the
// source, as in "according to the passage".
func parseQuestion(asked string) *english.Question {
	q := english.ParseQuestion(asked)
	if q == nil || len(q.Before) == 0 {
		return q
	}
	if _, ok := attribution(normalize(english.Join(q.Before))); ok || isOneOf(q.Before[0].Lower, "according", "based") {
		q.Before = nil
	}
	return q
}
