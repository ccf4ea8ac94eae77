package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	wordTokens = 16 // output tokens for a word and some surrounding text

	maxWords   = 8 // number of words at the start of a reply that may contain the answer
	quoteWords = 2 // maximum words of a quotation that may be the answer
	echoWords  = 3 // minimum words of text that counts as an echo of the prompt

	quotationMarks = "\"'‘’ʼ‚‛“”„‟«»‹›「」『』"
)

// askForWords requests a single word for each of claims after all other
// attempts failed with reason. Small models that can't write JSON can still
// answer yes or no.
func (r *rowJudge) askForWords(ctx context.Context, pieces []piece, claims []int, reason error) error {
	return llm.ForEach(slices.Values(indexes(len(claims))), func(i int) error {
		err := r.askClaim(ctx, wordLayout(r.judge.opts.Style), pieces, claims[i])
		_, unreadable := errors.AsType[*llm.ParseError](err)
		_, truncated := errors.AsType[*llm.LengthError](err)
		switch {
		case unreadable || truncated:
			return fmt.Errorf("%s: no verdict: %w; and asked for one word: %w", r.claimIDs(claims[i:]), reason, err)
		case err == nil:
			r.mark(verdict.MarkOneWord)
		}
		return err
	})
}

// wordLayout returns the layout of a request for a single word, which is sent once.
func wordLayout(style Style) *layout {
	return &layout{
		prompt: prompt.JudgeWord, maxTokens: wordTokens, attempts: 1, span: answerSpan, words: defaultWords(),
		read: func(reply string, prompted []string) (*answer, error) { return readWord(reply, prompted, style) },
	}
}

// A meaning is a set of possible answers expressed by words in a reply.
type meaning uint8

// More specific meanings have larger values.
const (
	yes meaning = 1 << iota
	no          // contradicted or not mentioned
	contradicted
	notMentioned
)

// A word is a word in a reply, in lower case.
type word struct {
	text  string
	start int  // offset in bytes
	mark  rune // first following character other than space, hyphen and underscore, or 0
}

// readWord parses a reply to the question whether the chunks support a claim.
// prompted contains the texts in the prompt. One of the first words must be a
// clear answer, in any case and punctuation. readWord returns an error if there
// is no answer, if two answers conflict, if a negation or hedge applies, or if
// the reply only echoes the prompt.
func readWord(reply string, prompted []string, style Style) (*answer, error) {
	text, err := ownText(reply)
	if err != nil {
		return nil, err
	}
	m, words, start, clear := interpret(splitWords(text))
	switch {
	case m == 0:
		return nil, errors.New("none of its first words is yes, no or a verdict")
	case !clear || m&yes != 0 && m != yes || m&contradicted != 0 && m&notMentioned != 0:
		return nil, errors.New("its first words are not a clear yes or no")
	case repeats(text, prompted) || repeats(text[start:], prompted):
		return nil, errors.New("it only repeats the prompt")
	}
	a := &answer{label: verdict.NotMentioned, reason: "one-word reply: " + words}
	switch {
	case m&yes != 0:
		a.label = verdict.Supported
	case m&contradicted != 0 && style != Ragas:
		a.label = verdict.Contradicted
	}
	return a, nil
}

// interpret returns the combined meaning of the first words, the words with the
// most specific one, the offset of the first word with a meaning, and whether
// the answer is unambiguous.
func interpret(list []word) (m meaning, words string, start int, clear bool) {
	clear = true
	negated, hedged := false, false
	found := func(is meaning, w word, text string, mark rune) {
		if m == 0 {
			start = w.start
		}
		if is > m {
			words = text
		}
		m |= is
		if negated || hedged || mark == '?' {
			clear = false
		}
	}
	list = list[:min(len(list), maxWords)]
	for i := 0; i < len(list); i++ {
		w, next := list[i], word{}
		if i+1 < len(list) {
			next = list[i+1]
		}
		switch {
		case w.text == "yes" || w.text == "supported" || w.text == "true":
			found(yes, w, w.text, w.mark)
		case w.text == "unsupported" || w.text == "false":
			found(no, w, w.text, w.mark)
		case w.text == "contradicted":
			found(contradicted, w, w.text, w.mark)
		case w.text == "no" && (w.mark != 0 || next.text == "" || slices.Contains(afterNo(), next.text)):
			found(no, w, w.text, w.mark)
		case isNegation(w.text) && w.mark == 0 && next.text == "mentioned":
			found(notMentioned, w, w.text+" mentioned", next.mark)
			i++
		case isNegation(w.text) && w.mark == 0 && (next.text == "supported" || next.text == "true"):
			found(no, w, w.text+" "+next.text, next.mark)
			i++
		case w.text == "no" || isNegation(w.text):
			negated = true
		case slices.Contains(hedges(), w.text):
			hedged = true
		}
	}
	if m == yes && (negated || hedged) { // also if it follows, as in "true, but not of all"
		clear = false
	}
	return m, words, start, clear
}

// afterNo returns the words that may follow a "no" that is an answer. In front
// of other words, as in "no doubt", it is not one.
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

// hedges returns words that qualify an answer.
func hedges() []string {
	return []string{
		"or", "if", "whether", "unless", "but", "except", "only", "partly", "partially", "almost", "nearly", "mostly", "somewhat",
		"maybe", "perhaps", "possibly", "probably", "likely", "may", "might", "could", "would", "unsure", "unclear", "unknown",
	}
}

// splitWords splits text into words. Its only quotation marks must be
// apostrophes.
func splitWords(text string) []word {
	var list []word
	start := -1
	end := func(i int) {
		if start >= 0 {
			list = append(list, word{text: strings.ToLower(text[start:i]), start: start})
		}
		start = -1
	}
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || r == '\'' {
			if start < 0 {
				start = i
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

// ownText removes reasoning, JSON after the first words, and quotations, which
// may come from the prompt. If the reply is a JSON object with a single member,
// ownText returns its value.
func ownText(reply string) (string, error) {
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
		return removeQuotations(text), nil
	}
	if strings.Trim(text[:i], "`json \r\n") == "" {
		value, err := onlyMember(text[i:])
		return removeQuotations(value), err
	}
	return removeQuotations(text[:i]), nil
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

// removeQuotations removes quotations, including an unclosed one, except those
// of one or two words, which may be the answer itself. It normalizes
// apostrophes within words.
func removeQuotations(text string) string {
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
