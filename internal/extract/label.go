package extract

import "strings"

// maxLabelBytes limits labels such as "To answer your question:".
const maxLabelBytes = 32

// answerLabelLen returns the length of a label such as "Answer:" or "TL;DR -"
// at the start of s, including trailing white space. It returns 0 if there is
// no label or no text after it on the line.
func answerLabelLen(s string) int {
	window := s[:min(len(s), maxLabelBytes)]
	for _, separator := range [...]string{":", "：", " - ", " – ", " — ", ","} {
		label, _, ok := strings.Cut(window, separator)
		if !ok || !isAnswerLabel(label) || separator == "," && !takesComma(label) {
			continue
		}
		rest := strings.TrimLeft(s[len(label)+len(separator):], "*_ \t")
		if _, tag := htmlTag(rest, 0); tag > 0 && strings.HasPrefix(rest, "</") { // "<b>Answer:</b>"
			rest = strings.TrimLeft(rest[tag:], "*_ \t")
		}
		if rest == "" || rest[0] == '\n' || rest[0] == '\r' {
			return 0
		}
		return len(s) - len(rest)
	}
	return 0
}

// takesComma reports whether s is a label that can be followed by a comma.
func takesComma(s string) bool {
	return isOneOf(strings.ToLower(s), "in short", "in brief", "in a nutshell", "in summary", "in conclusion", "to sum up", "to summarize", "to summarise", "to conclude")
}

// isAnswerLabel reports whether s only announces an answer, as "The short
// answer" and "In summary" do. One word must refer to the answer. Other words
// must be typical of labels.
func isAnswerLabel(s string) bool {
	if len(s) > maxLabelBytes {
		return false
	}
	s = strings.Trim(s, " *_#:-–—：.\t")
	if takesComma(s) || isOneOf(strings.ToLower(s), "a", "ans", "tl;dr", "tl ; dr", "tldr", "tl dr", "tl/dr", "in a word", "short version", "the short version", "long story short", "here's what i found", "here is what i found", "this is what i found",
		"bottom line", "the bottom line", "antwort", "kurz gesagt", "kurzantwort", "kurze antwort", "respuesta", "respuesta corta", "en resumen", "réponse", "en bref", "en résumé", "resposta",
		"em resumo", "risposta", "in breve", "antwoord", "svar", "ответ", "答案", "回答", "答え", "الجواب", "الإجابة") {
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
