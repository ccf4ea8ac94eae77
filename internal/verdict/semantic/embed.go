package semantic

import (
	"context"
	"math"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// WordsVersion identifies the embeddings of Words. It changes with them.
const WordsVersion = "words/2"

// wordDimensions is the length of the embeddings of Words. With 1024 dimensions, two
// features of a claim rarely share one.
const wordDimensions = 1024

// Words embeds claims as bags of their words, without a model: a word is its stem and its synonyms,
// weighted by inverse document frequency. Words that Judge ignores, such as articles, have no
// weight. Numbers have the weight of a common word. Word order is lost, so the embeddings are
// suitable only after the words of the claims have been compared. Words is safe for concurrent use.
type Words struct{ lex *lexicon.Lexicon }

// NewWords returns an embedder. It returns an error only if the embedded lexicon is corrupt.
func NewWords() (*Words, error) {
	lex, err := lexicon.Load()
	return &Words{lex}, err
}

// Embed returns the embedding of each text. It returns an error only if ctx is done.
func (w *Words) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = w.embed(text)
	}
	return vectors, nil
}

func (w *Words) embed(text string) []float32 {
	vector := make([]float32, wordDimensions)
	for _, x := range split(text) {
		var keys []uint64
		weight := 1.0
		if x.kind == number {
			keys = append(keys, lexicon.Hash(x.text))
		} else {
			key := w.lex.Key(x.text)
			keys, weight = append(keys, key), w.lex.IDF(key)
			w.lex.Related(key, func(other uint64, r lexicon.Relation) {
				if r == lexicon.Synonym {
					keys = append(keys, other)
				}
			})
		}
		weight /= math.Sqrt(float64(len(keys)))
		// The sign also depends on the word, so that collisions cancel out on average
		// (Weinberger et al., 2009, "Feature hashing for large scale multitask learning").
		for _, k := range keys {
			k *= 0x9e3779b97f4a7c15 // spread the bits of similar hashes
			sign := 1 - 2*float32(k>>63)
			vector[k>>32%wordDimensions] += sign * float32(weight)
		}
	}
	return vector
}
