package extract

import "context"

// WholeAnswer extracts the answer as a single claim, without the sentences that claim
// nothing before its first and after its last assertion.
type WholeAnswer struct{ Sentences Sentences }

// Extract returns one claim, or none if no sentence of answer claims anything. Its
// errors are those of [Sentences.Extract].
func (x WholeAnswer) Extract(ctx context.Context, question, answer string) (Extraction, error) {
	e, err := x.Sentences.Extract(ctx, question, answer)
	e.Whole = true
	if err != nil || len(e.Claims) < 2 {
		return e, err
	}
	start, end := e.Claims[0].Start, e.Claims[len(e.Claims)-1].End
	whole := Claim{Start: start, End: end, Text: string([]rune(answer)[start:end])}
	for _, c := range e.Claims {
		whole.Citations = append(whole.Citations, c.Citations...)
	}
	var outside []Skipped
	for _, s := range e.Skipped {
		if s.End <= start || s.Start >= end {
			outside = append(outside, s)
		}
	}
	e.Claims, e.Skipped = []Claim{whole}, outside
	return e, nil
}
