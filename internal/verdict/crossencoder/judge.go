// Package crossencoder is the judge that asks a model on this machine: one that
// reads a passage and a claim together and says whether the one supports the
// other, as models of natural language inference and HHEM do.
package crossencoder

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/passage"
)

// DefaultThreshold is the probability from which a claim is supported.
const DefaultThreshold = 0.5

// DefaultBatch is how many pairs the model is given at a time.
const DefaultBatch = 10

// A Model classifies pairs of texts, as an *encoder.Model of the kinds Classify and
// HHEM does.
type Model interface {
	// Info says what the model's labels mean and how much it can read.
	Info() encoder.Info
	// Classify returns a logit for each label, a row for each pair.
	Classify(ctx context.Context, pairs []encoder.Pair) ([][]float32, error)
	// Count is the number of tokens of a text alone.
	Count(text string) int
	// Specials is the number of tokens of a pair that belong to neither text.
	Specials() int
}

// Options are the settings of a Judge.
type Options struct {
	Model Model // required
	// Threshold is the probability from which a claim is supported, 0 to 1.
	Threshold float64
	// Rounded decides as Ragas does with HHEM: the probability rounded half to
	// even, in the place of Threshold. Exactly 0.5 is not supported.
	Rounded bool
	// Joined holds a claim against all contexts as one text with a newline
	// between them. Otherwise each context is looked at alone, and the best one
	// counts.
	Joined bool
	// Batch is the number of pairs that the model is given at a time;
	// DefaultBatch. It changes no result.
	Batch int
	// Sentences calls yield with the start and end, in bytes, of each sentence of
	// a text. Long contexts are cut between them. Required.
	Sentences func(text string, yield func(start, end int))
	// Quoter is the judge whose evidence is quoted from the window that decided:
	// the model gives none. Required.
	Quoter Quoter
}

// A Quoter finds what in a text bears on a claim. *lexical.Judge is one.
type Quoter interface {
	Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error)
}

// A Judge may be used by many goroutines at once. What it says depends on
// nothing but the task, the model and the options.
type Judge struct{ o Options }

// New returns a judge, or an error where the model can't be one.
func New(o Options) (*Judge, error) {
	if o.Batch < 1 {
		o.Batch = DefaultBatch
	}
	info := o.Model.Info()
	if info.Kind != encoder.Classify && info.Kind != encoder.HHEM {
		return nil, fmt.Errorf("a model of the kind %q judges no claims: want one that classifies pairs of texts", info.Kind)
	}
	if !slices.Contains(info.Meanings, encoder.Supported) {
		return nil, fmt.Errorf("none of the model's labels (%s) says that a claim is supported", strings.Join(info.Labels, ", "))
	}
	return &Judge{o}, nil
}

// Threshold is the probability from which this judge calls a claim supported.
func (j *Judge) Threshold() float64 { return j.o.Threshold }

// A reading is what the model says of one claim and one window.
type reading struct {
	window int
	encoder.Probabilities
}

// Judge returns a verdict for each claim, in the order of the claims. Each claim
// takes its best window of each chunk: the one that supports it most. It is
// contradicted where no window supports it and the model is surer of that than of
// anything else in one of them. Errors are the model's and the context's.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	texts := task.Contexts
	if j.o.Joined {
		texts = []string{strings.Join(task.Contexts, "\n")}
	}
	claims := make([]string, len(task.Claims))
	longest := 0
	for i, c := range task.Claims {
		if err := ctx.Err(); err != nil {
			return verdict.Judgement{}, err
		}
		claims[i] = c.Judged()
		if j.limit() > 0 {
			longest = max(longest, j.o.Model.Count(claims[i]))
		}
	}
	if most := j.o.Model.Info().MaxTokens; most > 0 && longest > (most-j.o.Model.Specials())/2 {
		return verdict.Judgement{}, fmt.Errorf("a claim of %d tokens leaves no room for the contexts: the model reads %d", longest, most)
	}
	windows, err := j.windows(ctx, texts, longest)
	if err != nil {
		return verdict.Judgement{}, err
	}
	best, against, err := j.read(ctx, texts, windows, claims)
	if err != nil {
		return verdict.Judgement{}, err
	}
	out := verdict.Judgement{Verdicts: make([]verdict.Verdict, len(task.Claims))}
	for i := range task.Claims {
		if err := ctx.Err(); err != nil {
			return verdict.Judgement{}, err
		}
		if out.Verdicts[i], err = j.conclude(ctx, task, texts, windows, i, best[i], against[i]); err != nil {
			return verdict.Judgement{}, err
		}
	}
	return out, nil
}

// read has the model read every claim with every window. For each claim it
// returns the reading of each text that supports it most, and the one of all that
// contradicts it most.
func (j *Judge) read(ctx context.Context, texts []string, windows []passage.Passage, claims []string) (best [][]reading, against []reading, err error) {
	best, against = make([][]reading, len(claims)), make([]reading, len(claims))
	for i := range claims {
		best[i] = make([]reading, len(texts))
		for t := range best[i] {
			best[i][t] = reading{window: -1}
		}
		against[i] = reading{window: -1}
	}
	info := j.o.Model.Info()
	pairs := make([]encoder.Pair, 0, j.o.Batch)
	total := len(claims) * len(windows)
	for at := 0; at < total; at += j.o.Batch {
		pairs = pairs[:0]
		for k := at; k < min(at+j.o.Batch, total); k++ {
			w := windows[k%len(windows)]
			pairs = append(pairs, encoder.Pair{Premise: texts[w.Text][w.Start:w.End], Hypothesis: claims[k/len(windows)]})
		}
		logits, err := j.o.Model.Classify(ctx, pairs)
		if err != nil {
			return nil, nil, err
		}
		for k, row := range logits {
			c, w := (at+k)/len(windows), (at+k)%len(windows)
			got := reading{w, info.Probabilities(row)}
			if math.IsNaN(got.Supported) {
				return nil, nil, fmt.Errorf("the model's answer to claim %d is no number: its weights may be damaged", c)
			}
			if b := &best[c][windows[w].Text]; b.window < 0 || got.Supported > b.Supported {
				*b = got
			}
			if a := &against[c]; a.window < 0 || got.Contradicted > a.Contradicted {
				*a = got
			}
		}
	}
	return best, against, nil
}

// conclude is the verdict on claim i.
func (j *Judge) conclude(ctx context.Context, task verdict.Task, texts []string, windows []passage.Passage, i int, best []reading, against reading) (verdict.Verdict, error) {
	v := verdict.Verdict{ClaimID: task.Claims[i].ID}
	order := make([]int, 0, len(best)) // of texts that were read, the one that supports most first
	for t := range best {
		if best[t].window >= 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case best[a].Supported > best[b].Supported:
			return -1
		case best[a].Supported < best[b].Supported:
			return 1
		}
		return 0
	})
	if len(order) == 0 {
		v.Reason = "the contexts have no text"
		return v, nil
	}
	top := best[order[0]]
	v.Score = top.Supported
	shown := []reading{top}
	switch {
	case j.supports(top.Supported):
		v.Label = verdict.Supported
		shown = shown[:0]
		for _, t := range order {
			if j.supports(best[t].Supported) {
				shown = append(shown, best[t])
			}
		}
	case against.Contradicted > against.Supported && against.Contradicted > against.NotMentioned:
		v.Label, shown = verdict.Contradicted, []reading{against}
	}
	for k, r := range shown {
		if k == mostEvidence {
			break
		}
		w := windows[r.window]
		start, end, err := j.quote(ctx, texts[w.Text][w.Start:w.End], task.Claims[i])
		if err != nil {
			return v, err
		}
		if start < end {
			v.Evidence = append(v.Evidence, j.evidence(task.Contexts, w, start, end)...)
		}
	}
	v.Reason = reason(v.Label, shown[0], v.Evidence)
	if v.Label == verdict.Supported {
		v.ChunkIDs = j.chunks(shown, windows, v.Evidence)
	}
	return v, nil
}

// mostEvidence is how many chunks a verdict quotes.
const mostEvidence = 3

func (j *Judge) supports(p float64) bool {
	if j.o.Rounded {
		return math.RoundToEven(p) >= 1
	}
	return p >= j.o.Threshold
}

// chunks are the ids of the contexts that support a claim, ascending. Joined
// contexts were read as one, and the quotes tell which of them speak of it.
func (j *Judge) chunks(shown []reading, windows []passage.Passage, quotes []verdict.Evidence) []int {
	var ids []int
	if j.o.Joined {
		for _, e := range quotes {
			ids = append(ids, e.Chunk)
		}
	} else {
		for _, r := range shown {
			ids = append(ids, windows[r.window].Text)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// reason says what the model finds, and in which passage.
func reason(l verdict.Label, r reading, evidence []verdict.Evidence) string {
	what, where, p := "the model finds no support for it", "; nearest passage in", r.Supported
	switch l {
	case verdict.Supported:
		what, where = "the model finds it supported", " by"
	case verdict.Contradicted:
		what, where, p = "the model finds it contradicted", " by", r.Contradicted
	case verdict.NotMentioned:
	}
	what += " (" + strconv.FormatFloat(p, 'f', 3, 64) + ")"
	if len(evidence) == 0 {
		return what
	}
	return what + where + " chunk " + strconv.Itoa(evidence[0].Chunk) + ": " + verdict.Excerpt(evidence[0].Quote, 0)
}
