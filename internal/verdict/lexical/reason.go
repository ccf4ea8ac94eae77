package lexical

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// inChunk names the chunk of a quote.
func inChunk(q quote) string { return "chunk " + strconv.Itoa(q.chunk) + ": " }

// nearestPassage quotes the passage that comes nearest to c.
func (s *scratch) nearestPassage(c *claim, contexts []string, q quote) string {
	return "nearest passage in " + inChunk(q) + s.excerpt(c, contexts, q)
}

// excerpt quotes q around the first word that it shares with c.
func (s *scratch) excerpt(c *claim, contexts []string, q quote) string {
	at := 0
	for _, h := range c.bestHits {
		if int(h.chunk) == q.chunk && int(h.start) >= q.start && int(h.start) < q.end {
			at = int(h.start) - q.start
			break
		}
	}
	return verdict.Excerpt(contexts[q.chunk][q.start:q.end], at)
}

// supportReason quotes what supports c, and says what part of c it covers. alike
// says that quotes[0] denies nothing more and nothing less than c.
func (s *scratch) supportReason(c *claim, contexts []string, quotes []quote, alike, joined bool) string {
	found, all := 0, int(c.terms[1]-c.terms[0])
	for i := c.terms[0]; i < c.terms[1]; i++ {
		if s.terms[i].best < levels {
			found++
		}
	}
	where, reason := "the contexts match ", ""
	if len(quotes) > 0 {
		q := quotes[0]
		reason = "close match in "
		if alike && found == all && float64(q.covered) >= nearlyTheSame*float64(c.total*exact) {
			reason = "stated in "
		}
		reason += inChunk(q) + s.excerpt(c, contexts, q)
		if found == all {
			return reason
		}
		reason += "; "
		if !joined {
			where = "chunk " + strconv.Itoa(c.best.chunk) + " matches "
		}
	}
	reason += where + strconv.Itoa(found) + " of its " + strconv.Itoa(all) + " content words"
	if words := s.absentWords(c, contexts); len(words) > 0 {
		reason += "; not in the contexts: " + list(words)
	}
	return reason
}

// missingReason names what the contexts lack: the first number or date, with what
// comes nearest to it, or else names and words. It reports whether there is any.
func (s *scratch) missingReason(l *lexicon.Lexicon, c *claim, contexts []string, q quote) (string, bool) {
	nearest := s.nearestPassage(c, contexts, q)
	if t := s.absentValue(c, contexts); t != nil {
		v := &s.claimValues[t.value]
		return notThere(v.string(c.text), s.nearestValue(s.nearest(l, c, v, contexts), contexts)) + "; " + nearest, true
	}
	if words := s.absentWords(c, contexts); len(words) > 0 {
		return nearest + "; not in the contexts: " + list(words), true
	}
	return "not stated; " + nearest, false
}

// absentValue returns the first number or date of c that is in none of the contexts,
// nil if there is none.
func (s *scratch) absentValue(c *claim, contexts []string) *term {
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 && !s.claimValues[t.value].soft && s.isAbsent(c, t, contexts) {
			return t
		}
	}
	return nil
}

// isAbsent reports whether t is in none of the contexts, neither as it is written
// nor in another form, and belongs to no list marker or citation.
func (s *scratch) isAbsent(c *claim, t *term, contexts []string) bool {
	start, end := int(t.start), int(t.end)
	return t.best == levels && !t.found && !verdict.InMarker(c.text, start, end) &&
		s.search.absent(contexts, c.text[start:end])
}

const (
	listed   = 6  // words that a reason names
	searched = 24 // words of a claim that are looked for to name them
	longWord = 40 // code points of a word that are shown
)

// absentWords returns the names and then the other words of c that are in none of
// the contexts.
func (s *scratch) absentWords(c *claim, contexts []string) []string {
	var names, words [][2]int32
	tries := searched
	for i := c.terms[0]; i < c.terms[1] && tries > 0; i++ {
		t := &s.terms[i]
		if t.best < levels || t.found {
			continue
		}
		tries--
		if !s.isAbsent(c, t, contexts) {
			continue
		}
		to := &words
		if t.name {
			to = &names
		}
		if n := len(*to); n > 0 && (*to)[n-1][1] > t.start { // pairs of ideograms overlap
			(*to)[n-1][1] = t.end
			continue
		}
		*to = append(*to, [2]int32{t.start, t.end})
	}
	var out []string
	for _, p := range append(names, words...) {
		w := c.text[p[0]:p[1]]
		if utf8.RuneCountInString(w) > longWord {
			w = string([]rune(w)[:longWord]) + "…"
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func list(words []string) string {
	more := ""
	if n := len(words); n > listed {
		more = " and " + strconv.Itoa(n-listed) + " more"
		words = words[:listed]
	}
	return strings.Join(words, ", ") + more
}

// valueReason says what number or date the contexts have in the place of v, the
// value of t.
func (s *scratch) valueReason(c *claim, t *term, other string, contexts []string) string {
	mine := s.claimValues[t.value].string(c.text)
	if s.isAbsent(c, t, contexts) {
		return notThere(mine, other)
	}
	return "the contexts say " + quoted(other) + " there, not " + quoted(mine)
}

// nearestValue is the text of a value that comes near to another, "" if it does not.
func (s *scratch) nearestValue(n candidate, contexts []string) string {
	if n.value == nil || n.likeness < likeEnough/2 {
		return ""
	}
	return n.value.string(contexts[n.chunk])
}

func notThere(value, nearest string) string {
	if nearest == "" || nearest == value {
		return quoted(value) + " is not in the contexts"
	}
	return quoted(value) + " is not in the contexts (nearest: " + quoted(nearest) + ")"
}

// quoted is a piece of a text between quotation marks.
func quoted(s string) string { return verdict.Excerpt(s, 0) }

// sameSense reports whether x and y deny the same number of things, and it is
// clear what.
func (x *side) sameSense(y *side) bool {
	return !x.unclear && !y.unclear && x.negations == y.negations
}
