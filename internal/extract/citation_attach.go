package extract

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A sentenceSpan holds the byte range of a sentence in an answer and the index
// of its claim, or -1 if the sentence is not a claim.
type sentenceSpan struct{ start, end, claim int }

func (v view) hasCitations() bool {
	return slices.ContainsFunc(v.cuts, func(c cut) bool { return c.citation })
}

// attachCitations sets the citations of claims. A citation within a sentence
// belongs to the claim of that sentence. A citation between two sentences
// belongs to the preceding claim of the paragraph or, at the start of a line or in an
// answer that starts with a citation and ends without one, to the following claim.
func (v view) attachCitations(claims []Claim, sentences []sentenceSpan) {
	points := codePoints{text: v.raw}
	parser := citationParser{definitions: v.definitions(), budget: baseCitationBudget + citationBudgetPerByte*len(v.raw)}
	gaps := blankLines(v.raw)
	cited := slices.DeleteFunc(slices.Clone(v.cuts), func(c cut) bool { return !c.citation })
	leading := strings.TrimSpace(v.raw[:cited[0].start]) == "" && len(sentences) > 0 && sentences[len(sentences)-1].start >= cited[len(cited)-1].end
	for _, c := range cited {
		for i := c.start; i < c.end; {
			if v.raw[i] == ' ' {
				i++
				continue
			}
			m := markerAt(v.raw, i)
			if m.size == 0 {
				break
			}
			end := i + m.size
			text, first, last := v.raw[i:end], points.count(i), points.count(end)
			if claim := v.citingClaim(i, end, sentences, gaps, leading); claim >= 0 {
				for _, citation := range parser.resolve(m) {
					citation.Text, citation.Start, citation.End = text, first, last
					claims[claim].Citations = append(claims[claim].Citations, citation)
				}
			}
			i = skipSeparators(v.raw, end)
		}
	}
}

const (
	// The total size of citations is limited to baseCitationBudget plus
	// citationBudgetPerByte times the size of the answer, since a short marker
	// such as "[1-99]" can expand to many citations.
	baseCitationBudget    = 1 << 16
	citationBudgetPerByte = 8
)

// A citationParser completes citations and limits their total size.
type citationParser struct {
	definitions map[string]definition // from the answer's source list
	budget      int                   // remaining bytes
}

// resolve returns the citations of a marker with the names in its definition.
func (p *citationParser) resolve(m marker) []Citation {
	var all []Citation
	for _, s := range m.sources {
		for n := s.number; n <= s.number+s.more; n++ {
			p.budget -= m.size + citationOverhead
			if len(all) > 0 && p.budget < 0 {
				return all
			}
			one := source{names: s.names, number: n}
			if s.more > 0 && s.prefix != "" {
				one.names = []string{s.prefix + strconv.Itoa(n)}
			}
			if d, ok := p.definitions[one.key()]; ok {
				one.names = slices.Concat(d.names, one.names)
				if d.number >= 0 {
					one.number = d.number
				}
			}
			all = append(all, Citation{Names: one.names, Number: one.number, Weak: s.weak})
		}
	}
	return all
}

// citationOverhead is the approximate size of a citation in the results,
// excluding its text.
const citationOverhead = 64

// citingClaim returns the index of the claim to which the citation from start
// to end belongs, or -1. gaps are the blank lines; leading citations precede their claims.
func (v view) citingClaim(start, end int, sentences []sentenceSpan, gaps [][2]int, leading bool) int {
	next := sort.Search(len(sentences), func(i int) bool { return sentences[i].end > start })
	if next < len(sentences) && sentences[next].start <= start {
		if !leading || next+1 == len(sentences) || hasAlphanumeric(v.raw[end:sentences[next].end]) {
			return sentences[next].claim
		}
		next++ // it follows the full stop
	}
	before := strings.TrimRight(v.raw[:start], " \t>*-#•")
	if next < len(sentences) && (leading || before == "" || strings.HasSuffix(before, "\n")) && strings.IndexByte(v.raw[end:sentences[next].start], '\n') < 0 {
		return sentences[next].claim
	}
	if next > 0 {
		gap := sort.Search(len(gaps), func(i int) bool { return gaps[i][0] >= sentences[next-1].end })
		if gap == len(gaps) || gaps[gap][1] >= start {
			return sentences[next-1].claim
		}
	}
	return -1
}

// blankLines returns the offsets of the line breaks before and after each empty line.
func blankLines(text string) (gaps [][2]int) {
	last := -1 // line break with only carriage returns after it
	for i := range len(text) {
		switch text[i] {
		case '\n':
			if last >= 0 {
				gaps = append(gaps, [2]int{last, i})
			}
			last = i
		case '\r':
		default:
			last = -1
		}
	}
	return gaps
}

// WithMentions returns claims with additional Weak citations for ambiguous
// brackets such as "[handbook]" and "(faq.md)". It does not modify claims.
func WithMentions(answer string, claims []Claim) []Claim {
	points := codePoints{text: answer}
	span := func(i int) Span {
		if from := claims[i].From; from != nil {
			return *from
		}
		return Span{claims[i].Start, claims[i].End}
	}
	ends := make([]int, len(claims)) // largest end so far: a clause may end before the sentence of a rewritten one
	for i := range claims {
		if ends[i] = span(i).End; i > 0 {
			ends[i] = max(ends[i], ends[i-1])
		}
	}
	mentions := make(map[int][]Citation) // by index of the claim
	for i := range len(answer) {
		name := mentionAt(answer, i)
		if name == "" {
			continue
		}
		text := answer[i : i+len(name)+2]
		start := points.count(i)
		end := start + utf8.RuneCountInString(text)
		for claim := sort.SearchInts(ends, start+1); claim < len(claims) && span(claim).Start <= start; claim++ {
			if end > span(claim).End {
				continue
			}
			citations := claims[claim].Citations
			if n := sort.Search(len(citations), func(n int) bool { return citations[n].End > start }); n < len(citations) && citations[n].Start < end {
				continue
			}
			mentions[claim] = append(mentions[claim], Citation{Text: text, Start: start, End: end, Names: titleNames(name), Number: -1, Weak: true})
		}
	}
	if len(mentions) == 0 {
		return claims
	}
	claims = slices.Clone(claims)
	for claim, added := range mentions {
		all := slices.Concat(claims[claim].Citations, added)
		slices.SortStableFunc(all, func(a, b Citation) int { return a.Start - b.Start })
		claims[claim].Citations = all
	}
	return claims
}

// mentionAt returns the content of the bracket at i. It returns "" if there is
// no bracket, or if the bracket is a link or too long.
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
