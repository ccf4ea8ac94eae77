package main

import (
	"math/rand/v2"
	"strings"

	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/syntax/words"
)

// pickSentences returns a random sentence of each text, one a line, with spaces between
// words.
func pickSentences(texts []string) string {
	random := rand.New(rand.NewPCG(1, 3))
	var b strings.Builder
	for _, text := range texts {
		spans := segment.Sentences(text, "en")
		random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		for _, at := range spans {
			sentence := text[at.Start:at.End]
			var forms []string
			for _, w := range words.Split(sentence) {
				forms = append(forms, sentence[w.Start:w.End])
			}
			if len(forms) >= 5 && len(forms) <= 40 {
				b.WriteString(strings.Join(forms, " "))
				b.WriteByte('\n')
				break
			}
		}
	}
	return b.String()
}
