package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// checkHeading returns an objection if the list item that comes closest to the claim has a
// heading that makes it say the opposite: "Travel insurance" under "Not included:" is not
// "Travel insurance is included."
func (j *Judge) checkHeading(s *scratch, c *claim, contexts []string) objection {
	var best objection
	if s.parseClaim(j, c); len(s.claimed.Clauses) > 1 {
		return best // "Breakfast is included, but lunch is not"
	}
	closest := 0.0
	for _, q := range c.candidates {
		heading := headingOf(contexts[q.chunk], q.start)
		if heading == "" {
			continue
		}
		item := strings.Trim(q.statement(contexts), itemMarks)
		a, text := &s.headed, item+" "+strings.ToLower(heading)
		j.entail.Parse(a.Stated, text, j.lex.Tokens(nil, text))
		if a.Stated.IsClause(len(item)) {
			continue
		}
		if a.Align(&s.claimed, a.Stated); a.Coverage() <= closest {
			continue
		}
		best, closest = objection{}, a.Coverage()
		for _, f := range a.Check(nil) {
			if (f.Kind == entail.Polarity || f.Kind == entail.Antonym) && f.Stated.End() > len(item) {
				best = objection{reason: "listed under " + quoted(heading), basis: basisWords, at: q}
				if f.Denies {
					best.basis = basisNegation
				}
			}
		}
	}
	return best
}

// itemMarks are characters around the text of an item or a heading.
const itemMarks = "*_#+-–•·:? \t\r\n"

// headingOf returns the heading of the list in text that has an item at byte start, or "" if a
// paragraph or nothing precedes the list. It reads at most maxList bytes of the list.
func headingOf(text string, start int) string {
	const maxList, maxWords = 1 << 12, 16
	start = strings.LastIndexByte(text[:start], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	if isHeading(line) {
		return ""
	}
	marked := isMarked(line)
	first := max(0, start-maxList)
	for start > 0 && isItem(line) {
		end := start - 1
		n := strings.LastIndexByte(text[first:end], '\n')
		if n < 0 && first > 0 {
			return ""
		}
		start = first + n + 1
		line = strings.TrimSpace(text[start:end])
		if (isHeading(line) || marked && line != "" && !isMarked(line) && isItem(line)) && strings.Count(line, " ") < maxWords {
			return strings.Trim(line, itemMarks)
		}
	}
	return ""
}

// isHeading reports whether a line introduces a list.
func isHeading(line string) bool {
	plain := strings.TrimRight(line, "*_ ")
	return plain != "" && (line[0] == '#' || strings.HasSuffix(plain, ":") || strings.HasSuffix(plain, "?") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**"))
}

// isItem reports whether a line is blank or a list item: it starts with a marker or is not a sentence.
func isItem(line string) bool {
	const maxWords = 8
	line = strings.TrimSpace(line)
	return line == "" || isMarked(line) || strings.IndexByte(".!?", line[len(line)-1]) < 0 && strings.Count(line, " ") < maxWords
}

// isMarked reports whether a line starts with the marker of an item.
func isMarked(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && (strings.IndexAny(line, "*+-–•·") == 0 || line[0]-'0' <= 9)
}
