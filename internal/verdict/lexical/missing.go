package lexical

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// findTerms finds the terms of c in the sentence q word by word and sets s.presence. It returns
// the offset in q of the heaviest one.
func (j *Judge) findTerms(s *scratch, c *claim, contexts []string, q quote) int {
	n := int(c.terms[1] - c.terms[0])
	s.presence = slices.Grow(s.presence[:0], n)[:n]
	clear(s.presence)
	return j.findMoreTerms(s, c, contexts, q)
}

// findMoreTerms is findTerms for a further quote of the same claim.
func (j *Judge) findMoreTerms(s *scratch, c *claim, contexts []string, q quote) int {
	s.heaviest = place{}
	for i := range c.bestHits {
		if h := &c.bestHits[i]; int(h.chunk) == q.chunk && int(h.start) >= q.start && int(h.start) < q.end {
			s.markPresent(c, h.term, int(h.start)-q.start)
		}
	}
	if len(c.text) <= maxAligned && q.end-q.start <= maxAligned && slices.Contains(s.presence, isMissing) {
		j.alignTerms(s, c, contexts, q)
	}
	return s.heaviest.at
}

// alignTerms aligns the words of c with those of the sentence q.
func (j *Judge) alignTerms(s *scratch, c *claim, contexts []string, q quote) {
	s.parseClaim(j, c)
	a := s.align(j, contexts, q)
	s.eachTerm(c, func(i int, term int32) {
		p := &s.presence[term-c.terms[0]]
		switch to := a.To[i]; {
		case to >= 0 && a.How[i] != entail.Opposite:
			s.markPresent(c, term, int(a.Stated.Words[to].Start))
		case *p == isMissing && s.terms[term].value < 0 && s.claimed.Words[i].Light():
			*p = isLight
		}
	})
}

// eachTerm calls yield with the index of each word of c, which was parsed last, and its term.
func (s *scratch) eachTerm(c *claim, yield func(word int, term int32)) {
	k := c.terms[0]
	for i := range s.claimed.Words {
		w := &s.claimed.Words[i]
		for k < c.terms[1] && s.terms[k].end <= w.Start {
			k++
		}
		if k == c.terms[1] {
			return
		}
		if w.Start >= s.terms[k].start {
			yield(i, k)
		}
	}
}

// complement returns the candidate that covers most of the terms of c that are missing in
// its first quote, with the fields that bestSentence sets. Both are in one chunk unless all
// chunks are joined.
func (j *Judge) complement(s *scratch, c *claim, contexts []string, first quote) quote {
	var best quote
	s.parseClaim(j, c)
	for _, q := range c.candidates {
		if q.chunk != first.chunk && !j.opts.Joined {
			continue
		}
		a := s.align(j, contexts, q)
		q.covered, q.about = 0, 0
		s.eachTerm(c, func(i int, term int32) {
			if a.To[i] < 0 || a.How[i] == entail.Opposite {
				return
			}
			w := s.terms[term].weight * exactCredit
			q.about += w
			if s.presence[term-c.terms[0]] == isMissing {
				q.covered += w
			}
		})
		if q.covered > best.covered {
			best = q
		}
	}
	return best
}

// markPresent records that a quote of c contains a term at byte at.
func (s *scratch) markPresent(c *claim, term int32, at int) {
	s.presence[term-c.terms[0]] = isPresent
	t := &s.terms[term]
	w := t.weight
	if t.value >= 0 {
		w *= valueAnchor
	}
	if w > s.heaviest.weight {
		s.heaviest = place{at: at, weight: w}
	}
}

// valueAnchor is the factor by which a number or date counts more than a word in the choice
// of an excerpt.
const valueAnchor = 4

// quotedShare returns the share of the weight of c that its quotes contain.
func (s *scratch) quotedShare(c *claim) float64 {
	sum := int64(0)
	for i, p := range s.presence {
		if p == isPresent {
			sum += s.terms[int(c.terms[0])+i].weight
		}
	}
	return float64(sum) / float64(max(1, c.total))
}

// isStated reports whether the quotes of c contain all of its words that say something.
func (s *scratch) isStated(c *claim) bool {
	return !slices.Contains(s.presence, isMissing) && s.quotedShare(c) >= minCoverageForStated
}

const (
	maxListed   = 3  // maximum words listed in a reason
	maxSearched = 16 // maximum words of a claim to search for
	// minListedShare is the minimum weight of a listed word, as a share of the heaviest.
	minListedShare = 0.4
	// minMissingShare is the minimum weight of a word listed for a supported claim, as a
	// share of the claim's.
	minMissingShare = 0.06
)

// missingWords lists the heaviest words of c that its quotes do not contain, after a semicolon:
// those that are elsewhere in the contexts, and those that are not. For a supported claim
// only heavy words of the second kind are listed. If there are none, it returns "".
func (s *scratch) missingWords(c *claim, contexts []string, supported bool) string {
	var missing []missingWord
	for i, p := range s.presence {
		if t := &s.terms[int(c.terms[0])+i]; p == isMissing && !verdict.InMarker(c.text, int(t.start), int(t.end)) && isReadable(c.text[t.start:t.end]) {
			missing = append(missing, missingWord{start: int(t.start), end: int(t.end), weight: t.weight, elsewhere: t.best < levels || t.found})
		}
	}
	slices.SortStableFunc(missing, func(a, b missingWord) int { return cmp.Compare(b.weight, a.weight) })
	missing = missing[:min(len(missing), maxSearched)]
	missing = slices.DeleteFunc(missing, func(w missingWord) bool { // a variant of the word may be in the quotes
		word := c.text[w.start:w.end]
		absent := s.search.absent(contexts, word)
		return absent == w.elsewhere // elsewhere as a synonym, or here as a part of a word
	})
	if supported {
		missing = slices.DeleteFunc(missing, func(w missingWord) bool {
			return w.elsewhere || float64(w.weight) < minMissingShare*float64(c.total)
		})
	}
	return c.listWords("; elsewhere in the contexts: ", missing, true) + c.listWords("; not in the contexts: ", missing, false)
}

// isReadable reports whether a term looks like a word: it has more than one character and is not
// too long. In Thai and related scripts, terms are pairs of characters, so none does.
func isReadable(term string) bool {
	const maxLen = 64
	r, size := utf8.DecodeRuneInString(term)
	return size < len(term) && len(term) <= maxLen && !unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// listWords returns up to maxListed of the missing words that are elsewhere, or not, after a
// prefix. Those that overlap, as in scripts without spaces, are joined.
func (c *claim) listWords(prefix string, missing []missingWord, elsewhere bool) string {
	var words []missingWord
	for _, w := range missing {
		if w.elsewhere != elsewhere || len(words) > 0 && float64(w.weight) < minListedShare*float64(words[0].weight) {
			continue
		}
		joined := false
		for i := range words {
			if x := &words[i]; w.start < x.end && x.start < w.end {
				x.start, x.end, joined = min(x.start, w.start), max(x.end, w.end), true
			}
		}
		if !joined {
			words = append(words, w)
		}
	}
	var list []string
	for _, w := range words[:min(len(words), maxListed)] {
		list = append(list, c.text[w.start:w.end])
	}
	if list == nil {
		return ""
	}
	return prefix + strings.Join(list, ", ")
}

// The search in a task covers at most minSearchBytes plus searchesPerByte times the length
// of the contexts.
const (
	searchesPerByte = 64
	minSearchBytes  = 1 << 27
)

// absent reports whether none of the contexts contains word. It returns false if the
// budget is used up.
func (s *searcher) absent(contexts []string, word string) bool {
	if i := strings.IndexAny(word, "'’"); i > 0 { // museum's
		word = word[:i]
	}
	s.word = appendFolded(s.word[:0], word)
	if digits := s.word[:0:0]; bytes.ContainsAny(s.word, "0123456789") {
		fields := bytes.FieldsFunc(s.word, func(r rune) bool { return r-'0' > 9 || r < '0' })
		if len(fields) == 1 { // a date is compared as a whole
			s.word = append(digits, fields[0]...)
		}
	}
	return !s.contains(contexts, s.word)
}

// contains reports whether any context contains a folded word, or the budget is used up.
func (s *searcher) contains(contexts []string, word []byte) bool {
	if len(s.text) == 0 {
		for _, c := range contexts {
			s.text = append(appendFolded(s.text, c), '\n')
		}
		s.budget = searchesPerByte*len(s.text) + minSearchBytes
	}
	s.budget -= len(s.text)
	return s.budget < 0 || bytes.Contains(s.text, word)
}

// appendFolded appends text in lower case, without accents, apostrophes and hyphens, and
// without separators between digits, such as ", " in text that was tokenized and joined.
func appendFolded(dst []byte, text string) []byte {
	if !extract.IsASCII(text) {
		text = norm.NFKD.String(text)
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c|0x20-'a' < 26:
			dst = append(dst, c|0x20)
			continue
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[i:])
			if !strings.ContainsRune("’\u00ad‐‑", r) && !unicode.Is(unicode.Mn, r) {
				dst = utf8.AppendRune(dst, unicode.ToLower(r))
			}
			i += size - 1
			continue
		case c == '-' || c == '\'':
			continue
		case (c == ',' || c == '.' || c == ' ') && len(dst) > 0 && dst[len(dst)-1]-'0' <= 9:
			if rest := strings.TrimLeft(text[i:], ",. "); rest != "" && rest[0]-'0' <= 9 && len(text)-i-len(rest) <= 2 {
				continue
			}
		}
		dst = append(dst, text[i])
	}
	return dst
}

// isAbsent reports whether no context contains t in any form. It returns false for list
// markers and citations.
func (s *scratch) isAbsent(c *claim, t *term, contexts []string) bool {
	start, end := int(t.start), int(t.end)
	return t.best == levels && !t.found && !verdict.InMarker(c.text, start, end) &&
		s.search.absent(contexts, c.text[start:end])
}
