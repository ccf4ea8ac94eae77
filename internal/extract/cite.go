package extract

import (
	"sort"
	"strings"
)

// A Citation names a source for a claim, as "[2]" and "(plans.pdf, p. 3)" do.
type Citation struct {
	Text       string   // the marker as it stands in the answer; "[1, 2]" for both of its citations
	Start, End int      // of the marker, in code points of the answer
	Names      []string // what the source may be called, the likeliest first
	Number     int      // of the source, as the answer counts; -1 for none
	// Weak is set for what is a citation only if it names a source that there is,
	// such as "(Smith, 2021)".
	Weak bool
}

// A sentenceSpan is where a sentence stands in an answer, in bytes, and its claim;
// -1 for one that claims nothing.
type sentenceSpan struct{ start, end, claim int }

// hasCitations reports whether a citation was left out of the answer.
func (v view) hasCitations() bool {
	for i := range v.cuts {
		if v.cuts[i].citation {
			return true
		}
	}
	return false
}

// cite gives the claims their citations. One that stands within a sentence belongs
// to its claim. One between two sentences belongs to the claim before it in the same
// paragraph, or at the start of a line to the claim after it.
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
	// The text of the citations of an answer is limited to some kilobytes and to so
	// many times that of the answer: "[1-99]" is short for many.
	baseCitationBudget = 1 << 16
	citationBudgetPerByte        = 8
)

// claimAt finds the claim that a citation belongs to, -1 for none.
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
