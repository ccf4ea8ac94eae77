package embedded

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// passageWords limits the words of a passage of several sentences: about maxPassage tokens.
const passageWords = 130

// A sentence is a byte range in a context.
type sentence struct {
	chunk, start, end int
	terms             map[string]bool
}

// A passage is a run of consecutive sentences, possibly from several contexts.
type passage struct {
	sentences []sentence
	words     int
}

func passages(contexts []string, sentences func(text string, yield func(start, end int))) []passage {
	var all []passage
	for c, text := range contexts {
		sentences(text, func(start, end int) {
			n := len(strings.Fields(text[start:end]))
			if len(all) == 0 || all[len(all)-1].words+n > passageWords {
				all = append(all, passage{})
			}
			p := &all[len(all)-1]
			p.sentences, p.words = append(p.sentences, sentence{c, start, end, terms(text[start:end])}), p.words+n
		})
	}
	return all
}

func (p *passage) text(contexts []string) string {
	var parts []string
	for _, s := range p.sentences {
		parts = append(parts, contexts[s.chunk][s.start:s.end])
	}
	return strings.Join(parts, " ")
}

// terms returns the distinct words of a text in lower case, without a final s.
func terms(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if len(word) > 3 {
			word = strings.TrimSuffix(word, "s")
		}
		all[word] = true
	}
	return all
}

// An index finds the passages that share most words with a claim, weighted by inverse document frequency among sentences.
type index struct {
	passages  []passage
	sentences int
	frequency map[string]int // number of sentences that contain a word
}

func newIndex(all []passage) index {
	x := index{passages: all, frequency: map[string]int{}}
	for _, p := range all {
		for _, s := range p.sentences {
			x.sentences++
			for t := range s.terms {
				x.frequency[t]++
			}
		}
	}
	return x
}

// share returns the share of the words that the network reads for a claim, from 0 to 1.
func (x index) share() float64 {
	if len(x.passages) == 1 {
		return 1
	}
	words := 0
	for _, p := range x.passages {
		words += p.words
	}
	return passageWords / float64(words)
}

// nearest returns the passage nearest to a claim and, in all passages, the nearest sentence.
func (x index) nearest(claim string) (passage int, best sentence) {
	wanted := slices.Sorted(maps.Keys(terms(claim))) // in order, so that the sums are the same in each run
	maxTotal, bestScore := -1.0, -1.0
	for i, p := range x.passages {
		total, found := 0.0, map[string]bool{}
		for _, s := range p.sentences {
			score := 0.0
			for _, t := range wanted {
				if !s.terms[t] {
					continue
				}
				weight := math.Log(1 + float64(x.sentences)/float64(x.frequency[t]))
				score += weight
				if !found[t] {
					found[t] = true
					total += weight
				}
			}
			if score > bestScore {
				best, bestScore = s, score
			}
		}
		if total > maxTotal {
			passage, maxTotal = i, total
		}
	}
	return passage, best
}
