package eval

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// cite resolves the citations of the claims and, if the row is scored, judges them.
func (p *Pipeline) cite(ctx context.Context, e *evaluation) error {
	claims := e.claims
	if e.row.Sources != nil {
		claims = extract.WithMentions(e.row.Answer, claims)
	}
	if !slices.ContainsFunc(claims, func(c extract.Claim) bool { return len(c.Citations) > 0 }) {
		return nil
	}
	c := citationJudge{p: p, e: e, claims: claims, alone: make(map[claimChunk]verdict.Label), budget: minCitedBytes + citedPerByte*int(textBytes(&e.row))}
	if !c.resolve() || e.status != result.Scored {
		return nil
	}
	if err := c.judge(ctx); err != nil {
		return timedOut(ctx, err)
	}
	c.setVerdicts()
	recall, precision, err := c.score(ctx)
	if err != nil {
		return timedOut(ctx, err)
	}
	e.recall, e.precision = recall, precision
	return nil
}

const (
	// Judging citations is limited to minCitedBytes of claims and contexts plus citedPerByte
	// times the text of the row. Beyond that the verdict over all contexts decides.
	minCitedBytes = 4 << 20
	citedPerByte  = 32
	// maxJoint is the maximum number of chunks that needed tries.
	maxJoint = 8
)

type claimChunk struct{ claim, chunk int }

type citationJudge struct {
	p      *Pipeline
	e      *evaluation
	claims []extract.Claim              // with everything that may be a citation
	chunks [][][]int                    // candidates by claim and citation
	alone  map[claimChunk]verdict.Label // of a claim given one chunk
	budget int                          // bytes that may still be judged
}

// resolve sets the citations of the row and reports whether there are any.
func (c *citationJudge) resolve() bool {
	x := newSourceIndex(&c.e.row, c.claims)
	c.chunks = make([][][]int, len(c.claims))
	all, found := make([][]result.Citation, len(c.claims)), false
	for i := range c.claims {
		for k := range c.claims[i].Citations {
			cited := &c.claims[i].Citations[k]
			candidates := x.find(cited)
			if cited.Weak && candidates == nil {
				continue
			}
			if cited.Weak { // it may still be part of the text
				c.removeMarker(i, " "+cited.Text)
			}
			chunk := -1
			if candidates != nil {
				chunk = candidates[0]
			}
			found = true
			c.chunks[i] = append(c.chunks[i], candidates)
			all[i] = append(all[i], result.Citation{Text: cited.Text, Start: cited.Start, End: cited.End, Chunk: chunk})
		}
	}
	if found {
		c.e.citations, c.e.recall, c.e.precision = all, math.NaN(), math.NaN()
	}
	return found
}

// removeMarker removes a citation marker from the text of claim i that is judged.
func (c *citationJudge) removeMarker(i int, marker string) {
	if c.budget -= len(c.claims[i].Text); c.budget < 0 {
		return
	}
	if text := strings.Replace(c.claims[i].Text, marker, "", 1); text != c.claims[i].Text {
		if &c.claims[0] == &c.e.claims[0] {
			c.claims = slices.Clone(c.claims)
		}
		c.claims[i].Text = text
	}
}

// judge determines the verdict of every claim given each chunk that it cites alone.
func (c *citationJudge) judge(ctx context.Context) error {
	pending := make(map[int][]int) // claims by chunk
	for i := range c.chunks {
		for _, candidates := range c.chunks[i] {
			for _, chunk := range candidates {
				pair := claimChunk{i, chunk}
				if _, known := c.alone[pair]; known {
					continue
				}
				label, sure := c.derive(i, chunk)
				c.alone[pair] = label
				if !sure {
					pending[chunk] = append(pending[chunk], i)
				}
			}
		}
	}
	for chunk := range c.e.row.Contexts {
		claims := pending[chunk]
		if len(claims) == 0 {
			continue
		}
		labels, err := c.ask(ctx, c.e.row.Contexts[chunk:chunk+1], claims)
		if err != nil {
			return err
		}
		for k, label := range labels {
			c.alone[claimChunk{claims[k], chunk}] = label
		}
	}
	return nil
}

// mayDerive reports whether verdicts may be derived from those over all contexts.
func (c *citationJudge) mayDerive() bool { return c.p.DeriveCited || c.p.Combined != nil }

// derive derives the verdict of claim i given one chunk from the verdict given all
// of them. It reports false if the judge must decide.
func (c *citationJudge) derive(i, chunk int) (label verdict.Label, sure bool) {
	v := &c.e.verdicts[i]
	if len(c.e.row.Contexts) == 1 || c.e.empty {
		return v.Label, true
	}
	switch {
	case v.Label == verdict.Unjudged:
		return verdict.Unjudged, true
	case v.Label == verdict.Supported && slices.Contains(v.ChunkIDs, chunk):
		return verdict.Supported, c.mayDerive()
	case v.Label == verdict.Contradicted && slices.ContainsFunc(v.Evidence, func(e verdict.Evidence) bool { return e.Chunk == chunk }):
		return verdict.Contradicted, c.mayDerive()
	case v.Label == verdict.Supported: // by other chunks, and perhaps also by this one
		return verdict.NotMentioned, c.p.Combined != nil
	}
	return verdict.NotMentioned, c.mayDerive()
}

// ask returns the labels of claims given some contexts, or nil if the budget is used up.
func (c *citationJudge) ask(ctx context.Context, contexts []string, claims []int) ([]verdict.Label, error) {
	task := verdict.Task{Question: c.e.row.Question, Contexts: contexts, Claims: make([]extract.Claim, len(claims))}
	size := 0
	for _, text := range contexts {
		size += len(text)
	}
	for k, i := range claims {
		task.Claims[k] = c.claims[i]
		task.Claims[k].ID = k
		size += len(task.Claims[k].Text)
	}
	if c.budget -= size; c.budget < 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(contexts, func(s string) bool { return strings.TrimSpace(s) != "" }) {
		return make([]verdict.Label, len(claims)), nil // judges may require some text
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	judgement, err := c.p.Judge.Judge(ctx, task)
	c.e.spend(judgement.Usage)
	if err != nil {
		return nil, err
	}
	c.e.mark(judgement.Marks...)
	verdicts, err := reconcile(task.Claims, judgement.Verdicts)
	if err != nil {
		return nil, err
	}
	labels := make([]verdict.Label, len(verdicts))
	for k := range verdicts {
		labels[k] = verdicts[k].Label
	}
	return labels, nil
}

// setVerdicts sets the verdicts of the citations. If several chunks have the cited
// name, it takes the first one that supports the claim.
func (c *citationJudge) setVerdicts() {
	for i, list := range c.e.citations {
		for k := range list {
			cited := &list[k]
			if cited.Chunk < 0 {
				continue
			}
			for _, chunk := range c.chunks[i][k] {
				if c.alone[claimChunk{i, chunk}] == verdict.Supported {
					cited.Chunk = chunk
					break
				}
			}
			cited.Verdict = result.Verdict(c.alone[claimChunk{i, cited.Chunk}].String())
		}
	}
}

// score returns the citation recall and precision of the row as ALCE defines them
// (see result.CitationScores), except that several citations of a chunk count once,
// that their number is not limited, and that claims whose citations are unjudged do
// not count. Recall is NaN if no claim counts, and precision if no citation does.
func (c *citationJudge) score(ctx context.Context) (recall, precision float64, err error) {
	claims, supported, counted, good := len(c.e.claims), 0, 0, 0
	for i := range c.e.claims {
		chunks, alone, ok := result.CitedChunks(c.e.citations[i])
		if len(chunks) == 0 && ok {
			claims--
		}
		if len(chunks) == 0 || !ok {
			continue
		}
		counted += len(chunks)
		if alone > 0 { // the other chunks are not needed
			supported++
			good += alone
			continue
		}
		joint, err := c.joint(ctx, i, chunks)
		if err != nil {
			return 0, 0, err
		}
		if !joint {
			continue
		}
		supported++
		needed, err := c.needed(ctx, i, chunks)
		if err != nil {
			return 0, 0, err
		}
		good += needed
	}
	return float64(supported) / float64(claims), float64(good) / float64(counted), nil // 0/0 is NaN
}

// joint reports whether chunks that do not support claim i alone do so together.
func (c *citationJudge) joint(ctx context.Context, i int, chunks []int) (bool, error) {
	if len(chunks) < 2 || c.p.Combined != nil || c.p.DeriveCited && c.e.verdicts[i].Label != verdict.Supported {
		return false, nil
	}
	texts := make([]string, len(chunks))
	for k, chunk := range chunks {
		texts[k] = c.e.row.Contexts[chunk]
	}
	var tries [][]string
	if len(chunks) < len(c.e.row.Contexts) { // otherwise the verdict is known
		tries = append(tries, texts)
	} else if c.e.verdicts[i].Label == verdict.Supported {
		return true, nil
	}
	if !c.p.DeriveCited { // an offline judge may look at one context at a time
		tries = append(tries, []string{strings.Join(texts, "\n")})
	}
	for _, contexts := range tries {
		labels, err := c.ask(ctx, contexts, []int{i})
		if err != nil || labels != nil && labels[0] == verdict.Supported {
			return err == nil, err
		}
	}
	return false, nil
}

// needed counts the chunks without which the others do not support claim i. All of
// them support it together and none alone. It returns 0 for more than maxJoint chunks.
func (c *citationJudge) needed(ctx context.Context, i int, chunks []int) (int, error) {
	if len(chunks) > maxJoint {
		return 0, nil
	}
	n := 0
	for k := range chunks {
		others, err := c.joint(ctx, i, slices.Delete(slices.Clone(chunks), k, k+1))
		if err != nil {
			return 0, err
		}
		if !others {
			n++
		}
	}
	return n, nil
}
