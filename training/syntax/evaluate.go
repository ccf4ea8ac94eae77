package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
	"github.com/ragfaith/ragfaith/internal/syntax/lemma"
	"github.com/ragfaith/ragfaith/internal/syntax/words"
)

// evaluate prints the accuracy of a model on sentences with correct words: of tags, and
// of heads without and with their relations (UAS, LAS) of words that are no punctuation.
func evaluate(data []byte, sentences []*sentence, tags *names) error {
	m, err := greedy.NewModel(data)
	if err != nil {
		return err
	}
	var words, fine, coarse, arcs, heads, labelled int
	start := time.Now()
	var scratch greedy.Scratch
	for _, s := range sentences {
		predictedTags, predictedHeads, predictedRelations := m.Parse(s.forms, &scratch)
		for i := range s.forms {
			words++
			got, want := tags.list[predictedTags[i]], tags.list[s.tags[i]]
			gotCoarse, gotFine, _ := strings.Cut(got, "|")
			wantCoarse, wantFine, _ := strings.Cut(want, "|")
			if gotCoarse == wantCoarse {
				coarse++
			}
			if gotFine == wantFine {
				fine++
			}
			if wantCoarse == "PUNCT" {
				continue
			}
			arcs++
			head := predictedHeads[i] + 1
			if head == 0 {
				head = len(s.forms) + 1
			}
			if head == s.heads[i+1] {
				heads++
				if predictedRelations[i] == s.relations[i+1] {
					labelled++
				}
			}
		}
	}
	fmt.Printf("universal tags %.2f%%, Penn tags %.2f%%, UAS %.2f, LAS %.2f, %.0f sentences/s\n", percent(coarse, words), percent(fine, words),
		percent(heads, arcs), percent(labelled, arcs), float64(len(sentences))/time.Since(start).Seconds())
	return nil
}

func percent(a, b int) float64 { return 100 * float64(a) / float64(b) }

// evaluateLemmas prints the accuracy of lemmas of words with correct tags, without
// regard to case.
func evaluateLemmas(data string, sentences []*sentence, tags []string) {
	table := lemma.New(data)
	right, all := 0, 0
	for _, s := range sentences {
		for i, form := range s.forms {
			_, fine, _ := strings.Cut(tags[s.tags[i]], "|")
			all++
			if table.Of(form, fine) == strings.ToLower(s.lemmas[i]) {
				right++
			}
		}
	}
	fmt.Printf("lemmas %.2f%%\n", percent(right, all))
}

// evaluateWords prints the F1 score of the places of words.
func evaluateWords(sentences []*sentence) {
	right, got, want := 0, 0, 0
	for _, s := range sentences {
		expected := map[words.Span]bool{}
		for _, span := range s.spans() {
			expected[span] = true
		}
		spans := words.Split(s.text)
		for _, span := range spans {
			if expected[span] {
				right++
			}
		}
		got, want = got+len(spans), want+len(expected)
	}
	fmt.Printf("words %.2f%%\n", percent(2*right, got+want))
}
