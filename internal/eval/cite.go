package eval

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A Citation is a citation of a claim, the chunk that it names, and whether that
// supports the claim.
type Citation struct {
	Text       string // the marker as it stands in the answer
	Start, End int    // of the marker, in code points of the answer
	Chunk      int    // index into the contexts; -1 where it resolves to nothing
	Judged     bool   // Label is set: it resolves, and the row did not fail
	Label      verdict.Label
}

// Cited is what the claims of a row cite.
type Cited struct {
	Citations [][]Citation // of each claim
	// Recall is the share of the claims that what they cite supports, and Precision
	// the share of the cited chunks that their claims need; both NaN unless the row is
	// scored, and Precision also where no citation counts.
	Recall, Precision float64
}

// Unresolved counts the citations that resolve to nothing.
func (c *Cited) Unresolved() int {
	n := 0
	for _, list := range c.Citations {
		for i := range list {
			if list[i].Chunk < 0 {
				n++
			}
		}
	}
	return n
}

// unjudge takes back the verdicts and scores, as of a row that failed.
func (c *Cited) unjudge() {
	c.Recall, c.Precision = math.NaN(), math.NaN()
	for _, list := range c.Citations {
		for i := range list {
			list[i].Judged, list[i].Label = false, 0
		}
	}
}

// cite finds the chunks that the claims of r cite, and judges the claims of a scored
// row by them.
func (p *Pipeline) cite(ctx context.Context, r *Result) error {
	claims := r.Claims
	if r.Row.Sources != nil {
		claims = extract.WithMentions(r.Row.Answer, claims)
	}
	if !slices.ContainsFunc(claims, func(c extract.Claim) bool { return len(c.Citations) > 0 }) {
		return nil
	}
	c := citing{p: p, r: r, claims: claims, alone: make(map[claimChunk]verdict.Label), left: firstCitedBytes + citedPerByte*int(textBytes(&r.Row))}
	if !c.resolve() {
		return nil
	}
	if r.Status != Scored {
		return nil
	}
	if err := c.judge(ctx); err != nil {
		return timedOut(ctx, err)
	}
	c.choose()
	recall, precision, err := c.score(ctx)
	if err != nil {
		return timedOut(ctx, err)
	}
	r.Cited.Recall, r.Cited.Precision = recall, precision
	return nil
}

const (
	// What is judged a second time for citations, in bytes of claims and contexts, is
	// limited to so much and to so many times the text of the row. Beyond that the
	// verdict over all contexts decides.
	firstCitedBytes = 4 << 20
	citedPerByte    = 32
	// maxJoint is of how many chunks it is tried whether each of them is needed.
	maxJoint = 8
)

type claimChunk struct{ claim, chunk int }

// A citing is a row while its citations are judged.
type citing struct {
	p      *Pipeline
	r      *Result
	claims []extract.Claim              // with all that may be a citation
	chunks [][][]int                    // of a claim and a citation, the chunks that it may mean
	alone  map[claimChunk]verdict.Label // of a claim by one chunk
	left   int                          // bytes that may still be judged
}

// resolve sets the citations of the row. It reports whether there are any.
func (c *citing) resolve() bool {
	x := newSourceIndex(&c.r.Row, c.claims)
	c.chunks = make([][][]int, len(c.claims))
	all, found := make([][]Citation, len(c.claims)), false
	for i := range c.claims {
		for k := range c.claims[i].Citations {
			cited := &c.claims[i].Citations[k]
			may := x.find(cited)
			if cited.Weak && may == nil {
				continue
			}
			if cited.Weak { // it may still be in the text
				c.leaveOut(i, " "+cited.Text)
			}
			chunk := -1
			if may != nil {
				chunk = may[0]
			}
			found = true
			c.chunks[i] = append(c.chunks[i], may)
			all[i] = append(all[i], Citation{Text: cited.Text, Start: cited.Start, End: cited.End, Chunk: chunk})
		}
	}
	if found {
		c.r.Cited = &Cited{Citations: all, Recall: math.NaN(), Precision: math.NaN()}
	}
	return found
}

// leaveOut takes a marker out of the text of claim i, as it is judged by its chunks.
func (c *citing) leaveOut(i int, marker string) {
	if c.left -= len(c.claims[i].Text); c.left < 0 {
		return
	}
	if text := strings.Replace(c.claims[i].Text, marker, "", 1); text != c.claims[i].Text {
		if &c.claims[0] == &c.r.Claims[0] {
			c.claims = slices.Clone(c.claims)
		}
		c.claims[i].Text = text
	}
}

// judge finds the verdict of every claim by each chunk that it cites.
func (c *citing) judge(ctx context.Context) error {
	asked := make(map[int][]int) // claims by chunk
	for i := range c.chunks {
		for _, may := range c.chunks[i] {
			for _, chunk := range may {
				pair := claimChunk{i, chunk}
				if _, known := c.alone[pair]; known {
					continue
				}
				label, sure := c.derive(i, chunk)
				c.alone[pair] = label
				if !sure {
					asked[chunk] = append(asked[chunk], i)
				}
			}
		}
	}
	for chunk := range c.r.Row.Contexts {
		claims := asked[chunk]
		if len(claims) == 0 {
			continue
		}
		labels, err := c.ask(ctx, c.r.Row.Contexts[chunk:chunk+1], claims)
		if err != nil {
			return err
		}
		for k, label := range labels {
			c.alone[claimChunk{claims[k], chunk}] = label
		}
	}
	return nil
}

// derived reports whether verdicts are told from those over all contexts where they
// can be.
func (c *citing) derived() bool { return c.p.DeriveCited || c.p.Combined != nil }

// derive tells the verdict of claim i by a chunk from that by all of them, and
// whether it is that without asking.
func (c *citing) derive(i, chunk int) (label verdict.Label, sure bool) {
	v := &c.r.Verdicts[i]
	if len(c.r.Row.Contexts) == 1 {
		return v.Label, true
	}
	switch {
	case v.Label == verdict.Supported && slices.Contains(v.ChunkIDs, chunk):
		return verdict.Supported, c.derived()
	case v.Label == verdict.Contradicted && slices.ContainsFunc(v.Evidence, func(e verdict.Evidence) bool { return e.Chunk == chunk }):
		return verdict.Contradicted, c.derived()
	case v.Label == verdict.Supported: // by other chunks, and perhaps by this one
		return verdict.NotMentioned, c.p.Combined != nil
	}
	return verdict.NotMentioned, c.derived()
}

// ask judges claims by some contexts. It returns their labels, none where the row
// has used up what it may ask.
func (c *citing) ask(ctx context.Context, contexts []string, claims []int) ([]verdict.Label, error) {
	task := verdict.Task{Question: c.r.Row.Question, Contexts: contexts, Claims: make([]extract.Claim, len(claims))}
	size := 0
	for _, text := range contexts {
		size += len(text)
	}
	for k, i := range claims {
		task.Claims[k] = c.claims[i]
		task.Claims[k].ID = k
		size += len(task.Claims[k].Text)
	}
	if c.left -= size; c.left < 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(contexts, func(s string) bool { return strings.TrimSpace(s) != "" }) {
		return make([]verdict.Label, len(claims)), nil // a judge may count on some text
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	said, err := c.p.Judge.Judge(ctx, task)
	c.r.spend(said.Usage)
	if err != nil {
		return nil, err
	}
	vs, err := reconcile(task.Claims, said.Verdicts)
	if err != nil {
		return nil, err
	}
	labels := make([]verdict.Label, len(vs))
	for k := range vs {
		labels[k] = vs[k].Label
	}
	return labels, nil
}

// choose sets the verdicts of the citations. Of several chunks with the cited name it
// takes the first that supports the claim.
func (c *citing) choose() {
	for i, list := range c.r.Cited.Citations {
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
			cited.Judged, cited.Label = true, c.alone[claimChunk{i, cited.Chunk}]
		}
	}
}

// score returns the citation recall and precision of the row as ALCE defines them
// (Gao et al., "Enabling Large Language Models to Generate Text with Citations",
// EMNLP 2023), but that citations of one chunk count once and any number of them
// counts. Precision is NaN where no citation of the row counts.
func (c *citing) score(ctx context.Context) (recall, precision float64, err error) {
	supported, counted, good := 0, 0, 0
	for i := range c.r.Claims {
		chunks, alone, ok := citedChunks(c.r.Cited.Citations[i])
		if !ok {
			continue
		}
		counted += len(chunks)
		if alone > 0 { // what else is cited, the others do without
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
	precision = math.NaN()
	if counted > 0 {
		precision = float64(good) / float64(counted)
	}
	return float64(supported) / float64(len(c.r.Claims)), precision, nil
}

// citedChunks returns the chunks that a claim cites, in order, and how many of them
// support it alone. It is false for a claim that cites nothing or what resolves to
// nothing.
func citedChunks(list []Citation) (chunks []int, alone int, ok bool) {
	var supporting []int
	for i := range list {
		c := &list[i]
		if c.Chunk < 0 {
			return nil, 0, false
		}
		chunks = append(chunks, c.Chunk)
		if c.Judged && c.Label == verdict.Supported {
			supporting = append(supporting, c.Chunk)
		}
	}
	slices.Sort(chunks)
	slices.Sort(supporting)
	return slices.Compact(chunks), len(slices.Compact(supporting)), len(chunks) > 0
}

// joint reports whether chunks of which none supports claim i alone support it
// together.
func (c *citing) joint(ctx context.Context, i int, chunks []int) (bool, error) {
	if len(chunks) < 2 || c.p.Combined != nil || c.p.DeriveCited && c.r.Verdicts[i].Label != verdict.Supported {
		return false, nil
	}
	texts := make([]string, len(chunks))
	for k, chunk := range chunks {
		texts[k] = c.r.Row.Contexts[chunk]
	}
	var ways [][]string
	if len(chunks) < len(c.r.Row.Contexts) { // of all of them the verdict is known
		ways = append(ways, texts)
	} else if c.r.Verdicts[i].Label == verdict.Supported {
		return true, nil
	}
	if !c.p.DeriveCited { // such a judge may look at one context at a time
		ways = append(ways, []string{strings.Join(texts, "\n")})
	}
	for _, contexts := range ways {
		labels, err := c.ask(ctx, contexts, []int{i})
		if err != nil || labels != nil && labels[0] == verdict.Supported {
			return err == nil, err
		}
	}
	return false, nil
}

// needed counts the chunks without which the others do not support claim i, which all
// of them do together and none alone. Beyond maxJoint chunks it is 0.
func (c *citing) needed(ctx context.Context, i int, chunks []int) (int, error) {
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
