package local

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// NewCrossEncoder returns a judge, or an error if the model is unsuitable.
func NewCrossEncoder(o CrossEncoderOptions) (*CrossEncoder, error) {
	if o.Batch < 1 {
		o.Batch = DefaultBatch
	}
	info := o.Model.Info()
	if info.Kind != encoder.Classify && info.Kind != encoder.HHEM {
		return nil, fmt.Errorf("a model of kind %q can't judge claims: want one that classifies pairs of texts", info.Kind)
	}
	if !slices.Contains(info.Meanings, encoder.Supported) {
		return nil, fmt.Errorf("none of the model's labels (%s) means that a claim is supported", strings.Join(info.Labels, ", "))
	}
	return &CrossEncoder{o, newBudget(o.Model, o.Layout.Limit)}, nil
}

// A reading is the output of the model for one claim and one window.
type reading struct {
	window encoder.Passage
	encoder.Probabilities
	found bool // false if no window was read
}

// Judge returns a verdict for each claim, in order. A claim is supported if the best
// window of any context supports it. It is contradicted if none does and contradiction is
// the most probable label for one of the windows. With Layout.Mean, this applies to the
// sentences of a claim. The errors are those of the model and the context.
func (j *CrossEncoder) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	if j.o.Layout.Mean {
		return j.judgeSentences(ctx, task)
	}
	return j.judge(ctx, task)
}

// judge returns a verdict for each claim as a whole.
func (j *CrossEncoder) judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	texts := task.Contexts
	if j.o.Joined {
		texts = []string{strings.Join(task.Contexts, "\n")}
	}
	work, err := j.choose(ctx, texts, task.Claims)
	if err != nil {
		return verdict.Judgement{}, err
	}
	best, against, err := j.read(ctx, texts, task.Claims, work)
	if err != nil {
		return verdict.Judgement{}, err
	}
	out := verdict.Judgement{Verdicts: make([]verdict.Verdict, len(task.Claims))}
	for i := range task.Claims {
		if err := ctx.Err(); err != nil {
			return verdict.Judgement{}, err
		}
		if out.Verdicts[i], err = j.conclude(ctx, task, texts, i, best[i], against[i]); err != nil {
			return verdict.Judgement{}, err
		}
	}
	return out, nil
}

// A pairing is a claim and a window to judge it against.
type pairing struct {
	claim  int
	window encoder.Passage
}

// choose returns the pairs of claims and windows to judge, in ascending order. The windows
// of a claim depend on its length, not on the other claims.
func (j *CrossEncoder) choose(ctx context.Context, texts []string, claims []extract.Claim) ([]pairing, error) {
	row := rowWindows{texts: texts, claims: claims, bySize: make(map[int]*windowSet)}
	var work []pairing
	for i, c := range claims {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := j.windowsFor(ctx, &row, c.Judged())
		if err != nil {
			return nil, err
		}
		order := make([]int, len(found.windows))
		for w := range order {
			order[w] = w
		}
		// Equal ranks, such as for a claim in another language, say nothing.
		if found.ranks != nil && slices.Min(found.ranks[i]) < slices.Max(found.ranks[i]) {
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(found.ranks[i][b], found.ranks[i][a]) })
			order = order[:j.o.Nearest]
			slices.Sort(order)
		}
		for _, w := range order {
			work = append(work, pairing{i, found.windows[w]})
		}
	}
	return work, nil
}

// rowWindows holds the windows of a row by their maximum size in tokens.
type rowWindows struct {
	texts  []string
	claims []extract.Claim
	bySize map[int]*windowSet
}

type windowSet struct {
	windows []encoder.Passage
	longest int         // tokens of the longest window of a layout with chunks
	ranks   [][]float64 // by claim, or nil if all windows are judged
}

// windowsFor returns the windows for a claim. Chunks of a layout's size serve all claims
// that fit beside them. Other windows have the size that the claim leaves, rounded down so
// that the claims of a row share a few sets.
func (j *CrossEncoder) windowsFor(ctx context.Context, row *rowWindows, claim string) (*windowSet, error) {
	if j.limit == 0 {
		return j.windowsOf(ctx, row, 0)
	}
	n := j.o.Model.Count(claim)
	if err := j.checkClaim(n); err != nil {
		return nil, err
	}
	size := j.free - n
	if j.o.Layout.Chunk > 0 {
		whole, err := j.windowsOf(ctx, row, j.free)
		if err != nil || whole.longest <= size {
			return whole, err
		}
	}
	return j.windowsOf(ctx, row, size-size%j.minContext)
}

// windowsOf returns the windows of up to size tokens; 0 means no limit.
func (j *CrossEncoder) windowsOf(ctx context.Context, row *rowWindows, size int) (*windowSet, error) {
	if found, ok := row.bySize[size]; ok {
		return found, nil
	}
	windows, err := j.windows(ctx, row.texts, size)
	if err != nil {
		return nil, err
	}
	set := &windowSet{windows: windows}
	passages := make([]string, len(windows))
	for i, w := range windows {
		passages[i] = row.texts[w.Text][w.Start:w.End]
		if size > 0 && j.o.Layout.Chunk > 0 {
			set.longest = max(set.longest, j.tokens(passages[i]))
		}
	}
	if j.o.Nearest > 0 && len(windows) > j.o.Nearest {
		set.ranks, err = j.o.Rank(ctx, row.claims, passages)
	}
	row.bySize[size] = set
	return set, err
}

// read runs the model on pairs of claims and windows. For each claim it returns the reading with
// the highest support in each text, and the one with the highest contradiction in any text.
func (j *CrossEncoder) read(ctx context.Context, texts []string, claims []extract.Claim, work []pairing) (best [][]reading, against []reading, err error) {
	best, against = make([][]reading, len(claims)), make([]reading, len(claims))
	for i := range claims {
		best[i] = make([]reading, len(texts))
	}
	pairs := make([]encoder.Pair, len(work))
	for i, p := range work {
		passage := texts[p.window.Text][p.window.Start:p.window.End]
		pairs[i] = encoder.Pair{Premise: j.premise(passage), Hypothesis: claims[p.claim].Judged()}
	}
	var logits [][]float32
	for batch := range slices.Chunk(pairs, j.o.Batch) {
		some, err := j.o.Model.Classify(ctx, batch)
		if err != nil {
			return nil, nil, err
		}
		logits = append(logits, some...)
	}
	info := j.o.Model.Info()
	for i, p := range work {
		got := reading{p.window, info.Probabilities(logits[i]), true}
		if math.IsNaN(got.Supported) {
			return nil, nil, fmt.Errorf("the model's output for claim %d is not a number: its weights may be damaged", p.claim)
		}
		if b := &best[p.claim][p.window.Text]; !b.found || got.Supported > b.Supported {
			*b = got
		}
		if a := &against[p.claim]; !a.found || got.Contradicted > a.Contradicted {
			*a = got
		}
	}
	return best, against, nil
}

func (j *CrossEncoder) conclude(ctx context.Context, task verdict.Task, texts []string, i int, best []reading, against reading) (verdict.Verdict, error) {
	v := verdict.Verdict{ClaimID: task.Claims[i].ID}
	order := make([]int, 0, len(best)) // texts with a reading, by decreasing support
	for t := range best {
		if best[t].found {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(best[b].Supported, best[a].Supported)
	})
	if len(order) == 0 {
		v.Reason = "the contexts are empty"
		return v, nil
	}
	top := best[order[0]]
	v.Score = top.Supported
	shown := []reading{top}
	switch {
	case j.supports(top.Supported):
		v.Label = verdict.Supported
		for _, t := range order[1:] {
			if j.supports(best[t].Supported) {
				shown = append(shown, best[t])
			}
		}
	case against.Contradicted > against.Supported && against.Contradicted > against.NotMentioned:
		v.Label, shown = verdict.Contradicted, []reading{against}
	}
	v.Confidence = v.Certainty()
	for _, r := range shown[:min(len(shown), maxEvidence)] {
		quotes, err := j.quote(ctx, task.Contexts, texts, r.window, task.Claims[i])
		if err != nil {
			return v, err
		}
		v.Evidence = append(v.Evidence, quotes...)
	}
	v.Reason = reason(v.Label, shown[0], v.Evidence)
	if v.Label == verdict.Supported {
		v.ChunkIDs = j.chunks(shown, v.Evidence)
	}
	return v, nil
}

// maxEvidence limits the contexts that a verdict quotes.
const maxEvidence = 3

func (j *CrossEncoder) supports(p float64) bool {
	if j.o.Rounded {
		return math.RoundToEven(p) >= 1
	}
	return p >= j.o.Threshold
}

// chunks returns the sorted ids of the contexts that support a claim. If
// contexts are joined into one text, these are the contexts of the quotes.
func (j *CrossEncoder) chunks(shown []reading, quotes []verdict.Evidence) []int {
	var ids []int
	if j.o.Joined {
		for _, e := range quotes {
			ids = append(ids, e.Chunk)
		}
	} else {
		for _, r := range shown {
			ids = append(ids, r.window.Text)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// quote returns the evidence for a claim in the window of a text. If contexts are joined,
// it may span several of them.
func (j *CrossEncoder) quote(ctx context.Context, contexts, texts []string, w encoder.Passage, claim extract.Claim) ([]verdict.Evidence, error) {
	text := texts[w.Text][w.Start:w.End]
	e, err := verdict.Nearest(ctx, j.o.Quoter, []string{text}, claim)
	if e == nil || e.Start >= e.End {
		return nil, err
	}
	start, end := w.Start+verdict.ByteOffset(text, e.Start), w.Start+verdict.ByteOffset(text, e.End)
	if !j.o.Joined {
		return []verdict.Evidence{verdict.NewEvidence(contexts, w.Text, start, end)}, nil
	}
	var out []verdict.Evidence
	at := 0
	for id, c := range contexts {
		if s, e := max(start, at), min(end, at+len(c)); s < e {
			out = append(out, verdict.NewEvidence(contexts, id, s-at, e-at))
		}
		at += len(c) + len("\n")
	}
	return out, nil
}

func reason(l verdict.Label, r reading, evidence []verdict.Evidence) string {
	what, where, p := "the model finds no support for it", "; nearest passage in", r.Supported
	switch l {
	case verdict.Supported:
		what, where = "the model finds it supported", " by"
	case verdict.Contradicted:
		what, where, p = "the model finds it contradicted", " by", r.Contradicted
	case verdict.NotMentioned, verdict.Unjudged:
	}
	if len(evidence) == 0 {
		return fmt.Sprintf("%s (%.3f)", what, p)
	}
	return fmt.Sprintf("%s (%.3f)%s chunk %d: %s", what, p, where, evidence[0].Chunk, verdict.Excerpt(evidence[0].Quote, 0))
}

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
