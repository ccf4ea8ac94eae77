package lexical

import (
	"slices"
	"sort"

	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// maxStatements is the number of statements of the contexts that are compared with a
// claim word by word.
const maxStatements = 4

// collect keeps the sentences of the text scanned last that cover most of the claim, unless they
// or the claim are too long to be compared.
func (j *Judge) collect(s *scratch, c *claim, contexts []string) {
	if len(c.hits) == 0 || len(c.text) > maxAligned {
		return
	}
	j.eachHitSentence(s, contexts, c.hits, c.near.best.from, func(q quote, hits []hit) {
		if q.end-q.start <= maxAligned {
			s.cover(c, &q, hits, nil)
			c.keep(q, contexts)
		}
	})
}

// keep adds a candidate, and drops the one that covers least if there are too many. It
// ignores repetitions.
func (c *claim) keep(q quote, contexts []string) {
	at := len(c.candidates)
	for at > 0 && c.candidates[at-1].covered < q.covered {
		at--
	}
	if at == maxStatements {
		return
	}
	for i := at - 1; i >= 0 && c.candidates[i].covered == q.covered; i-- {
		if c.candidates[i].text(contexts) == q.text(contexts) {
			return
		}
	}
	if len(c.candidates) == maxStatements {
		c.candidates = c.candidates[:maxStatements-1]
	}
	c.candidates = slices.Insert(c.candidates, at, q)
}

// maxAligned is the length of the longest texts that are compared word by word, in bytes.
const maxAligned = 1500

// parse returns the parsed text, which is that of the sentence q or its [quote.statement]. It
// parses each once per task.
func (s *scratch) parse(j *Judge, contexts []string, q quote, text string) *entail.Sentence {
	key := parsedKey{q.chunk, q.start, q.end, len(text)}
	if x, ok := s.parsed[key]; ok {
		return x
	}
	n := len(s.parsed)
	if n == len(s.statements) {
		s.statements = append(s.statements, &entail.Sentence{})
	}
	x := s.statements[n]
	s.parsed[key] = x
	tokens, ok := s.tokensOf(q)
	if !ok || len(text) != q.end-q.start {
		tokens = j.lex.Tokens(s.shifted[:0], text)
	}
	s.shifted = tokens
	j.entail.Parse(x, text, tokens)
	x.Next = textAfter(contexts, q)
	return x
}

// tokensOf returns the tokens of the sentence q from the pass over its context, if they were
// kept. They are valid until the next call.
func (s *scratch) tokensOf(q quote) ([]lexicon.Token, bool) {
	for _, b := range s.blocks {
		if int(b.chunk) != q.chunk || int(b.byte) > q.start || b.end < q.end {
			continue
		}
		shift := int32(q.start) - b.byte //nolint:gosec // texts are shorter than 2 GiB
		end := int32(q.end) - b.byte     //nolint:gosec // as above
		tokens, found := s.tokens[b.first:b.last], s.shifted[:0]
		n := sort.Search(len(tokens), func(i int) bool { return tokens[i].Start >= shift })
		for _, t := range tokens[n:] {
			if t.End > end {
				break
			}
			t.Start, t.End = t.Start-shift, t.End-shift
			found = append(found, t)
		}
		if len(found) > 0 {
			found[0].Class |= lexicon.Initial
		}
		return found, true
	}
	return nil, false
}

// parseClaim parses c for align.
func (s *scratch) parseClaim(j *Judge, c *claim) {
	if s.alignedClaim != c {
		j.entail.Parse(&s.claimed, c.text, s.claimTokens[c.tokens[0]:c.tokens[1]])
		s.alignedClaim, s.aligned = c, s.aligned[:0]
	}
}

// align aligns the claim parsed last with the statement at q. The result is valid until
// parseClaim is called for another claim.
func (s *scratch) align(j *Judge, contexts []string, q quote) *entail.Alignment {
	stated := s.parse(j, contexts, q, q.statement(contexts))
	for _, a := range s.aligned {
		if a.Stated == stated {
			return a
		}
	}
	n := len(s.aligned)
	s.aligned = slices.Grow(s.aligned, 1)[:n+1]
	if s.aligned[n] == nil {
		s.aligned[n] = &entail.Alignment{}
	}
	a := s.aligned[n]
	a.Stated = stated
	a.Align(&s.claimed, stated)
	return a
}

// A comparison is the result of comparing a claim with the statement that comes closest to it.
type comparison struct {
	at       quote
	coverage float64 // share of the claim that it covers
	findings []entail.Finding
	clean    float64 // coverage of the best statement without findings, or 0
	cleanAt  quote   // that statement
	nearest  quote   // statement that covers most of the claim by alignment and hits together
}

// flaggedPenalty is subtracted from the coverage of a statement with findings, when the
// closest statement is chosen.
const flaggedPenalty = 0.05

// minNearest is the number of words of the shortest statements that are preferred as the
// nearest one.
const minNearest = 4

// compare compares a claim with its candidates. Without check, it only looks for the nearest one.
func (j *Judge) compare(s *scratch, c *claim, contexts []string, check bool) comparison {
	var x comparison
	s.parseClaim(j, c)
	bestRank, maxNearness := -1.0, 0.0
	for _, q := range c.candidates {
		a := s.align(j, contexts, q)
		coverage := a.Coverage()
		var findings []entail.Finding
		if check {
			findings = a.Check(nil)
		}
		rank := coverage
		if len(findings) > 0 {
			rank -= flaggedPenalty
		} else if coverage > x.clean {
			x.clean, x.cleanAt = coverage, q
		}
		if rank > bestRank {
			x.at, x.coverage, x.findings, bestRank = q, coverage, findings, rank
		}
		nearness := coverage + float64(q.covered)/float64(c.total*exactCredit)
		if len(a.Stated.Words) < minNearest {
			nearness /= 2 // a heading
		}
		if nearness > maxNearness {
			x.nearest, maxNearness = q, nearness
		}
	}
	return x
}
