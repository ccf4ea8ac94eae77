package llm

import (
	"context"
	"fmt"
	"math"
	"net/http"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// Embed returns a vector for each text, using one request. It fails unless all
// vectors have the same length and contain only finite numbers. Some servers
// reject empty texts. If the server truncated a text, the error is a
// *ContextLengthError. UsageOf also returns the usage from an error.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	if len(texts) == 0 {
		return nil, usage.Usage{}, nil
	}
	attemptCtx, cancel := withTimeout(ctx, c.timeout)
	defer cancel()
	used := usage.Usage{Requests: 1}
	res, err := c.api.CreateEmbeddings(attemptCtx, openai.EmbeddingRequestStrings{
		Input: texts, Model: openai.EmbeddingModel(c.model), EncodingFormat: openai.EmbeddingEncodingFormatFloat,
	})
	if err != nil {
		err, _ = classify(c.failure(ctx, err))
		return nil, used, withUsage(err, used)
	}
	used = used.Add(c.embeddingUsage(texts, res.Usage.PromptTokens))
	if textsTruncated(texts, res.Usage.PromptTokens) {
		return nil, used, withUsage(&ContextLengthError{Limit: res.Usage.PromptTokens, Silent: true}, used)
	}
	out, err := vectors(res.Data, len(texts))
	if err != nil {
		return nil, used, withUsage(&StatusError{Status: http.StatusOK, Message: err.Error()}, used)
	}
	return out, used, nil
}

// minLongText is the minimum number of words for detecting truncation. The
// smallest embedding models read 256 tokens.
const minLongText = 200

// textsTruncated reports whether the server counted fewer tokens than the texts
// have words. It ignores short texts because some servers report no or
// unrelated counts for them.
func textsTruncated(texts []string, promptTokens int) bool {
	hasLongText, words := false, 0
	for _, t := range texts {
		n := minTokens(t)
		hasLongText = hasLongText || n >= minLongText
		words += n
	}
	return hasLongText && promptTokens > 0 && float64(promptTokens) < minTokensPerWord*float64(words)
}

// vectors returns n vectors in the order of their texts.
func vectors(data []openai.Embedding, n int) ([][]float32, error) {
	if len(data) != n {
		return nil, fmt.Errorf("got %d vectors for %d texts", len(data), n)
	}
	out := make([][]float32, n)
	for _, d := range data {
		switch {
		case d.Index < 0 || d.Index >= n || out[d.Index] != nil:
			return nil, fmt.Errorf("got an unexpected or duplicate vector for text %d", d.Index)
		case len(d.Embedding) == 0 || len(d.Embedding) != len(data[0].Embedding):
			return nil, fmt.Errorf("got vectors of different lengths, %d and %d", len(data[0].Embedding), len(d.Embedding))
		}
		for _, x := range d.Embedding {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, fmt.Errorf("the vector of text %d contains NaN or infinity", d.Index)
			}
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

// A BatchedEmbedder splits texts into batches of at most Size for Next.
type BatchedEmbedder struct {
	Next Embedder
	Size int // defaults to 256
}

// Embed implements Embedder. If a batch fails, the usage includes the batches before.
func (b *BatchedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	size := b.Size
	if size <= 0 {
		size = 256
	}
	out := make([][]float32, 0, len(texts))
	var used usage.Usage
	for start := 0; start < len(texts); start += size {
		v, u, err := b.Next.Embed(ctx, texts[start:min(start+size, len(texts))])
		used = used.Add(u)
		if err != nil {
			return nil, used, withUsage(err, used)
		}
		if len(out) > 0 && len(v) > 0 && len(v[0]) != len(out[0]) {
			return nil, used, withUsage(fmt.Errorf("embeddings: got vectors of different lengths, %d and %d", len(out[0]), len(v[0])), used)
		}
		out = append(out, v...)
	}
	return out, used, nil
}
