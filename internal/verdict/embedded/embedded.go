// Package embedded implements the judge whose model is included in the binary. The small
// model reads each claim with the passages that share most words with it. It recognizes
// differences in meaning, such as the same words in a different statement. The lexical
// judge compares every number, date and name with contexts of any length. A formula with
// a few parameters combines both.
package embedded

import (
	"context"
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
	"github.com/ragfaith/ragfaith/internal/verdict/passage"
)

// DefaultThreshold is the minimum probability of a supported claim. The formula is fitted
// so that this threshold maximizes accuracy.
const DefaultThreshold = 0.5

// A Model reads windows of text with claims. *encoder.Grounding implements it.
type Model interface {
	// Judge returns the output for each claim of each group.
	Judge(ctx context.Context, groups []encoder.Group) ([][]encoder.ClaimOutput, error)
	// Count returns the number of tokens of a text.
	Count(text string) int
}

// Options configure a Judge. All fields except Threshold are required.
type Options struct {
	Model   Model
	Formula Formula
	// Words is the lexical judge, with its own threshold and setting for joined contexts.
	Words *lexical.Judge
	// Threshold is the minimum probability of a supported claim, 0 to 1.
	Threshold float64
	// Sentences calls yield with the byte offsets of each sentence of a text.
	Sentences func(text string, yield func(start, end int))
}

// A Judge combines a small model with the lexical judge. It is safe for
// concurrent use. Its results depend only on the task and the options.
type Judge struct{ o Options }

// New returns a judge.
func New(o Options) *Judge { return &Judge{o} }

// Threshold returns the minimum probability of a supported claim.
func (j *Judge) Threshold() float64 { return j.o.Threshold }

// Judge returns a verdict for each claim, in order. The errors are those of the model, of
// lexical.Judge and of the context.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	r, err := j.read(ctx, task)
	if err != nil {
		return verdict.Judgement{}, err
	}
	out := verdict.Judgement{Verdicts: make([]verdict.Verdict, len(task.Claims))}
	for i := range task.Claims {
		if err := ctx.Err(); err != nil {
			return verdict.Judgement{}, err
		}
		if out.Verdicts[i], err = j.conclude(ctx, r, i); err != nil {
			return verdict.Judgement{}, err
		}
	}
	return out, nil
}

// Measure returns the signals for each claim, on which Judge bases its
// verdicts.
func (j *Judge) Measure(ctx context.Context, task verdict.Task) ([]Signals, error) {
	r, err := j.read(ctx, task)
	if err != nil {
		return nil, err
	}
	return r.signals, nil
}

// A row holds a task and its intermediate results.
type row struct {
	task     verdict.Task
	words    []verdict.Verdict // verdicts of the lexical judge
	windows  []window
	cover    [][]lexical.Features // by claim and passage, without packed windows
	readings [][]reading          // by claim
	signals  []Signals
}

// A window is a text that the model reads: a passage of a context, or several
// sentences packed for one claim.
type window struct {
	text   string
	pieces []piece // parts in order; packed windows have several
}

// A piece is a byte range of a context.
type piece struct{ chunk, start, end int }

// A reading is the output of the model for one claim and one window.
type reading struct {
	window                 int
	support, contradiction float64
	worst                  float64
	output                 encoder.ClaimOutput
}

// read runs the lexical judge and then the model on the chosen windows.
func (j *Judge) read(ctx context.Context, task verdict.Task) (*row, error) {
	lexicalJudgement, err := j.o.Words.Judge(ctx, task)
	if err != nil {
		return nil, err
	}
	r := &row{task: task, words: lexicalJudgement.Verdicts, readings: make([][]reading, len(task.Claims)), signals: make([]Signals, len(task.Claims))}
	undecided := 0
	for i, v := range r.words {
		r.signals[i] = Signals{Words: v.Score, Settled: v.Score == 1}
		if !r.signals[i].Settled {
			undecided++
		}
	}
	if undecided == 0 {
		return r, nil
	}
	chosen, err := j.choose(ctx, r)
	if err != nil {
		return nil, err
	}
	return r, j.ask(ctx, r, chosen)
}

// ask runs the model on each window with the claims that it was chosen for.
func (j *Judge) ask(ctx context.Context, r *row, chosen [][]int) error {
	claimsOf := make([][]int, len(r.windows)) // claims by window
	for claim, windows := range chosen {
		for _, w := range windows {
			claimsOf[w] = append(claimsOf[w], claim)
		}
	}
	var groups []encoder.Group
	var windows []int // by group
	for w, claims := range claimsOf {
		if len(claims) == 0 {
			continue
		}
		g := encoder.Group{Window: r.windows[w].text}
		for _, c := range claims {
			g.Claims = append(g.Claims, r.task.Claims[c].Judged())
		}
		groups, windows = append(groups, g), append(windows, w)
	}
	held, err := j.o.Model.Judge(ctx, groups)
	if err != nil {
		return err
	}
	for g, w := range windows {
		for k, claim := range claimsOf[w] {
			x := reading{window: w, output: held[g][k]}
			x.support, x.contradiction = odds(x.output.Logits)
			x.worst = math.Inf(-1)
			for _, t := range x.output.Tokens {
				x.worst = max(x.worst, float64(t.Unsupported))
			}
			if math.IsNaN(x.support) || math.IsNaN(x.contradiction) || math.IsNaN(x.worst) {
				return fmt.Errorf("the model's output for claim %d is not a number: its weights may be damaged", claim)
			}
			r.readings[claim] = append(r.readings[claim], x)
		}
	}
	for i := range r.signals {
		s := &r.signals[i]
		if s.Unread = !s.Settled && len(r.readings[i]) == 0; s.Settled || s.Unread {
			continue
		}
		s.Support, s.Contradiction, s.Worst = math.Inf(-1), math.Inf(-1), math.Inf(1)
		for _, x := range r.readings[i] {
			s.Support, s.Contradiction = max(s.Support, x.support), max(s.Contradiction, x.contradiction)
			s.Worst = min(s.Worst, x.worst)
		}
		s.Worst = min(max(s.Worst, -maxOdds), maxOdds)
	}
	return nil
}

// maxOdds bounds the log-odds of a claim without tokens.
const maxOdds = 50

// odds returns the natural log-odds of support and of contradiction from the logits of
// supported, not mentioned and contradicted.
func odds(logits [3]float32) (support, contradiction float64) {
	logOdds := func(x, a, b float32) float64 {
		largest := float64(max(a, b))
		return float64(x) - largest - math.Log(math.Exp(float64(a)-largest)+math.Exp(float64(b)-largest))
	}
	return logOdds(logits[0], logits[1], logits[2]), logOdds(logits[2], logits[0], logits[1])
}

// cutter returns the splitter that makes windows for the model.
func (j *Judge) cutter() passage.Splitter {
	return passage.Splitter{Count: j.o.Model.Count, Sentences: j.o.Sentences}
}
