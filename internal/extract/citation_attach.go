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
	// The total size of citations is limited to baseCitationBudget plus citationBudgetPerByte times
	// the size of the answer, since a short marker such as "[1-99]" can expand to many citations.
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

// citationOverhead is the approximate size of a citation in the results, excluding its text.
const citationOverhead = 64

// citingClaim returns the index of the claim to which the citation from start
// to end belongs, or -1. gaps are the blank lines; leading citations precede their claims.
func (v view) citingClaim(start, end int, sentences []sentenceSpan, gaps [][2]int, leading bool) int {
	next := sort.Search(len(sentences), func(i int) bool { return sentences[i].end > start })
	if next < len(sentences) && sentences[next].start <= start {
		if !leading || next+1 == len(sentences) || HasWords(v.raw[end:sentences[next].end]) {
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

// A definition describes a source in the source list of an answer, such as "[1] plans.pdf, p. 3".
type definition struct {
	names  []string
	number int // number within the text, such as 3 in "[1] Document 3", or -1
}

const (
	maxDefinitions = 1 << 10
	maxNames       = 12 // per definition
)

// definitions parses the source lists of an answer. The result is indexed by [source.key].
func (v view) definitions() map[string]definition {
	var all map[string]definition
	for _, c := range v.cuts {
		if c.kind != Reference {
			continue
		}
		for line := range strings.SplitSeq(v.raw[c.start:c.end], "\n") {
			line = strings.TrimSpace(line)
			if rest, ok := cutSourceHeading(line); ok {
				line = rest
			}
			for line != "" && len(all) < maxDefinitions {
				key, text, rest := parseDefinition(line)
				if key == "" {
					break
				}
				if all == nil {
					all = make(map[string]definition)
				}
				if _, exists := all[key]; !exists {
					all[key] = newDefinition(text)
				}
				line = rest
			}
		}
	}
	return all
}

// parseDefinition parses the definition at the start of line. rest is the remaining line from the
// next definition on. key is "" if the line does not start with a definition.
func parseDefinition(line string) (key, text, rest string) {
	line = strings.TrimLeft(line, "-*+•–◦▪ \t")
	if line == "" {
		return "", "", ""
	}
	m := bracketMarker(line, 0)
	if n := listNumberLen(line); n > 0 {
		m.size = n + 1
		m.sources, _ = parseSources(line[:n])
	} else if m.size == 0 {
		m = superscriptMarker(line, 0)
	}
	if at := strings.Index(line[:m.size], "]("); at > 0 { // "[1](https://…)" is defined as the URL
		m = bracketMarker(line[:at+1], 0)
	}
	if len(m.sources) != 1 {
		return "", "", ""
	}
	text = strings.TrimLeft(line[m.size:], " :.\t-–—")
	for i := 1; i < len(text); i++ {
		if text[i] == '[' && text[i-1] == ' ' && bracketMarker(text, i).size > 0 {
			return m.sources[0].key(), strings.TrimRight(text[:i], " ,;"), text[i:]
		}
	}
	return m.sources[0].key(), text, ""
}

// key returns the key shared by a citation and its definition: the number or the name of
// the source.
func (s source) key() string {
	if s.number >= 0 {
		return strconv.Itoa(s.number)
	}
	if len(s.names) > 0 {
		return strings.ToLower(s.names[0])
	}
	return ""
}

// newDefinition parses the text of a definition and collects all possible names of the source.
func newDefinition(text string) definition {
	d := definition{number: -1}
	add := func(name string) {
		if name = strings.Trim(name, " \t\r.,;:*_\"'“”<>()[]"); name != "" && len(d.names) < maxNames {
			d.names = append(d.names, name)
		}
	}
	if strings.HasPrefix(text, "(") { // the URL in "[1](https://…)"
		add(text)
	}
	const mark = "\x00" // between the parts of the text
	marks := strings.NewReplacer("](", mark, "<", mark, ">", mark, " - ", mark, " – ", mark, " — ", mark, ": ", mark, ", ", mark, " (", mark, " | ", mark, "; ", mark)
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, "](", " ")) {
		if isURL(strings.Trim(word, "()[],;.<>")) {
			add(word)
		}
	}
	add(text)
	for part := range strings.SplitSeq(marks.Replace(text), mark) {
		if part != text {
			add(part)
		}
		part = strings.TrimSpace(part)
		if found, _ := parseSource(part, unknownPart); d.number < 0 && isLocator(part) && len(found) == 1 {
			d.number = found[0].number
		}
	}
	return d
}
