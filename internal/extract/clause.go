package extract

import (
	"cmp"
	"context"

	"github.com/ragfaith/ragfaith/internal/segment"
)

// Clauses extracts the sentences of an answer as claims and splits English
// sentences that make several independent statements.
type Clauses struct{ Sentences Sentences }

// Extract returns the claims of x.Sentences. An English sentence whose parts are
// statements of their own is replaced by a claim for each part: coordinated
// clauses, relative clauses after a comma, and an event's place and time. From is
// the sentence of such a claim, and its citations are those of the sentence. In case
// of doubt, a sentence is not split. Its errors are those of [Sentences.Extract].
func (x Clauses) Extract(ctx context.Context, question, answer string) (Extraction, error) {
	e, err := x.Sentences.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 || segment.Language(answer, x.Sentences.Lang) != "en" {
		return e, err
	}
	const checkInterval = 64
	claims := make([]Claim, 0, len(e.Claims))
	for i, c := range e.Claims {
		if i%checkInterval == checkInterval-1 && ctx.Err() != nil {
			return Extraction{}, ctx.Err()
		}
		parts := splitSentence(cmp.Or(c.Statement, c.Text))
		if len(parts) == 0 {
			claims = append(claims, c)
		}
		for _, text := range parts {
			part := Claim{Text: text, Start: -1, End: -1, From: &Span{Start: c.Start, End: c.End}, Citations: c.Citations}
			if c.Statement == "" {
				part.Lead = c.Lead
			}
			claims = append(claims, part)
		}
	}
	for i := range claims {
		claims[i].ID = i
	}
	e.Claims = claims
	return e, nil
}
