package llm

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	wordTokens = 16 // output tokens for a word and some surrounding text
	firstWords = 8  // words after the answer that must not change its meaning
	echoWords  = 3  // minimum words of text that counts as an echo of the prompt
)

var (
	// wordAnswer matches the answer at the start of a reply: quotation mark, answer, rest.
	wordAnswer = regexp.MustCompile("(?is)^[\\s*_`(-]*(?:(?:(?:the|this)\\s+)?(?:claim|statement|answer|verdict)(?:\\s+is)?[\\s:=*_`]+)?" +
		`(["'“‘„«]?)(yes|supported|true|no|unsupported|false|contradicted|not[ _-](?:supported|mentioned|true))\b(.*)$`)
	// afterAnswer matches what may follow the answer.
	afterAnswer = regexp.MustCompile("^[\"'”’»*_`)\\]]*(?:\\s*$|\\s*[.,;:!–—]|\\s*\n|\\s+-\\s)")
	endOfQuote  = regexp.MustCompile(`^[.!]?["'”’“»]`)
	negated     = regexp.MustCompile(`(?i)\b(?:not|never|\w+n['’]t)\s+(?:\w+\s+)?(?:supported|true)\b`)
	unclearNo   = regexp.MustCompile(`(?i)\b(?:or|yes|supported|true|not\s+contradicted)\b|\?`)
	unclearYes  = regexp.MustCompile(`(?i)\b(?:or|if|whether|unless|but|except|only|part\w*|almost|nearly|mostly|somewhat|maybe|perhaps|possibly|probably` +
		`|likely|may|might|could|would|unsure|unclear|unknown|no|not|never|nothing|none|without|neither|nor|hardly|cannot|contradict\w*|unsupported|false)\b|n['’]t|\?`)
)

// readWord parses a reply to the question whether the chunks support a claim.
// prompted contains the texts in the prompt. The reply must start with a clear
// answer. readWord returns an error if it does not, if the next words deny or
// qualify the answer, or if the reply only echoes the prompt.
func readWord(reply string, prompted []string, style Style) (*answer, error) {
	text, err := ownText(reply)
	if err != nil {
		return nil, err
	}
	m := wordAnswer.FindStringSubmatch(text)
	if m == nil || !afterAnswer.MatchString(m[3]) || m[1] != "" && !endOfQuote.MatchString(m[3]) {
		return nil, errors.New("it does not start with yes, no or a verdict")
	}
	word := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(m[2]))
	next := strings.Fields(m[3])
	rest := strings.Join(next[:min(len(next), firstWords)], " ")
	a := &answer{label: verdict.NotMentioned, reason: "one-word reply: " + word}
	unclear := unclearNo.MatchString(negated.ReplaceAllString(rest, ""))
	switch word {
	case "yes", "supported", "true":
		a.label, unclear = verdict.Supported, unclearYes.MatchString(rest)
	case "contradicted":
		unclear = unclear || strings.Contains(rest, "mentioned")
		if style != Ragas {
			a.label = verdict.Contradicted
		}
	}
	switch {
	case unclear:
		return nil, errors.New("its first words are not a clear yes or no")
	case repeats(text, prompted):
		return nil, errors.New("it only repeats the prompt")
	}
	return a, nil
}

// ownText returns a reply without reasoning, or the value if it is a JSON object with a
// single member.
func ownText(reply string) (string, error) {
	text, ok := llm.Answer(reply)
	if !ok {
		return "", errors.New("it ends while the model still reasons")
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", errors.New("it is empty")
	}
	if i := strings.IndexByte(text, '{'); i >= 0 && strings.Trim(text[:i], "`json \r\n") == "" {
		return onlyMember(text[i:])
	}
	return text, nil
}

// deniesSupport matches names of members in which "yes" means that a claim is not supported.
var deniesSupport = regexp.MustCompile(`(?i)^(un|not|non|no_)|contra|halluc|refut|false|wrong|incorrect|error|missing|invent|fabricat`)

// onlyMember returns the string or boolean in a JSON object with one member,
// which may be followed by the end of a code fence. The value of a member whose name may
// turn its meaning around is no answer.
func onlyMember(text string) (string, error) {
	var members map[string]any
	if err := json.Unmarshal([]byte(strings.TrimRight(text, "` \r\n")), &members); err == nil && len(members) == 1 {
		for name, v := range members {
			if deniesSupport.MatchString(name) {
				break
			}
			switch v := v.(type) {
			case string:
				return v, nil
			case bool:
				return strconv.FormatBool(v), nil
			}
		}
	}
	return "", errors.New("it is JSON with no single word in it")
}

// repeats reports whether text has several words and occurs in one of the
// prompted texts.
func repeats(text string, prompted []string) bool {
	flat, _ := flatten(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }))
	if len(strings.Fields(flat)) < echoWords {
		return false
	}
	return slices.ContainsFunc(prompted, func(t string) bool {
		source, _ := flatten(t)
		return strings.Contains(source, flat)
	})
}
