// Package spans implements the judge that runs a local token classifier, such as
// LettuceDetect. A token classifier reads contexts and answer once and marks the parts
// of the answer that the contexts do not support.
package spans

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// DefaultThreshold is the minimum probability of a supported claim, and the minimum
// probability with which a token of an unsupported claim is marked.
const DefaultThreshold = 0.5

// A Model classifies the tokens of the second text of a pair. *encoder.Model
// implements it if its kind is Tokens.
type Model interface {
	// Info returns the meaning of the model's labels and its limits.
	Info() encoder.Info
	// Tokens returns the logits of all tokens of each pair.
	Tokens(ctx context.Context, pairs []encoder.Pair) ([]encoder.Tagged, error)
	// Count returns the number of tokens of text, without special tokens.
	Count(text string) int
	// Specials returns the number of special tokens in a pair.
	Specials() int
}

// Options configure a Judge.
type Options struct {
	Model  Model // required
	Layout Layout
	// Threshold is the minimum probability of a supported claim, 0 to 1.
	Threshold float64
	// Strictest combines the probabilities of a token given several groups of contexts by
	// their maximum, as LettuceDetect does. A part of the answer that only one group
	// supports is then unsupported. Otherwise support by any group counts.
	Strictest bool
	// Sentences calls yield with the byte offsets of each sentence of a text. Required.
	Sentences func(text string, yield func(start, end int))
	// Quoter selects evidence for supported claims because the model returns none.
	// Required.
	Quoter verdict.Judge
}

// A Judge is safe for concurrent use. Its results depend only on the task, the model
// and the options.
type Judge struct{ o Options }

// New returns a judge, or an error if the model is unsuitable.
func New(o Options) (*Judge, error) {
	info := o.Model.Info()
	if info.Kind != encoder.Tokens {
		return nil, fmt.Errorf("a model of kind %q can't mark unsupported parts: want one that classifies tokens", info.Kind)
	}
	if !slices.Contains(info.Meanings, encoder.Supported) {
		return nil, fmt.Errorf("none of the model's labels (%s) means supported", strings.Join(info.Labels, ", "))
	}
	o.Layout.Limit = cmp.Or(o.Layout.Limit, info.MaxTokens, info.Window)
	return &Judge{o}, nil
}

// Threshold returns the minimum probability of a supported claim.
func (j *Judge) Threshold() float64 { return j.o.Threshold }

// Judge returns a verdict for each claim, in order. The claims are read together as one
// text, separated by spaces, unless they are longer than half of what the model reads. A
// claim is as probable as its least supported token.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	out := verdict.Judgement{Verdicts: make([]verdict.Verdict, 0, len(task.Claims))}
	for claims := task.Claims; len(claims) > 0; {
		n, err := j.fit(claims)
		if err != nil {
			return verdict.Judgement{}, err
		}
		verdicts, err := j.judge(ctx, task, claims[:n])
		if err != nil {
			return verdict.Judgement{}, err
		}
		out.Verdicts = append(out.Verdicts, verdicts...)
		claims = claims[n:]
	}
	return out, nil
}

// minRoom is the share of the model's limit that the contexts need.
const minRoom = 8

// fit returns how many of claims are read together.
func (j *Judge) fit(claims []extract.Claim) (int, error) {
	limit := j.o.Layout.Limit
	if limit == 0 {
		return len(claims), nil
	}
	room, used := limit-j.o.Model.Specials(), 0
	for i, c := range claims {
		n := j.o.Model.Count(c.Judged())
		if used += n + 1; used <= room/2 {
			continue
		}
		if i == 0 && n > room-limit/minRoom {
			return 0, fmt.Errorf("a claim of %d tokens leaves no room for the contexts: the model reads %d", n, limit)
		}
		return max(1, i), nil
	}
	return len(claims), nil
}

// A mark is a token of the claims and the probability that it is unsupported.
type mark struct {
	start, end  int // byte range in the text of all claims, empty for white space
	probability float64
}

// judge returns the verdicts on claims that are read together.
func (j *Judge) judge(ctx context.Context, task verdict.Task, claims []extract.Claim) ([]verdict.Verdict, error) {
	texts := make([]string, len(claims))
	for i, c := range claims {
		texts[i] = c.Judged()
	}
	answer := strings.Join(texts, " ")
	groups, err := j.groups(ctx, task, answer)
	if err != nil {
		return nil, err
	}
	marks, err := j.marks(ctx, task.Question, answer, groups)
	if err != nil {
		return nil, err
	}
	verdicts := make([]verdict.Verdict, len(claims))
	start := 0
	for i, c := range claims {
		end := start + len(texts[i])
		v := verdict.Verdict{ClaimID: c.ID, Reason: "the contexts are empty"}
		if len(groups) > 0 {
			if v, err = j.conclude(ctx, task, c, within(marks, start, end)); err != nil {
				return nil, err
			}
		}
		verdicts[i] = v
		start = end + len(" ")
	}
	return verdicts, nil
}

// groups returns groups of passages that fit into the model together with answer:
// whole contexts if possible, and else passages of them.
func (j *Judge) groups(ctx context.Context, task verdict.Task, answer string) ([][]string, error) {
	l, limit := &j.o.Layout, j.o.Layout.Limit
	room := 0 // tokens of the passages
	if limit > 0 {
		room = limit - j.o.Model.Specials() - j.o.Model.Count(answer) - j.o.Model.Count(l.prompt(task.Question, []string{""}))
		if room < limit/minRoom {
			return nil, errors.New("the question and the answer leave no room for the contexts")
		}
	}
	const numbering = 8 // tokens of "passage 12: " at most
	s := encoder.Splitter{Count: j.o.Model.Count, Sentences: j.o.Sentences}
	ranges, err := s.Split(ctx, task.Contexts, max(0, room-numbering))
	if err != nil || len(ranges) == 0 {
		return nil, err
	}
	passages := make([]string, len(ranges))
	for i, r := range ranges {
		passages[i] = task.Contexts[r.Text][r.Start:r.End]
	}
	whole := j.o.Model.Count(l.prompt(task.Question, passages)) + j.o.Model.Count(answer) + j.o.Model.Specials()
	if limit == 0 || whole <= limit {
		return [][]string{passages}, nil
	}
	var groups [][]string
	used, first := 0, 0
	for i, p := range passages {
		n := j.o.Model.Count(l.line(i, p))
		if i > first && used+n+len(l.Join) > room {
			groups = append(groups, passages[first:i])
			used, first = 0, i
		}
		if i > first {
			n += len(l.Join)
		}
		used += n
	}
	return append(groups, passages[first:]), nil
}

// marks returns the tokens of answer, given groups of passages.
func (j *Judge) marks(ctx context.Context, question, answer string, groups [][]string) ([]mark, error) {
	pairs := make([]encoder.Pair, len(groups))
	for g, passages := range groups {
		pairs[g] = encoder.Pair{Premise: j.o.Layout.prompt(question, passages), Hypothesis: answer}
	}
	tagged, err := j.o.Model.Tokens(ctx, pairs)
	if err != nil {
		return nil, err
	}
	var marks []mark
	info := j.o.Model.Info()
	for g, read := range tagged {
		k := 0
		for t, logits := range read.Logits {
			if read.Sequence[t] != 1 {
				continue
			}
			start, end := trim(answer, read.Offsets[t])
			p := 1 - info.Probabilities(logits).Supported
			if math.IsNaN(p) {
				return nil, errors.New("the model's output is not a number: its weights may be damaged")
			}
			switch {
			case g == 0:
				marks = append(marks, mark{start, end, p})
			case j.o.Strictest:
				marks[k].probability = max(marks[k].probability, p)
			default:
				marks[k].probability = min(marks[k].probability, p)
			}
			k++
		}
	}
	return marks, nil
}

// trim returns a byte range of text without white space at its ends.
func trim(text string, r [2]int) (start, end int) {
	piece := text[r[0]:r[1]]
	start = r[1] - len(strings.TrimLeft(piece, " \t\r\n"))
	return start, max(start, r[0]+len(strings.TrimRight(piece, " \t\r\n")))
}

// within returns the marks in a range of the text, relative to its start.
func within(marks []mark, start, end int) []mark {
	var out []mark
	for _, m := range marks {
		if m.start < end && m.end > start {
			out = append(out, mark{max(0, m.start-start), min(m.end, end) - start, m.probability})
		}
	}
	return out
}

// conclude returns the verdict on a claim with its marks.
func (j *Judge) conclude(ctx context.Context, task verdict.Task, c extract.Claim, marks []mark) (verdict.Verdict, error) {
	worst := 0.0
	var ranges [][2]int
	for _, m := range marks {
		worst = max(worst, m.probability)
		if m.probability >= DefaultThreshold && m.start < m.end {
			ranges = append(ranges, [2]int{m.start, m.end})
		}
	}
	v := verdict.Verdict{ClaimID: c.ID, Score: 1 - worst}
	probability := fmt.Sprintf(" (%.3f)", worst)
	if v.Score < j.o.Threshold {
		v.Unsupported = verdict.UnsupportedSpans(c, ranges)
		part := "a part of it"
		if quotes := verdict.QuoteSpans(c, v.Unsupported); len(quotes) > 0 {
			part = strings.Join(quotes, ", ")
		}
		v.Reason = "the model finds no support for " + part + probability
		v.Confidence = v.Certainty()
		return v, nil
	}
	v.Label = verdict.Supported
	v.Reason = "the model finds no unsupported part" + probability
	v.Confidence = v.Certainty()
	e, err := verdict.Nearest(ctx, j.o.Quoter, task.Contexts, c)
	if e != nil {
		e.Role = verdict.RoleSupports
		v.Evidence, v.ChunkIDs = []verdict.Evidence{*e}, []int{e.Chunk}
		v.Reason += "; nearest passage in chunk " + strconv.Itoa(e.Chunk) + ": " + verdict.Excerpt(e.Quote, 0)
	}
	return v, err
}
