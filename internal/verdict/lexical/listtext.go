package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/values"
)

// listsAround returns the candidates of c, with the list or table around those that are
// lines of one.
func (j *Judge) listsAround(s *scratch, c *claim, contexts []string) []values.Text {
	out, seen := s.derived[:0], quote{chunk: -1}
	n := 0
	for _, q := range c.candidates {
		if q.end-q.start > maxAligned || n == len(s.passages) {
			continue
		}
		n++
		start, end := lines(contexts[q.chunk], q.start, q.end)
		switch {
		case end-start > 2*maxAligned || start >= q.start && end <= q.end:
			out = append(out, s.passages[n-1])
		case q.chunk != seen.chunk || start != seen.start:
			seen = quote{chunk: q.chunk, start: start}
			var t values.Text
			t.Read(contexts[q.chunk][start:end])
			out = append(out, t)
		}
	}
	return out
}

// lines extends a byte range of text to the lines of the list or table around it, with the
// line before them.
func lines(text string, start, end int) (int, int) {
	from, to := lineAt(text, start)
	if !isItem(text[from:to]) && (to == len(text) || !strings.HasSuffix(text[from:to], ":") || !isItem(next(text, to))) {
		return start, end
	}
	item := isItem(text[from:to])
	start, end = from, max(to, end)
	for item && start > 0 && end-start <= 2*maxAligned {
		start, to = lineAt(text, start-1)
		item = isItem(text[start:to])
	}
	for end < len(text) && end-start <= 2*maxAligned && isItem(next(text, end)) {
		end += 1 + len(next(text, end))
	}
	return start, end
}

// lineAt returns the bounds of the line that contains or ends at byte i of text.
func lineAt(text string, i int) (from, to int) {
	from, to = strings.LastIndexByte(text[:i], '\n')+1, len(text)
	if k := strings.IndexByte(text[i:], '\n'); k >= 0 {
		to = i + k
	}
	return from, to
}

// next returns the line after the one that ends at text[end].
func next(text string, end int) string {
	line, _, _ := strings.Cut(text[end+1:], "\n")
	return line
}

// isItem reports whether a line is an item of a list or a row of a table.
func isItem(line string) bool {
	line = strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(line, "0123456789")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ") || strings.IndexByte(line, '|') >= 0 ||
		len(rest) < len(line) && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}
