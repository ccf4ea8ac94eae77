package llm

import (
	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// What a count of tokens may exceed the bytes of its text by: what a server adds to
// a prompt, and reasoning that it does not send. A token has at least one byte, so a
// count beyond that is not one.
const (
	maxAddedTokens     = 1 << 16
	maxReasoningTokens = 1 << 20
)

// counted is what the server reports for a reply. Where it reports nothing, or
// what can't be, the tokens are counted as they were for the budget, so that no
// reply is free, and the usage is marked as estimated.
func (c *Client) counted(r *Request, res openai.ChatCompletionResponse) usage.Usage {
	text := ""
	if len(res.Choices) > 0 {
		text = said(res.Choices[0].Message) + res.Choices[0].Message.Refusal
	}
	u := usage.Usage{PromptTokens: res.Usage.PromptTokens, CompletionTokens: res.Usage.CompletionTokens}
	if !plausible(u.PromptTokens, promptBytes(r), maxAddedTokens) {
		u.PromptTokens, u.Estimated = c.tokens.Request(r).Prompt, true
	}
	if n := u.CompletionTokens; (n != 0 || text != "") && !plausible(n, len(text), maxReasoningTokens) {
		u.CompletionTokens, u.Estimated = c.tokens.Text(text), true
	}
	return u
}

// plausible reports whether n can be the tokens of that many bytes and at most
// added tokens of others.
func plausible(n, bytes, added int) bool { return n > 0 && n <= bytes+added }

func promptBytes(r *Request) int {
	n := 0
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	if r.Schema != nil {
		n += len(r.Schema.JSON)
	}
	return n
}

// countedTexts is counted for texts that became vectors.
func (c *Client) countedTexts(texts []string, reported int) usage.Usage {
	u, bytes := usage.Usage{PromptTokens: reported}, 0
	for _, t := range texts {
		bytes += len(t)
	}
	if plausible(reported, bytes, maxAddedTokens) {
		return u
	}
	u.PromptTokens, u.Estimated = 0, true
	for _, t := range texts {
		u.PromptTokens += c.tokens.Text(t)
	}
	return u
}
