package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A baseline scores a claim by word overlap: the share of its words, weighted by IDF,
// in the best window of the contexts.
type baseline struct {
	documentFrequency map[string]int
	documents         int
	word              *regexp.Regexp
	stopWords         map[string]bool
}

const (
	// baselineThreshold is the score at which a claim counts as supported. It was
	// fitted on rows that are not measured here.
	baselineThreshold = 0.617
	// baselineWindow is the number of words in about 180 tokens.
	baselineWindow = 133
)

func newBaseline(docs string) (*baseline, error) {
	b := &baseline{
		documentFrequency: map[string]int{},
		word:              regexp.MustCompile(`[A-Za-z]+(?:['’][a-z]+)?|\d+(?:[.,]\d+)*%?|\pL+`),
		stopWords: setOf(strings.Fields(`a an the of in on at to for from by with and or but nor so as is are was were
		be been being am it its this that these those there here he she they them his her their we us our you your
		i my me who whom whose which what when where why how do does did have has had will would can could may might
		shall should must no not if then than also into about over under after before between during through up down
		out off again more most some such only own same too very just because while until both each few other any all
		s t now per via upon among within against`)),
	}
	f, err := os.Open(docs)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if err := decodeAll(z, func(doc struct{ Text string }) {
		b.documents++
		for w := range setOf(b.words(doc.Text)) {
			b.documentFrequency[w]++
		}
	}); err != nil {
		return nil, fmt.Errorf("%s: %w", docs, err)
	}
	return b, nil
}

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// words returns the stems of the content words of text.
func (b *baseline) words(text string) []string {
	var out []string
	for _, w := range b.word.FindAllString(text, -1) {
		if w = strings.ToLower(w); !b.stopWords[w] {
			out = append(out, stem(w))
		}
	}
	return out
}

// stem removes common English endings.
func stem(w string) string {
	w = strings.TrimSuffix(strings.ReplaceAll(w, "’", "'"), "'s")
	if len(w) <= 4 {
		return w
	}
	for _, end := range []string{"ing", "ies", "es", "ed", "s", "ly"} {
		if strings.HasSuffix(w, end) && len(w)-len(end) >= 3 {
			w = w[:len(w)-len(end)]
			if end == "ies" {
				w += "y"
			}
			break
		}
	}
	if len(w) > 4 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// score returns the minimum and the mean score of the claims of a row.
func (b *baseline) score(r *result) (minimum, mean float64) {
	var windows []map[string]bool
	for _, c := range r.Contexts {
		// About six words in ten are content words.
		const size = baselineWindow * 6 / 10
		w := b.words(c)
		for i := 0; i == 0 || i+size-size/3 < len(w); i += size / 3 {
			windows = append(windows, setOf(w[min(i, len(w)):min(i+size, len(w))]))
		}
	}
	minimum = math.Inf(1)
	for _, c := range r.Claims {
		words := b.words(c.Text)
		best := 0.0
		for _, set := range windows {
			var found, total float64
			for _, w := range words {
				idf := math.Log(float64(b.documents+1) / (float64(b.documentFrequency[w]) + 0.5))
				total += idf
				if set[w] {
					found += idf
				}
			}
			if total == 0 {
				found, total = 1, 1
			}
			best = math.Max(best, found/total)
		}
		minimum = math.Min(minimum, best)
		mean += best / float64(len(r.Claims))
	}
	return minimum, mean
}
