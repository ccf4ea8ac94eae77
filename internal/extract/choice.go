package extract

import (
	"regexp"
	"strings"
	"sync"
)

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
