package llm

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	firstWords = 8 // of a reply, among which the one that decides must stand
	quoteWords = 2 // of a quotation that may be the answer itself
	echoWords  = 3 // from which on words that the prompt has too are an echo of it

	quotationMarks = "\"'‘’ʼ‚‛“”„‟«»‹›「」『』"
)

// What a word of a reply says.
type saying uint8

const (
	yes     saying = 1 << iota
	no             // which does not tell a contradiction from what is not mentioned
	against        // contradicted
	absent         // not mentioned
)

// A spoken word, in lower case.
type spoken struct {
	text string
	at   int  // its first byte
	mark rune // the first sign after it but a space, a hyphen or a low line; 0 for none
}

// readWord reads a reply to the question whether the chunks support a claim. told
// are the texts that the prompt holds. What decides is a word among the first few
// that says so outright, in whatever case and punctuation. A reply is refused, and
// the error says why, where there is none, where two of them disagree, where a
// negation or a hedge takes one back, and where it stands in words that only repeat
// the prompt.
func readWord(reply string, told []string, style Style) (*answer, error) {
	text, err := ownWords(reply)
	if err != nil {
		return nil, err
	}
	said, words, at, outright := heard(spokenIn(text))
	switch {
	case said == 0:
		return nil, errors.New("none of its first words is yes, no or a verdict")
	case !outright || said&yes != 0 && said != yes || said&against != 0 && said&absent != 0:
		return nil, errors.New("its first words are no clear yes or no")
	case repeats(text, told) || repeats(text[at:], told):
		return nil, errors.New("it only repeats the prompt")
	}
	a := &answer{label: verdict.NotMentioned}
	switch {
	case said&yes != 0:
		a.label = verdict.Supported
	case said&against != 0 && style != Ragas:
		a.label = verdict.Contradicted
	}
	a.reason = "one-word reply: " + words
	return a, nil
}

// heard is all that the first words say, the words that say the most definite of
// it, the place of the first that says anything, and whether it is said outright.
func heard(list []spoken) (said saying, words string, at int, outright bool) {
	outright = true
	negated, hedged := false, false
	hear := func(s saying, w spoken, as string, last rune) {
		if said == 0 {
			at = w.at
		}
		if s > said {
			words = as
		}
		said |= s
		if negated || hedged || last == '?' {
			outright = false
		}
	}
	list = list[:min(len(list), firstWords)]
	for i := 0; i < len(list); i++ {
		w, next := list[i], spoken{}
		if i+1 < len(list) {
			next = list[i+1]
		}
		switch {
		case w.text == "yes" || w.text == "supported" || w.text == "true":
			hear(yes, w, w.text, w.mark)
		case w.text == "unsupported" || w.text == "false":
			hear(no, w, w.text, w.mark)
		case w.text == "contradicted":
			hear(against, w, w.text, w.mark)
		case w.text == "no" && (w.mark != 0 || next.text == "" || slices.Contains(afterNo(), next.text)):
			hear(no, w, w.text, w.mark)
		case isNegation(w.text) && w.mark == 0 && next.text == "mentioned":
			hear(absent, w, w.text+" mentioned", next.mark)
			i++
		case isNegation(w.text) && w.mark == 0 && (next.text == "supported" || next.text == "true"):
			hear(no, w, w.text+" "+next.text, next.mark)
			i++
		case w.text == "no" || isNegation(w.text):
			negated = true
		case slices.Contains(hedges(), w.text):
			hedged = true
		}
	}
	if said == yes && (negated || hedged) { // behind it too: "true, but not of all"
		outright = false
	}
	return said, words, at, outright
}

// afterNo lists what may follow a "no" that is an answer, without a mark between
// them. Before anything else ("no doubt", "no contradiction") it is a part of what
// is said.
func afterNo() []string {
	return []string{"the", "this", "that", "it", "they", "there", "mention", "evidence", "support", "information", "source", "sources", "chunk", "chunks"}
}

func isNegation(w string) bool {
	switch w {
	case "not", "cannot", "never", "neither", "nor", "nothing", "none", "without", "hardly":
		return true
	}
	return strings.HasSuffix(w, "n't")
}

// hedges lists what makes less of a yes, or of anything that follows.
func hedges() []string {
	return []string{
		"or", "if", "whether", "unless", "but", "except", "only", "partly", "partially", "almost", "nearly", "mostly", "somewhat",
		"maybe", "perhaps", "possibly", "probably", "likely", "may", "might", "could", "would", "unsure", "unclear", "unknown",
	}
}

// spokenIn lists the words of a text, which has no quotation marks but apostrophes.
func spokenIn(text string) []spoken {
	var list []spoken
	from := -1
	end := func(i int) {
		if from >= 0 {
			list = append(list, spoken{text: strings.ToLower(text[from:i]), at: from})
		}
		from = -1
	}
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || r == '\'' {
			if from < 0 {
				from = i
			}
			continue
		}
		end(i)
		if n := len(list); n > 0 && list[n-1].mark == 0 && r != ' ' && r != '_' && r != '-' {
			list[n-1].mark = r
		}
	}
	end(len(text))
	return list
}

// ownWords is a reply without what is not the model's own answer: its reasoning,
// JSON after the first words, and quotations, which may be of the texts. Of a reply
// that is one JSON object with one member it is the member's value.
func ownWords(reply string) (string, error) {
	text, ok := llm.Answer(reply)
	if !ok {
		return "", errors.New("it ends while the model still reasons")
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("it is empty")
	}
	i := strings.IndexAny(text, "{[")
	if i < 0 {
		return unquoted(text), nil
	}
	if strings.Trim(text[:i], "`json \r\n") == "" {
		value, err := onlyMember(text[i:])
		return unquoted(value), err
	}
	return unquoted(text[:i]), nil
}

// onlyMember is the value, a text or a truth, of the one member of an object that
// is all there is but the end of a code fence.
func onlyMember(text string) (string, error) {
	var members map[string]any
	if err := json.Unmarshal([]byte(strings.TrimRight(text, "` \r\n")), &members); err == nil && len(members) == 1 {
		for _, v := range members {
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

// unquoted is a text without its quotations, those that were cut off too. One of a
// word or two stays, as it may be the answer itself. An apostrophe in a word is
// written ' in all cases.
func unquoted(text string) string {
	runes := []rune(text)
	inWord := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsLetter(runes[i]) }
	for i, r := range runes {
		switch {
		case !strings.ContainsRune(quotationMarks, r):
		case strings.ContainsRune("'‘’ʼ", r) && inWord(i-1) && inWord(i+1):
			runes[i] = '\''
		default:
			runes[i] = '"'
		}
	}
	parts := strings.Split(string(runes), `"`)
	for i := range parts {
		if i%2 == 1 && (i == len(parts)-1 || len(strings.Fields(parts[i])) > quoteWords) {
			parts[i] = ""
		}
	}
	return strings.Join(parts, `"`)
}

// repeats says that a text of several words stands in one of the texts told.
func repeats(text string, told []string) bool {
	flat, _ := flatten(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }))
	if len(strings.Fields(flat)) < echoWords {
		return false
	}
	return slices.ContainsFunc(told, func(t string) bool {
		whole, _ := flatten(t)
		return strings.Contains(whole, flat)
	})
}
