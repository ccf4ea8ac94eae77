package llm

import (
	"math"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

const (
	maxAlternatives = 20    // largest top_logprobs of OpenAI
	maxTokenBytes   = 256   // longest alternative that is kept
	minLogprob      = -9999 // vLLM's value for negative infinity
	roundingLogprob = 1e-3  // a log probability may exceed 0 by this much
)

// findTokens finds the tokens in text, which is all that they write, or their last part if the
// server has removed reasoning, spaces or special tokens. It returns none if the tokens write
// something else. It skips those that overlap none of spans, which are ascending byte ranges, and
// ends before a token with a number that is not a log probability. A token has n alternatives at most.
func findTokens(list []openai.LogProb, text string, spans [][2]int, n int) (tokens []Token) {
	var all strings.Builder
	for i := range list {
		all.WriteString(tokenText(list[i].Token, list[i].Bytes))
	}
	start := strings.LastIndex(all.String(), text)
	if start < 0 || text == "" {
		return nil
	}
	end := -start
	for i := range list {
		t := Token{Start: end, End: end + len(tokenText(list[i].Token, list[i].Bytes))}
		end = t.End
		t.Start, t.End = max(t.Start, 0), min(t.End, len(text))
		for len(spans) > 0 && spans[0][1] <= t.Start {
			spans = spans[1:]
		}
		if t.Start >= t.End || len(spans) == 0 || spans[0][0] >= t.End {
			continue
		}
		if t.Top = alternatives(&list[i], n); t.Top == nil {
			break
		}
		tokens = append(tokens, t)
	}
	return tokens
}

// tokenText returns the text of a token. bytes is exact if the token is a part of a character.
func tokenText(token string, bytes []byte) string {
	if len(bytes) > 0 {
		return string(bytes)
	}
	return token
}

// alternatives returns the token of a response and at most n others, or nil if
// a number is not a log probability.
func alternatives(p *openai.LogProb, n int) []Alternative {
	own := tokenText(p.Token, p.Bytes)
	list := []Alternative{{own, p.LogProb}}
	for i := range p.TopLogProbs {
		a := &p.TopLogProbs[i]
		if text := tokenText(a.Token, a.Bytes); text != own && len(text) <= maxTokenBytes && len(list) <= n {
			list = append(list, Alternative{text, a.LogProb})
		}
	}
	for i := range list {
		x := &list[i].Logprob
		if math.IsNaN(*x) || *x > roundingLogprob {
			return nil
		}
		*x = min(max(*x, minLogprob), 0)
	}
	return list
}

// validTokens reports whether tokens that were read from a cache lie within text, in order.
func validTokens(tokens []Token, text string) bool {
	at := 0
	for _, t := range tokens {
		if t.Start < at || t.End <= t.Start || t.End > len(text) || len(t.Top) == 0 {
			return false
		}
		at = t.End
	}
	return true
}
