package tokenizer

import (
	"errors"
	"fmt"
)

// A Strategy says which text is cut when there are too many tokens.
type Strategy uint8

// The strategies, by the names that tokenizers gives them.
const (
	LongestFirst Strategy = iota // longest_first: both, so that neither is much longer
	OnlyFirst                    // only_first
	OnlySecond                   // only_second
)

// A Truncation is a limit on the number of tokens, special ones included.
type Truncation struct {
	MaxLength int
	Strategy  Strategy
}

// ErrCannotTruncate says that the text that a strategy cuts is too short, or that
// there is none.
var ErrCannotTruncate = errors.New("can't be truncated as wished")

// lengths returns how many of n1 and n2 tokens are kept. With pair false n2 is 0.
// With special tokens alone above the limit nothing is cut: that is what comes of
// an unsigned subtraction in the reference.
func (t *Truncation) lengths(n1, n2, added int, pair bool) (int, int, error) {
	budget := t.MaxLength - added
	if budget < 0 {
		return n1, n2, nil
	}
	if budget == 0 {
		return 0, 0, nil
	}
	over := n1 + n2 - budget
	if over <= 0 {
		return n1, n2, nil
	}
	switch t.Strategy {
	case LongestFirst:
		if !pair {
			return budget, 0, nil
		}
		k1, k2 := share(n1, n2, budget)
		return min(n1, k1), min(n2, k2), nil
	case OnlyFirst:
		if n1 > over {
			return n1 - over, n2, nil
		}
		return 0, 0, fmt.Errorf("%d tokens, at most %d: the first text %w", n1+n2+added, t.MaxLength, ErrCannotTruncate)
	case OnlySecond:
		if n2 > over {
			return n1, n2 - over, nil
		}
		return 0, 0, fmt.Errorf("%d tokens, at most %d: the second text %w", n1+n2+added, t.MaxLength, ErrCannotTruncate)
	}
	return 0, 0, fmt.Errorf("strategy %d: %w", t.Strategy, ErrCannotTruncate)
}

// share divides a budget between texts that are too long for it together: the
// shorter one is kept if it takes no more than half.
func share(n1, n2, budget int) (int, int) {
	if n1 > n2 {
		n2, n1 = share(n2, n1, budget)
		return n1, n2
	}
	if n1 > budget {
		n2 = n1
	} else {
		n2 = max(n1, budget-n1)
	}
	if n1+n2 > budget {
		n1 = budget / 2
		n2 = n1 + budget%2
	}
	return n1, n2
}
