package wildtest

// draft is reasoning that looks like an answer, with verdicts that nobody means.
const draft = "Yes, the user asks me to check the claims. A first idea would be " +
	`{"verdicts":[{"claim_id":0,"statement_id":0,"chunk_ids":[],"quote":"","reason":"draft","verdict":"supported"}]}` +
	" but let me look closer."

// A Reasoner says how a model reasons before it answers.
type Reasoner struct {
	Tokens func(c *Call) int // output tokens that a call takes for it
	// Text puts reasoning and answer together in the content; nil for a server that
	// keeps the reasoning apart. The answer is "" if the output tokens ran out.
	Text   func(reasoning, answer string) string
	Field  bool   // reasoning kept apart is sent beside the content
	Silent bool   // its tokens are not reported
	Finish string // of a truncated reply; "" for length
}

// Reasons takes output tokens for reasoning, and truncates what does not fit.
func Reasons(r Reasoner) Quirk {
	return changed(func(c *Call, a *Answer) {
		need := r.Tokens(c)
		answer := a.Content
		a.CompletionTokens += need
		a.ReasoningTokens = need
		reasoning := draft
		if c.Limit != "" && c.MaxTokens < a.CompletionTokens {
			a.Finish = "length"
			if r.Finish != "" {
				a.Finish = r.Finish
			}
			a.CompletionTokens, a.ReasoningTokens, answer = c.MaxTokens, c.MaxTokens, ""
			reasoning = draft[:min(len(draft), 4*c.MaxTokens)]
		}
		if r.Silent {
			a.ReasoningTokens = 0
		}
		if r.Text != nil {
			a.Content = r.Text(reasoning, answer)
			return
		}
		a.Content = answer
		if r.Field {
			a.Reasoning = reasoning
		}
	})
}

// Tokens is a number of tokens from least to most that depends on the prompt
// alone.
func Tokens(least, most int) func(c *Call) int {
	return func(c *Call) int {
		sum := uint32(2166136261) // FNV-1a
		for i := range len(c.User) {
			sum = (sum ^ uint32(c.User[i])) * 16777619
		}
		return least + int(sum%uint32(most-least+1)) //nolint:gosec // least is at most most
	}
}

// Tags is text with reasoning between tags; without opening, the prompt template
// has the opening tag.
func Tags(opening, closing string) func(reasoning, answer string) string {
	return func(reasoning, answer string) string {
		if answer == "" {
			return opening + reasoning
		}
		return opening + reasoning + closing + "\n\n" + answer
	}
}

// Channels is text as gpt-oss writes it, where a server does not take it apart.
func Channels(reasoning, answer string) string {
	text := "<|channel|>analysis<|message|>" + reasoning
	if answer != "" {
		text += "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>" + answer + "<|return|>"
	}
	return text
}
