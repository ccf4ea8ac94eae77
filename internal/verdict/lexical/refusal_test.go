package lexical

import (
	"strings"
	"testing"
)

const ferry = "Harbour Ferry. Tickets cost 14 euros for adults and 6 euros for children. The crossing takes 45 minutes. Captain Lena Holt founded the line in 1962. " +
	"Dogs travel free. Boats leave from pier 3 at 9:15. It is unknown when the harbour was dug, in 1800 or 1850. Service stops in heavy fog because the channel is narrow. If bikes travel, they are strapped down."

func TestAnswered(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{Sentences: func(text string, yield func(start, end int)) {
		at := 0
		for i := range text {
			if text[i] == '\n' || i > 0 && text[i] == ' ' && text[i-1] == '.' {
				yield(at, i)
				at = i + 1
			}
		}
		yield(at, len(text))
	}})
	for _, c := range []struct{ question, refusal, want string }{
		{"", "The documents do not mention how much tickets cost for adults.", "Tickets cost 14 euros"},
		{"", "The price of tickets is not mentioned in the documents.", "Tickets cost 14 euros"},
		{"How much are tickets for adults?", "The context does not contain the answer.", "Tickets cost 14 euros"},
		{"", "I cannot find in the context how long the crossing takes.", "The crossing takes"},
		{"", "There is no information about the duration of the crossing in the documents.", "The crossing takes"},
		{"", "The leaflet doesn't say when the line was founded.", "Captain Lena Holt"},
		{"", "The text is silent on who founded the line.", "Captain Lena Holt"},
		{"", "The text does not specify where boats leave.", "Boats leave from pier 3"},
		{"", "The text does not state whether dogs travel free.", "Dogs travel free"},

		{"", "I could not find the price of tickets.", "Tickets cost 14 euros"},
		{"", "It is not stated where boats leave.", "Boats leave from pier 3"},
		{"", "While the text does not say how long the crossing takes,", "The crossing takes"},

		{"", "I could not find the price of parking.", ""},
		{"", "It is not stated who built pier 3.", ""},
		{"", "No information about parking is available.", ""},
		{"", "The documents do not state when dogs travel.", ""},
		{"", "The documents do not say how much parking costs.", ""},
		{"", "The documents do not say who built pier 3.", ""},
		{"", "The context does not state when the line closes.", ""},
		{"", "The passage does not mention when Lena Holt was born.", ""},
		{"", "The text does not say how long the crossing takes in winter.", ""},
		{"", "The text does not say when the harbour was dug.", ""}, // nor do the contexts
		{"", "The text does not say whether bikes travel.", ""},     // mentioned only in a condition
		{"", "The documents do not provide enough information about tickets.", ""},
		{"How much is a ticket for seniors?", "The context does not contain the answer.", ""},
		{"How much are tickets?", "I don't know.", ""},
	} {
		e, ok, err := j.Answered(t.Context(), c.question, c.refusal, []string{"Nothing here.", ferry})
		if err != nil {
			t.Fatal(err)
		}
		if ok != (c.want != "") || !strings.HasPrefix(strings.TrimSpace(e.Quote), c.want) {
			t.Errorf("%s: got %v, %q, want %q", c.refusal, ok, e.Quote, c.want)
		}
		if ok && string([]rune(ferry)[e.Start:e.End]) != e.Quote {
			t.Errorf("%s: got quote %q, want code points %d to %d of the context", c.refusal, e.Quote, e.Start, e.End)
		}
	}
}
