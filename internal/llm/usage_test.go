package llm

import (
	"math"
	"testing"
)

func TestBudgetDoesNotOverflow(t *testing.T) {
	b := NewBudget(0, 1)
	for range 3 {
		b.spent = b.spent.add((&priced{b, 1, 1}).cost(math.MaxInt, math.MaxInt))
	}
	if usd, tokens := b.Spent(); !(usd > 0) || tokens <= 0 {
		t.Errorf("got $%v and %d tokens, want more than 0", usd, tokens)
	}
}
