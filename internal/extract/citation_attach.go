package extract

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// A Citation refers to a source of a claim, as "[2]" and "(plans.pdf, p. 3)"
// do.
type Citation struct {
	Text       string   // the whole marker: "[1, 2]" for both of its citations
	Start, End int      // of the marker, in code points of the answer
	Names      []string // possible names of the source, the likeliest first
	Number     int      // of the source, as numbered by the answer; -1 if unnumbered
	// Weak citations count only if they match a source, since their form is
	// ambiguous, as in "(Smith, 2021)".
	Weak bool
}

// A sentenceSpan is the byte range of a sentence in an answer and the index of
// its claim, -1 if it has none.
type sentenceSpan struct{ start, end, claim int }

// hasCitations reports whether the view omits a citation.
func (v view) hasCitations() bool {
	for i := range v.cuts {
		if v.cuts[i].citation {
			return true
		}
	}
	return false
}

// attachCitations sets the citations of claims. A citation within a sentence
// belongs to its claim. One between two sentences belongs to the claim before
// it in the same paragraph, or, at the start of a line, to the claim after it.
func (v view) attachCitations(claims []Claim, sentences []sentenceSpan) {
	points := newCodePoints(v.raw)
	r := citationParser{definitions: v.definitions(), budget: baseCitationBudget + citationBudgetPerByte*len(v.raw)}
	for _, c := range v.cuts {
		if !c.citation {
			continue
		}
		for at := c.start; at < c.end; {
			if v.raw[at] == ' ' {
				at++
				continue
			}
			size, _ := citationAt(v.raw, at)
			if size == 0 {
				break
			}
			marker := v.raw[at : at+size]
			start, end := points.count(at), points.count(at+size)
			if claim := v.citingClaim(at, at+size, sentences); claim >= 0 {
				to := &claims[claim].Citations
				for _, cited := range r.parse(marker) {
					cited.Text, cited.Start, cited.End = marker, start, end
					*to = append(*to, cited)
				}
			}
			at = skipSeparators(v.raw, at+size)
		}
	}
}

const (
	// The size of all citations is limited to baseCitationBudget plus
	// citationBudgetPerByte times the size of the answer, since "[1-99]" expands
	// to many.
	baseCitationBudget    = 1 << 16
	citationBudgetPerByte = 8
)

// citingClaim returns the index of the claim that the citation from start to
// end belongs to, or -1.
func (v view) citingClaim(start, end int, sentences []sentenceSpan) int {
	next := sort.Search(len(sentences), func(i int) bool { return sentences[i].end > start })
	if next < len(sentences) && sentences[next].start <= start {
		return sentences[next].claim
	}
	line := v.raw[:start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if next < len(sentences) && strings.Trim(line, " \t>*-#•") == "" && strings.IndexByte(v.raw[end:sentences[next].start], '\n') < 0 {
		return sentences[next].claim
	}
	if next > 0 && !strings.Contains(strings.ReplaceAll(v.raw[sentences[next-1].end:start], "\r", ""), "\n\n") {
		return sentences[next-1].claim
	}
	return -1
}

// WithMentions returns claims with additional Weak citations: brackets in the
// sentence of a claim that could be something else, such as "[handbook]" and
// "(faq.md)". It does not modify claims.
func WithMentions(answer string, claims []Claim) []Claim {
	points := newCodePoints(answer)
	at := func(i int) Span {
		if from := claims[i].From; from != nil {
			return *from
		}
		return Span{claims[i].Start, claims[i].End}
	}
	more := make(map[int][]Citation) // by claim
	for i := range len(answer) {
		name := mentionAt(answer, i)
		if name == "" {
			continue
		}
		text := answer[i : i+len(name)+2]
		start := points.count(i)
		end := start + utf8.RuneCountInString(text)
		for k := sort.Search(len(claims), func(k int) bool { return at(k).End > start }); k < len(claims) && at(k).Start <= start && end <= at(k).End; k++ {
			have := claims[k].Citations
			if n := sort.Search(len(have), func(n int) bool { return have[n].End > start }); n < len(have) && have[n].Start < end {
				continue
			}
			more[k] = append(more[k], Citation{Text: text, Start: start, End: end, Names: mentionNames(name), Number: -1, Weak: true})
		}
	}
	if len(more) == 0 {
		return claims
	}
	claims = slices.Clone(claims)
	for k, list := range more {
		all := slices.Concat(claims[k].Citations, list)
		slices.SortStableFunc(all, func(a, b Citation) int { return a.Start - b.Start })
		claims[k].Citations = all
	}
	return claims
}

// mentionNames returns what a bracket may name: its content, also without a
// label in front or a page at the end.
func mentionNames(name string) []string {
	names := []string{name}
	if rest := strings.TrimSpace(trimPointer(name)); rest != name {
		names = append(names, rest)
	}
	if _, rest, ok := strings.Cut(name, ": "); ok {
		names = append(names, strings.TrimSpace(rest))
	}
	for _, name := range slices.Clone(names) {
		for _, mark := range []string{", ", " p."} {
			if title, _, ok := strings.Cut(name, mark); ok {
				names = append(names, title)
			}
		}
	}
	return names
}

// mentionAt returns the content of the bracket at i, or "" if there is none or
// it is a link or long.
func mentionAt(s string, i int) string {
	const maxLen = 100
	closing := "]"
	switch s[i] {
	case '[':
	case '(':
		closing = ")"
	default:
		return ""
	}
	window := s[i+1 : min(len(s), i+1+maxLen)]
	name, after, ok := strings.Cut(window, closing)
	if !ok || strings.ContainsAny(name, "[(\n") || closing == "]" && strings.HasPrefix(after, "(") {
		return ""
	}
	return name
}
