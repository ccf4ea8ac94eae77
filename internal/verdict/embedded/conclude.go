package embedded

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const maxEvidence = 3 // maximum sentences that a verdict quotes

// conclude returns the verdict on claim i.
func (j *Judge) conclude(ctx context.Context, r *row, i int) (verdict.Verdict, error) {
	words, s := r.words[i], r.signals[i]
	if s.Settled || s.Unread {
		if s.Unread {
			words.Score = j.o.Formula.probability(s)
			words.Label = j.relabel(words.Score, words.Label)
		}
		return words, nil
	}
	v := verdict.Verdict{ClaimID: words.ClaimID, Score: j.o.Formula.probability(s)}
	best, against := r.strongest(i)
	v.Label = j.relabel(v.Score, words.Label)
	if v.Label == verdict.NotMentioned && against.contradiction > 0 && against.contradiction > best.support {
		v.Label = verdict.Contradicted
	}
	var err error
	switch v.Label {
	case verdict.Supported:
		err = j.supported(ctx, r, i, best, &v)
	case verdict.Contradicted:
		v.Unsupported = unsupportedSpans(r.task.Claims[i], best)
		err = j.contradicted(ctx, r, i, against, &v)
	case verdict.NotMentioned:
		v.Unsupported = unsupportedSpans(r.task.Claims[i], best)
		v.Evidence = words.Evidence[:min(1, len(words.Evidence))]
		v.Reason, v.Missing = missingReason(r.task.Claims[i], words, v), words.Missing
	}
	return v, err
}

// relabel returns the label for a score, given the label of the lexical judge.
func (j *Judge) relabel(score float64, words verdict.Label) verdict.Label {
	switch {
	case score >= j.o.Threshold:
		return verdict.Supported
	case words == verdict.Contradicted:
		return verdict.Contradicted
	}
	return verdict.NotMentioned
}

// strongest returns the readings of a claim with the highest support and
// contradiction.
func (r *row) strongest(i int) (best, against reading) {
	best, against = r.readings[i][0], r.readings[i][0]
	for _, x := range r.readings[i][1:] {
		if x.support > best.support {
			best = x
		}
		if x.contradiction > against.contradiction {
			against = x
		}
	}
	return best, against
}

// supported adds the evidence for a claim: that of the lexical judge if it also
// supports the claim, and otherwise the best window.
func (j *Judge) supported(ctx context.Context, r *row, i int, best reading, v *verdict.Verdict) error {
	words := r.words[i]
	if words.Label == verdict.Supported {
		v.ChunkIDs, v.Reason, v.Evidence = words.ChunkIDs, words.Reason, words.Evidence
		return nil
	}
	if err := j.quote(ctx, r, i, best, v); err != nil {
		return err
	}
	for _, e := range v.Evidence {
		v.ChunkIDs = append(v.ChunkIDs, e.Chunk)
	}
	for _, x := range r.readings[i] {
		if w := r.windows[x.window]; len(w.pieces) == 1 && x.window != best.window {
			s := Signals{Words: r.cover[i][x.window].Score, Support: x.support, Contradiction: x.contradiction, Worst: x.worst}
			if j.o.Formula.probability(s) >= j.o.Threshold {
				v.ChunkIDs = append(v.ChunkIDs, w.pieces[0].chunk)
			}
		}
	}
	if len(v.ChunkIDs) == 0 { // the window contains no sentence
		v.ChunkIDs = append(v.ChunkIDs, r.windows[best.window].pieces[0].chunk)
	}
	slices.Sort(v.ChunkIDs)
	v.ChunkIDs = slices.Compact(v.ChunkIDs)
	v.Reason = "stated in other words" + inChunk(v.Evidence)
	return nil
}

// contradicted adds the evidence against a claim.
func (j *Judge) contradicted(ctx context.Context, r *row, i int, against reading, v *verdict.Verdict) error {
	if words := r.words[i]; words.Label == verdict.Contradicted {
		v.Reason, v.Evidence = words.Reason, words.Evidence
		return nil
	}
	if err := j.quote(ctx, r, i, against, v); err != nil {
		return err
	}
	v.Evidence = v.Evidence[:min(1, len(v.Evidence))]
	v.Reason = "contradicted" + inChunk(v.Evidence)
	if pieces := verdict.QuoteSpans(r.task.Claims[i], v.Unsupported); len(pieces) > 0 {
		v.Reason += "; nothing supports " + strings.Join(pieces, ", ")
	}
	return nil
}

// missingReason returns the reason why a claim is not supported: the words that occur
// in no context, or those for which the model finds no support.
func missingReason(c extract.Claim, words, v verdict.Verdict) string {
	if words.Label == verdict.NotMentioned && words.Missing {
		return words.Reason
	}
	reason := "not stated; nearest passage" + inChunk(v.Evidence)
	if len(v.Evidence) == 0 {
		reason = "not stated"
	}
	if pieces := verdict.QuoteSpans(c, v.Unsupported); len(pieces) > 0 {
		reason += "; nothing supports " + strings.Join(pieces, ", ")
	}
	return reason
}

// inChunk quotes the first piece of evidence with its chunk, or returns "" if there is
// none.
func inChunk(evidence []verdict.Evidence) string {
	if len(evidence) == 0 {
		return ""
	}
	return " in chunk " + strconv.Itoa(evidence[0].Chunk) + ": " + verdict.Excerpt(evidence[0].Quote, 0)
}

// quote adds the evidence in a window: the sentences of a packed window, or the
// sentence of a passage that covers most of the claim.
func (j *Judge) quote(ctx context.Context, r *row, i int, x reading, v *verdict.Verdict) error {
	contexts, w := r.task.Contexts, r.windows[x.window]
	if len(w.pieces) > 1 {
		for _, p := range w.pieces[:min(maxEvidence, len(w.pieces))] {
			v.Evidence = append(v.Evidence, verdict.NewEvidence(contexts, p.chunk, p.start, p.end))
		}
		return nil
	}
	p := w.pieces[0]
	var sentences []piece
	var texts []string
	j.o.Sentences(w.text, func(start, end int) {
		sentences = append(sentences, piece{p.chunk, p.start + start, p.start + end})
		texts = append(texts, w.text[start:end])
	})
	if len(texts) == 0 {
		return nil
	}
	f, err := j.o.Words.Features(ctx, r.task.Claims[i:i+1], texts)
	if err != nil {
		return err
	}
	best := 0
	for k := range texts {
		if f[0][k].Near > f[0][best].Near {
			best = k
		}
	}
	v.Evidence = append(v.Evidence, verdict.NewEvidence(contexts, sentences[best].chunk, sentences[best].start, sentences[best].end))
	return nil
}

// unsupportedSpans returns the spans of a claim for which the model finds no support.
func unsupportedSpans(c extract.Claim, x reading) []extract.Span {
	var ranges [][2]int
	for _, t := range x.output.Tokens {
		if t.Unsupported > 0 {
			ranges = append(ranges, [2]int{t.Start, t.End})
		}
	}
	return verdict.UnsupportedSpans(c, ranges)
}
