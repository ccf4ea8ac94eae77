package local

import (
	"context"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// judgeSentences judges the sentences of each claim and combines the verdicts on them.
func (j *CrossEncoder) judgeSentences(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	parts := verdict.Task{Question: task.Question, Contexts: task.Contexts}
	counts := make([]int, len(task.Claims)) // sentences of each claim
	for i, c := range task.Claims {
		text, first := c.Judged(), len(parts.Claims)
		j.sentences(text, func(start, end int) {
			parts.Claims = append(parts.Claims, extract.Claim{ID: len(parts.Claims), Text: text[start:end]})
		})
		if len(parts.Claims)-first < 2 {
			c.ID = first
			parts.Claims = append(parts.Claims[:first], c)
		}
		counts[i] = len(parts.Claims) - first
	}
	out, err := j.judge(ctx, parts)
	if err != nil {
		return verdict.Judgement{}, err
	}
	sentences := out.Verdicts
	out.Verdicts = make([]verdict.Verdict, 0, len(counts))
	for i, n := range counts {
		v := j.mean(sentences[:n])
		v.ClaimID = task.Claims[i].ID
		out.Verdicts = append(out.Verdicts, v)
		sentences = sentences[n:]
	}
	return out, nil
}

// mean returns the verdict on a claim with the mean score of its sentences. Its evidence is
// that of the sentence with the highest score if the claim is supported, otherwise of
// the one with the lowest.
func (j *CrossEncoder) mean(sentences []verdict.Verdict) verdict.Verdict {
	if len(sentences) == 1 {
		return sentences[0]
	}
	score, best, worst := 0.0, 0, 0
	for i, v := range sentences {
		score += v.Score / float64(len(sentences))
		if v.Score > sentences[best].Score {
			best = i
		}
		if v.Score < sentences[worst].Score {
			worst = i
		}
	}
	v := sentences[worst]
	if j.supports(score) {
		v = sentences[best]
	}
	v.Score = score
	v.Reason = fmt.Sprintf("mean of %d sentences %.3f: %s", len(sentences), score, v.Reason)
	return v
}
