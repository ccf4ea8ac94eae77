package crossencoder

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/verdict/passage"
)

// limit is how many tokens the model can read, or 0 for any number.
func (j *Judge) limit() int {
	info := j.o.Model.Info()
	if info.MaxTokens > 0 {
		return info.MaxTokens
	}
	return info.Window
}

// windows cuts texts into what fits beside a claim of so many tokens. At least
// half of what the model can read is for the text.
func (j *Judge) windows(ctx context.Context, texts []string, longestClaim int) ([]passage.Passage, error) {
	room := 0
	if limit := j.limit(); limit > 0 {
		room = limit - j.o.Model.Specials()
		room = max(room-min(longestClaim, room/2), 1)
	}
	return passage.Splitter{Count: j.o.Model.Count, Sentences: j.o.Sentences}.Split(ctx, texts, room)
}
