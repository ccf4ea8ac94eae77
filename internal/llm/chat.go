package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// Complete sends a request. Its errors are *ParseError, *LengthError,
// *RefusalError, *ContextLengthError, *StatusError, *NetworkError,
// *TimeoutError, *DownError, *BudgetError and the error of ctx. UsageOf returns their cost.
func (c *Client) Complete(ctx context.Context, r *Request) (*Reply, error) {
	n := c.negotiate(r)
	defer n.unlock()
	if err := cmp.Or(n.check(nil), n.fitMinute(nil)); err != nil {
		return nil, err
	}
	timeout := c.timeout
	if r.reasons && timeout > 0 {
		timeout = max(timeout, c.reasoningTimeout)
	}
	var reply *Reply
	used, err := c.sender.do(ctx, call{
		size: func() Size { return c.tokens.Request(n.request) }, price: c.price,
		send: func(ctx context.Context) (u usage.Usage, err error) {
			reply, u, err = c.send(ctx, n)
			return u, err
		},
		adapt: n.adapt, timeout: timeout, timeoutIsFinal: r.timeoutIsFinal,
	})
	if err != nil {
		return nil, withUsage(err, used)
	}
	reply.Usage = used
	return reply, nil
}

// send sends the request of n once.
func (c *Client) send(ctx context.Context, n *negotiation) (*Reply, usage.Usage, error) {
	r, f := n.request, n.form
	used := usage.Usage{Requests: 1}
	x := &exchange{wire: c.wire, limit: limitReply(f.outputTokens(r), f.logprobs(r))}
	res, err := x.client().CreateChatCompletion(ctx, c.request(r, f))
	switch {
	case err != nil && x.reply != nil: // go-openai can't decode it
		res, err = c.wire.decodeChat(x.reply)
	case errors.Is(err, openai.ErrReasoningEffortUnsupported): // as the server would
		err = &StatusError{Status: http.StatusBadRequest, Message: err.Error(), Param: "reasoning_effort"}
	}
	if err != nil {
		return nil, used, classify(err)
	}
	n.succeed()
	used = used.Add(c.replyUsage(r, &res))
	reply, err := c.read(ctx, r, f, &res)
	return reply, used, err
}

// request converts r to a request in form f.
func (c *Client) request(r *Request, f form) openai.ChatCompletionRequest {
	q := openai.ChatCompletionRequest{Model: c.model, Messages: messages(r, f)}
	switch n := f.outputTokens(r); f.TokenParam {
	case maxTokens:
		q.MaxTokens = n //nolint:staticcheck // most servers support only this parameter
	case maxCompletionTokens:
		q.MaxCompletionTokens = n
	case noMaxTokens:
	}
	if !f.NoTemperature {
		q.Temperature = max(float32(r.Temperature), math.SmallestNonzeroFloat32)
	}
	if r.Seed != 0 && !f.NoSeed {
		q.Seed = &r.Seed
	}
	if !f.NoEffort {
		q.ReasoningEffort = c.effort
	}
	var documents []map[string]string // in the form that chat templates read
	for _, m := range r.Messages {
		if m.Role == Document {
			documents = append(documents, map[string]string{"doc_id": strconv.Itoa(len(documents)), "text": m.Text})
		}
	}
	if documents != nil {
		q.ChatTemplateKwargs = map[string]any{"documents": documents}
	}
	if n := f.logprobs(r); n > 0 {
		q.LogProbs, q.TopLogProbs = true, n
	}
	if r.Schema == nil {
		return q
	}
	switch f.Format {
	case jsonSchema:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: r.Schema.Name, Schema: f.schema(r), Strict: true},
		}
	case jsonMode:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	case jsonInPrompt:
	}
	return q
}

// messages converts the messages of r. If the schema is not sent separately, it is appended to the
// system message, so that the texts to judge stay last and all requests share a prefix.
func messages(r *Request, f form) []openai.ChatCompletionMessage {
	src := r.Messages
	if r.Schema != nil && f.Format != jsonSchema {
		src = withSystem(src, "Reply with one JSON value and nothing else. It must satisfy this JSON Schema:\n"+string(f.schema(r)))
	}
	out := make([]openai.ChatCompletionMessage, 0, len(src))
	system := ""
	for _, m := range src {
		if m.Role == Document {
			continue
		}
		if f.NoSystem && m.Role == System {
			system += m.Text + "\n\n"
			continue
		}
		out = append(out, openai.ChatCompletionMessage{Role: string(m.Role), Content: system + m.Text})
		system = ""
	}
	if system != "" {
		out = append(out, openai.ChatCompletionMessage{Role: string(User), Content: strings.TrimSpace(system)})
	}
	return out
}

// withSystem appends a paragraph to the system message, or adds one.
func withSystem(ms []Message, text string) []Message {
	if len(ms) == 0 || ms[0].Role != System {
		return append([]Message{{System, text}}, ms...)
	}
	out := append([]Message(nil), ms...)
	out[0].Text += "\n\n" + text
	return out
}

// messageText returns the text of a message from whichever field contains it.
func messageText(m *openai.ChatCompletionMessage) string {
	var b strings.Builder
	b.WriteString(m.Content)
	for _, p := range m.MultiContent {
		b.WriteString(p.Text)
	}
	text := b.String()
	if text == "" && len(m.ToolCalls) > 0 {
		return m.ToolCalls[0].Function.Arguments
	}
	return text
}

// An optional is a part of a reply that is left out if the server sends another type, so
// that the reply is still readable.
type optional[T any] struct{ value T }

// UnmarshalJSON implements json.Unmarshaler.
func (o *optional[T]) UnmarshalJSON(b []byte) error {
	var v T
	if json.Unmarshal(b, &v) == nil {
		o.value = v
	}
	return nil
}

// decodeChat decodes the parts of a chat completion that are needed, even if go-openai
// can't decode others.
func (w *wire) decodeChat(body []byte) (res openai.ChatCompletionResponse, err error) {
	var parts struct {
		Choices []struct {
			Message      openai.ChatCompletionMessage `json:"message"`
			FinishReason openai.FinishReason          `json:"finish_reason"`
			LogProbs     optional[*openai.LogProbs]   `json:"logprobs"`
			Index        optional[int]                `json:"index"`
		} `json:"choices"`
		Usage optional[openai.Usage] `json:"usage"`
	}
	err = w.decode(body, &parts)
	res.Usage = parts.Usage.value
	for _, p := range parts.Choices {
		res.Choices = append(res.Choices, openai.ChatCompletionChoice{Message: p.Message, FinishReason: p.FinishReason, LogProbs: p.LogProbs.value, Index: p.Index.value})
	}
	return res, err
}

// read converts a response into a Reply. It redacts the key only after parsing,
// so that redaction does not affect parsing.
func (c *Client) read(ctx context.Context, r *Request, f form, res *openai.ChatCompletionResponse) (*Reply, error) {
	reply, err := c.readReply(ctx, r, f, res)
	if reply != nil {
		reply.Downgraded = r.Schema != nil && f.Format != jsonSchema
		if err := c.setLogprobs(reply, r, res.Choices[0].LogProbs); err != nil {
			return nil, err
		}
		if text := c.wire.redactReply(reply.Text); text != reply.Text {
			reply.Text, reply.Logprobs = text, nil // their offsets would be wrong
		}
		reply.JSON = c.wire.redactJSON(reply.JSON)
	}
	if e, ok := errors.AsType[*ParseError](err); ok {
		e.Reason, e.Text = c.wire.redactError(e.Reason), c.wire.redactError(e.Text)
	}
	if e, ok := errors.AsType[*RefusalError](err); ok {
		e.Message = c.wire.redactError(e.Message)
	}
	return reply, err
}

func (c *Client) readReply(ctx context.Context, r *Request, f form, res *openai.ChatCompletionResponse) (*Reply, error) {
	isBroken := func(c openai.ChatCompletionChoice) bool { return c.FinishReason == "error" } // of OpenRouter
	if res.Choices = slices.DeleteFunc(res.Choices, isBroken); len(res.Choices) == 0 {
		return nil, &ParseError{Reason: "the answer has no choices"}
	}
	slices.SortStableFunc(res.Choices, func(a, b openai.ChatCompletionChoice) int { return cmp.Compare(a.Index, b.Index) })
	choice := &res.Choices[0]
	text := messageText(&choice.Message)
	switch {
	case choice.Message.Refusal != "":
		return nil, &RefusalError{Reason: "refusal", Message: truncateText(choice.Message.Refusal, 300)}
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return nil, &RefusalError{Reason: "content_filter"}
	}
	reply := &Reply{Text: text}
	atLimit := isTruncated(string(choice.FinishReason))
	lengthError := func() error {
		answer, started := Answer(text)
		details := res.Usage.CompletionTokensDetails
		reasoned := !started || len(answer) != len(text) || choice.Message.ReasoningContent != "" || details != nil && details.ReasoningTokens > 0
		started = started && strings.TrimSpace(answer) != ""
		return &LengthError{
			Limit: f.outputTokens(r), Reasoning: !started, hasReasoning: reasoned,
			isProse: started && !reasoned && r.Schema != nil && !startsWithJSON(answer),
		}
	}
	if r.Schema == nil {
		if atLimit && (r.Accept == nil || !isCompleteAnswer(text)) {
			return nil, lengthError()
		}
		if r.Accept != nil {
			if err := r.Accept(text); err != nil {
				return nil, &ParseError{Reason: err.Error(), Text: text}
			}
		}
		return reply, nil
	}
	if atLimit {
		// A reply truncated after the last brace is still complete.
		if reply.JSON = parseAlone(text, r.Schema, promptEcho(r.Messages)); reply.JSON == nil {
			return nil, lengthError()
		}
		return reply, nil
	}
	v, err := parse(ctx, text, r.Schema, promptEcho(r.Messages))
	if err != nil {
		return nil, err
	}
	reply.JSON = v
	return reply, nil
}

// setLogprobs sets reply.Logprobs from a response. It ignores log probabilities that do not fit the
// text. If r requires them and the server returns none, it returns a *LogprobsError.
func (c *Client) setLogprobs(reply *Reply, r *Request, from *openai.LogProbs) error {
	if r.Logprobs == 0 {
		return nil
	}
	if from == nil || len(from.Content) == 0 {
		if r.LogprobsRequired {
			return &LogprobsError{}
		}
		return nil
	}
	c.mu.Lock()
	c.gaveLogprobs = true
	c.mu.Unlock()
	spans := [][2]int{{0, len(reply.Text)}}
	if r.Spans != nil {
		spans = r.Spans(reply)
	}
	reply.Logprobs = findTokens(from.Content, reply.Text, spans, min(r.Logprobs, maxAlternatives))
	return nil
}

// replyUsage returns the tokens reported by the server. Missing or implausible
// counts are replaced by estimates, so that no reply appears to be free.
func (c *Client) replyUsage(r *Request, res *openai.ChatCompletionResponse) usage.Usage {
	text := ""
	if len(res.Choices) > 0 {
		text = messageText(&res.Choices[0].Message) + res.Choices[0].Message.Refusal
	}
	u := usage.Usage{PromptTokens: res.Usage.PromptTokens, CompletionTokens: completionTokens(&res.Usage)}
	if !isPlausible(u.PromptTokens, promptBytes(r), maxAddedTokens) {
		u.PromptTokens, u.Estimated = c.tokens.Request(r).Prompt, true
	}
	if n := u.CompletionTokens; (n != 0 || text != "") && !isPlausible(n, len(text), maxReasoningTokens) {
		u.CompletionTokens, u.Estimated = c.tokens.Text(text), true
	}
	return u
}

// completionTokens returns the completion tokens of a reply, including reasoning
// tokens that some servers, such as Gemini's, report only in the total.
func completionTokens(u *openai.Usage) int {
	if n := u.TotalTokens - u.PromptTokens; u.PromptTokens > 0 && n > u.CompletionTokens && n <= maxReasoningTokens {
		return n
	}
	return u.CompletionTokens
}

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
	const most = 1.05 // of all probabilities, which are rounded
	sum := 0.0
	for i := range list {
		x := &list[i].Logprob
		if math.IsNaN(*x) || *x > roundingLogprob {
			return nil
		}
		*x = min(max(*x, minLogprob), 0)
		if sum += math.Exp(*x); sum > most { // null is read as 0
			return nil
		}
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
