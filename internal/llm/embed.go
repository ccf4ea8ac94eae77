package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// An embedder embeds texts with a model of a server, and caches and meters their vectors.
type embedder struct {
	client *Client
	cache  *Cache // may be nil
	meter  *Meter
}

// maxTexts is the number of texts in a request for vectors.
const maxTexts = 256

// Embed implements Embedder. Vectors are cached by text, endpoint and model.
func (e *embedder) Embed(ctx context.Context, texts []string) (out [][]float32, used usage.Usage, err error) {
	defer func() { e.meter.add(used) }()
	space := "vector\x00" + e.client.Endpoint() + "\x00" + e.client.model
	out = make([][]float32, len(texts))
	var missing []string
	var indexes []int
	for i, t := range texts {
		if e.cache != nil {
			if v, ok := e.cache.Get(ctx, space, sha256Hex(t)); ok && json.Unmarshal(v, &out[i]) == nil && len(out[i]) > 0 {
				continue
			}
		}
		out[i] = nil
		missing, indexes = append(missing, t), append(indexes, i)
	}
	if len(missing) == 0 && len(texts) > 0 {
		return out, usage.Usage{CachedRequests: 1}, nil
	}
	for chunk := range slices.Chunk(missing, maxTexts) {
		vectors, u, err := e.client.Embed(ctx, chunk)
		if used = used.Add(u); err != nil {
			return nil, used, withUsage(err, used)
		}
		for _, v := range vectors {
			i := indexes[0]
			indexes = indexes[1:]
			out[i] = v
			if b, err := json.Marshal(v); err == nil && e.cache != nil {
				e.cache.Put(ctx, space, sha256Hex(texts[i]), b)
			}
		}
	}
	return out, used, nil
}

// Embed returns a vector for each text, using one request. It fails unless all
// vectors have the same length. JSON has only finite numbers. Some servers
// reject empty texts. If the server truncated a text, the error is a
// *ContextLengthError. UsageOf also returns the usage from an error.
func (c *Client) Embed(ctx context.Context, texts []string) (vectors [][]float32, used usage.Usage, err error) {
	used, err = c.sender.do(ctx, call{
		size: func() Size { return Size{Prompt: c.countTexts(texts)} }, price: c.price, timeout: c.timeout,
		send: func(ctx context.Context) (u usage.Usage, err error) {
			vectors, u, err = c.embed(ctx, texts)
			return u, err
		},
	})
	if err != nil {
		return nil, used, withUsage(err, used)
	}
	return vectors, used, nil
}

// embed sends the request of Embed once.
func (c *Client) embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	x := &exchange{wire: c.wire, limit: replyLimit{maxReplyBytes, maxReplyValues}}
	res, err := x.client().CreateEmbeddings(ctx, openai.EmbeddingRequest{
		Input: texts, Model: openai.EmbeddingModel(c.model), EncodingFormat: openai.EmbeddingEncodingFormatFloat,
	})
	if err != nil && x.reply != nil { // go-openai can't decode it
		var parts struct {
			Data  []openai.Embedding     `json:"data"`
			Usage optional[openai.Usage] `json:"usage"`
		}
		err = c.wire.decode(x.reply, &parts)
		res.Data, res.Usage = parts.Data, parts.Usage.value
	}
	used := usage.Usage{Requests: 1}
	if err != nil {
		return nil, used, classify(err)
	}
	reported := res.Usage.PromptTokens
	if isPlausible(reported, len(strings.Join(texts, "")), maxAddedTokens) {
		used.PromptTokens = reported
	} else {
		used.PromptTokens, used.Estimated = c.countTexts(texts), true
	}
	if textsTruncated(texts, reported) {
		return nil, used, &ContextLengthError{Limit: reported, Silent: true}
	}
	out, err := vectors(res.Data, len(texts))
	if err != nil {
		return nil, used, &StatusError{Status: http.StatusOK, Message: err.Error()}
	}
	return out, used, nil
}

func (c *Client) countTexts(texts []string) (n int) {
	for _, t := range texts {
		n += c.tokens.Text(t)
	}
	return n
}

// minLongText is the minimum number of words for detecting truncation. The
// smallest embedding models read 256 tokens.
const minLongText = 200

// textsTruncated reports whether the server counted fewer tokens than the texts have words. It
// ignores short texts because some servers report no or unrelated counts for them.
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
		out[d.Index] = d.Embedding
	}
	return out, nil
}
