package main

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
)

// A floor is the plainest judge that is worth comparing with: the share of the
// claim's words, weighted by IDF, that the best window of the contexts holds.
// It knows no synonyms, numbers or names.
type floor struct {
	df   map[string]int
	docs int
	word *regexp.Regexp
	stop map[string]bool
}

const (
	// floorThreshold is the score from which the floor calls a claim
	// supported; it was fitted on rows that are not measured here.
	floorThreshold = 0.617
	// floorWindow is about 180 tokens of a language model, in words.
	floorWindow = 133
)

func newFloor(docs string) (*floor, error) {
	f := &floor{
		df:   map[string]int{},
		word: regexp.MustCompile(`[A-Za-z]+(?:['’][a-z]+)?|\d+(?:[.,]\d+)*%?|\pL+`),
		stop: map[string]bool{},
	}
	for _, w := range strings.Fields(`a an the of in on at to for from by with and or but nor so as is are was were
		be been being am it its this that these those there here he she they them his her their we us our you your
		i my me who whom whose which what when where why how do does did have has had will would can could may might
		shall should must no not if then than also into about over under after before between during through up down
		out off again more most some such only own same too very just because while until both each few other any all
		s t now per via upon among within against`) {
		f.stop[w] = true
	}
	err := lines(docs, func(d *json.Decoder) error {
		var doc struct{ Text string }
		if err := d.Decode(&doc); err != nil {
			return err
		}
		f.docs++
		seen := map[string]bool{}
		for _, w := range f.words(doc.Text) {
			if !seen[w] {
				seen[w] = true
				f.df[w]++
			}
		}
		return nil
	})
	return f, err
}

// words returns the stems of the content words of text.
func (f *floor) words(text string) []string {
	var out []string
	for _, w := range f.word.FindAllString(text, -1) {
		if w = strings.ToLower(w); !f.stop[w] {
			out = append(out, plainStem(w))
		}
	}
	return out
}

func plainStem(w string) string {
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

// score returns the least and the mean score of the claims of a row.
func (f *floor) score(r *result) (least, mean float64) {
	var windows []map[string]bool
	for _, c := range r.Contexts {
		// Content words are about six in ten, so a window of them is shorter.
		const size = floorWindow * 6 / 10
		w := f.words(c)
		for i := 0; i == 0 || i+size-size/3 < len(w); i += size / 3 {
			set := map[string]bool{}
			for _, x := range w[min(i, len(w)):min(i+size, len(w))] {
				set[x] = true
			}
			windows = append(windows, set)
		}
	}
	least = math.Inf(1)
	for _, c := range r.Claims {
		words := f.words(c.Text)
		best := 0.0
		for _, set := range windows {
			var have, all float64
			for _, w := range words {
				idf := math.Log(float64(f.docs+1) / (float64(f.df[w]) + 0.5))
				all += idf
				if set[w] {
					have += idf
				}
			}
			if all == 0 {
				have, all = 1, 1
			}
			best = math.Max(best, have/all)
		}
		least = math.Min(least, best)
		mean += best / float64(len(r.Claims))
	}
	return least, mean
}
