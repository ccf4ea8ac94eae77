package eval

import (
	"fmt"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// covers checks that the claims and what is skipped are all of the answer, one
// after the other. Claims that a language model has rewritten have no place in it.
func (c *Checker) covers(r *Result) error {
	at, claims, skipped := 0, r.Claims, r.Skipped
	for len(claims)+len(skipped) > 0 {
		var start, end int
		switch {
		case len(claims) > 0 && claims[0].Start < 0:
			return nil
		case len(skipped) == 0 || len(claims) > 0 && claims[0].Start <= skipped[0].Start:
			start, end, claims = claims[0].Start, claims[0].End, claims[1:]
		default:
			start, end, skipped = skipped[0].Start, skipped[0].End, skipped[1:]
		}
		if start < at {
			return mismatch("start", strconv.Itoa(start), strconv.Itoa(at)+" or more, where the claim or skipped sentence before it ends")
		}
		if err := c.between(at, start); err != nil {
			return err
		}
		at = end
	}
	return c.between(at, c.answer.len())
}

// between checks that nothing of the answer is judged nowhere.
func (c *Checker) between(start, end int) error {
	if gap, ok := c.answer.slice(start, end); ok && extract.MayAssert(gap) {
		return mismatch("claims", fmt.Sprintf("nothing of the answer from %d to %d", start, end), "a claim or a skipped sentence, since it says "+excerpt(gap))
	}
	return nil
}
