package llm

import (
	"math"
	"testing"
)

func TestTokensThatOverflowStayAtTheLargestInteger(t *testing.T) {
	u := Usage{Requests: 1, PromptTokens: math.MaxInt, CompletionTokens: 2}
	sum := u.Add(u)
	if want := (Usage{Requests: 2, PromptTokens: math.MaxInt, CompletionTokens: 4}); sum != want || sum.Tokens() != math.MaxInt {
		t.Errorf("got %v with %d tokens, want %v", sum, sum.Tokens(), want)
	}
	b := NewBudget(0, 1)
	for range 3 {
		b.settle(spending{}, (&priced{b, 1, 1}).cost(math.MaxInt, math.MaxInt), false)
	}
	if usd, tokens := b.Spent(); !(usd > 0) || tokens <= 0 {
		t.Errorf("got $%v and %d tokens, want more than 0", usd, tokens)
	}
}
