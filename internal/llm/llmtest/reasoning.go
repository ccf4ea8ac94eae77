package llmtest

// draft is reasoning that resembles an answer; its verdicts must be ignored.
const draft = "Yes, the user asks me to check the claims. A first idea would be " +
	`{"verdicts":[{"claim_id":0,"statement_id":0,"chunk_ids":[],"quote":"","reason":"draft","verdict":"supported"}]}` +
	" but let me look closer."

// A Reasoner configures how a model reasons before it answers.
type Reasoner struct {
	Tokens func(c *Call) int // output tokens for reasoning
	// Text combines reasoning and answer in the content. Nil means that the server separates
	// them. The answer is empty if the output tokens ran out.
	Text   func(reasoning, answer string) string
	Field  bool // send separated reasoning in its own field
	Silent bool // do not report reasoning tokens
}

// Reasons uses output tokens for reasoning, and truncates replies that exceed the limit.
func Reasons(r Reasoner) Quirk {
	return changed(func(c *Call, a *Answer) {
		need := r.Tokens(c)
		answer := a.Content
		a.CompletionTokens += need
		a.ReasoningTokens = need
		reasoning := draft
		if c.Limit != "" && c.MaxTokens < a.CompletionTokens {
			a.Finish = "length"
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

// Tokens returns a function for a number from low to high that depends only on the prompt.
func Tokens(low, high int) func(c *Call) int {
	return func(c *Call) int {
		sum := uint32(2166136261) // FNV-1a
		for i := range len(c.User) {
			sum = (sum ^ uint32(c.User[i])) * 16777619
		}
		return low + int(sum%uint32(high-low+1)) //nolint:gosec // low <= high
	}
}

// Tags puts reasoning between tags. Opening is empty if the prompt template adds that tag.
func Tags(opening, closing string) func(reasoning, answer string) string {
	return func(reasoning, answer string) string {
		if answer == "" {
			return opening + reasoning
		}
		return opening + reasoning + closing + "\n\n" + answer
	}
}
