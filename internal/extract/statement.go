package extract

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// maxShortAnswers limits the number of short answers that are turned into sentences.
const maxShortAnswers = 16

// Statements returns [Claim.Statement] for each claim. claims must be consecutive sentences of an
// answer to question. The result depends only on the arguments, so that stored results can be
// verified. A claim gets the same statement alone and among others, except that a fragment followed
// by a full sentence is judged unchanged.
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

//nolint:gochecknoglobals // compiled once, never changed
var optionMarker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s(])([A-Ha-h])[).:]\s+`) })

// choice returns the stem of a multiple-choice question and the text of the option that an
// answer such as "B" or "The answer is B" names: "Which city" and "Paris" for "Which city?
// A) Rome B) Paris". It returns "" if the question has no such option.
func choice(question, answer string) (stem, option string) {
	const maxAnswer = 40 // bytes of "The correct answer is B"
	if answer = strings.Trim(answer, "*(). "); len(answer) > maxAnswer {
		return "", ""
	}
	if at := strings.LastIndexByte(answer, ' '); at > 0 && isAnswerLabel(strings.Replace(strings.ToLower(answer[:at]), "option", "answer", 1)) {
		answer = strings.TrimLeft(answer[at:], "*( ")
	}
	if len(answer) != 1 {
		return "", ""
	}
	markers := optionMarker().FindAllStringSubmatchIndex(question, -1)
	for i, m := range markers {
		switch letter := question[m[4]:m[5]]; {
		case !strings.EqualFold(letter, string(rune('A'+i))):
			return "", ""
		case strings.EqualFold(letter, answer):
			end := len(question)
			if i+1 < len(markers) {
				end = markers[i+1][0]
			}
			option, _, _ = strings.Cut(question[m[1]:end], "\n")
		}
	}
	option = strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(option), " or"), ",;.? ")
	if option == "" || len(markers) < 2 {
		return "", ""
	}
	return strings.TrimRight(question[:markers[0][0]], ",:?\n "), option
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
