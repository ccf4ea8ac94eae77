package crossencoder

import (
	"context"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/verdict/passage"
)

// A Layout is how a published judge was trained to read a text and a claim, where that
// does not follow from its files.
type Layout struct {
	// Template combines text and claim; "" means as a pair. See encoder.Options.
	Template string
	// Labels are the meanings of the logits, as names of labels; nil means those in the
	// model's files.
	Labels []string
	// Tokens are the output tokens of the labels, for a model with a decoder.
	Tokens []int
	// Chunk is the maximum size of the passage that is judged at once, in words and
	// punctuation marks if Words is set and otherwise in tokens. Passages do not overlap.
	// If it is 0, passages overlap and are as large as the model can read.
	Chunk int
	Words bool
	// Limit is the maximum number of tokens of an input. If it is 0, it follows from the
	// model's files.
	Limit int
}

// binary are the labels of judges that only tell supported claims from others.
func binary() []string { return []string{"not_supported", "supported"} }

// Layouts returns the layouts of published judges by repository. They were taken from
// the inference code of each judge: minicheck/inference.py of Liyan06/MiniCheck and
// factcg/inference.py of derenlei/FactCG.
func Layouts() map[string]Layout {
	factCG := "{text1}\n\nChoose your answer: based on the paragraph above can we conclude that \"{text2}\"?\n\n" +
		"OPTIONS:\n- Yes\n- No\nI think the answer is "
	return map[string]Layout{
		"yaxili96/FactCG-DeBERTa-v3-Large":  {Template: factCG, Labels: binary(), Chunk: 550, Words: true, Limit: 2048},
		"lytang/MiniCheck-Flan-T5-Large":    {Template: "predict: {text1}</s>{text2}", Labels: binary(), Tokens: []int{3, 209}, Chunk: 500, Words: true, Limit: 2048},
		"lytang/MiniCheck-RoBERTa-Large":    {Template: "{text1}</s>{text2}", Labels: binary(), Chunk: 400, Limit: 512},
		"lytang/MiniCheck-DeBERTa-v3-Large": {Template: "{text1}[SEP]{text2}", Labels: binary(), Chunk: 400, Limit: 2048},
	}
}

// Apply sets the options for opening a model with layout l.
func (l Layout) Apply(o *encoder.Options) {
	o.Template, o.LabelNames, o.LabelTokens = l.Template, l.Labels, l.Tokens
}

// windows splits texts into the passages to classify with claims of up to longestClaim
// tokens. At least half of the model's limit is reserved for the passage.
func (j *Judge) windows(ctx context.Context, texts []string, longestClaim int) ([]passage.Passage, error) {
	room := 0
	if limit := j.limit(); limit > 0 {
		room = limit - j.o.Model.Specials()
		room = max(room-min(longestClaim, room/2), 1)
	}
	s := passage.Splitter{Count: j.o.Model.Count, Sentences: j.o.Sentences}
	chunk := j.o.Layout.Chunk
	if chunk == 0 {
		return s.Split(ctx, texts, room)
	}
	s.Disjoint = true
	switch {
	case !j.o.Layout.Words && room > 0:
		chunk = min(chunk, room)
	case j.o.Layout.Words:
		s.Count = func(text string) int {
			n := countWords(text)
			if room > 0 { // texts in rare scripts have far more tokens than words
				n = max(n, (j.o.Model.Count(text)*chunk+room-1)/room)
			}
			return n
		}
	}
	return s.Split(ctx, texts, chunk)
}

// limit returns the number of tokens that the model can read, or 0 if
// unlimited.
func (j *Judge) limit() int {
	info := j.o.Model.Info()
	switch {
	case j.o.Layout.Limit > 0:
		return j.o.Layout.Limit
	case info.MaxTokens > 0:
		return info.MaxTokens
	}
	return info.Window
}

// countWords returns the number of words and punctuation marks in text.
func countWords(text string) int {
	n, inWord := 0, false
	for _, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
		if !unicode.IsSpace(r) && (!letter || !inWord) {
			n++
		}
		inWord = letter
	}
	return n
}
