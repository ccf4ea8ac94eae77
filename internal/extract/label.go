package extract

import "strings"

// longestLabel bounds a label such as "To answer your question:", in bytes.
const maxLabelBytes = 32

// answerLabel is the length of a label such as "Answer:" or "TL;DR -" with the white
// space after it, 0 if s has none at its beginning or nothing behind it on its line.
func answerLabelLen(s string) int {
	near := s[:min(len(s), maxLabelBytes)]
	n, size := strings.IndexByte(near, ':'), 1
	if comma := strings.IndexByte(near, ','); comma >= 0 && n < 0 && takesComma(near[:comma]) {
		n = comma
	}
	if n < 0 {
		if n, size = labelSeparator(near); n < 0 {
			return 0
		}
	}
	if !isAnswerLabel(near[:n]) {
		return 0
	}
	rest := strings.TrimLeft(s[n+size:], "*_ \t")
	if _, tag := htmlTag(rest, 0); tag > 0 && strings.HasPrefix(rest, "</") { // "<b>Answer:</b>"
		rest = strings.TrimLeft(rest[tag:], "*_ \t")
	}
	if rest == "" || rest[0] == '\n' || rest[0] == '\r' {
		return 0
	}
	return len(s) - len(rest)
}

// isOpening knows the labels that a comma may follow.
func takesComma(s string) bool {
	switch strings.ToLower(s) {
	case "in short", "in brief", "in a nutshell", "in summary", "in conclusion", "to sum up", "to summarize", "to summarise", "to conclude":
		return true
	}
	return false
}

// labelDash finds the dash with white space around it that may end a label.
func labelSeparator(near string) (at, size int) {
	for _, dash := range [...]string{" - ", " – ", " — "} {
		if n := strings.Index(near, dash); n >= 0 {
			return n, len(dash)
		}
	}
	if n := strings.Index(near, "："); n >= 0 {
		return n, len("：")
	}
	return -1, 0
}

// hasLabel reports whether a line of s begins with a label.
func hasAnswerLabel(s string) bool {
	for {
		if answerLabelLen(strings.TrimLeft(s[:min(len(s), 2*maxLabelBytes)], " \t")) > 0 {
			return true
		}
		n := strings.IndexByte(s, '\n')
		if n < 0 {
			return false
		}
		s = s[n+1:]
	}
}

// isLabelName reports whether s only says that an answer follows, as "The short
// answer" and "In summary" do: one of its words says so, and the others are among
// those that go with it.
func isAnswerLabel(s string) bool {
	if len(s) > maxLabelBytes {
		return false
	}
	s = strings.Trim(s, " *_#:-–—：.\t")
	switch strings.ToLower(s) {
	case "a", "ans", "tl;dr", "tl ; dr", "tldr", "tl dr", "tl/dr", "in short", "in brief", "in a nutshell", "in a word", "in summary", "in conclusion", "short version", "the short version", "long story short", "here's what i found", "here is what i found", "this is what i found", "to sum up", "to summarize", "to summarise", "to conclude",
		"bottom line", "the bottom line", "antwort", "kurz gesagt", "kurzantwort", "kurze antwort", "respuesta", "respuesta corta", "en resumen", "réponse", "en bref", "en résumé", "resposta",
		"em resumo", "risposta", "in breve", "antwoord", "svar", "ответ", "答案", "回答", "答え", "الجواب", "الإجابة":
		return true
	}
	named := false
	for word := range strings.FieldsSeq(strings.ToLower(s)) {
		switch word {
		case "answer", "response", "reply", "summary", "conclusion", "tl;dr", "tldr":
			named = true
		case "the", "my", "a", "an", "your", "our", "this", "to", "in", "final", "short", "long", "quick", "brief", "direct", "simple", "full", "complete", "concise", "detailed", "overall", "actual",
			"correct", "best", "question", "&", "and", "is", "here", "here's":
		default:
			return false
		}
	}
	return named
}
