// Package embedded implements a judge that reads: a small neural network, trained on claims that annotators wrote about passages,
// beside the lexical judge. Its weights are part of the program.
package embedded

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/language"
)

//go:embed model/judge.safetensors
var weights []byte

//go:embed model/tokenizer.json
var tokens []byte

//nolint:gochecknoglobals // loaded once from the embedded files, never changed
var load = sync.OnceValues(func() (*network, error) { return loadNetwork(weights, tokens) })

// Options configure a Judge.
type Options struct {
	// Lexical is the judge whose verdicts are combined with those of the network. Required.
	Lexical interface {
		Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error)
	}
	// Threshold is the minimum score of a supported claim, from 0 to 1.
	Threshold float64
	// Sentences calls yield with the start and end byte offsets of each sentence of text. Required.
	Sentences func(text string, yield func(start, end int))
	// Waiting, if set, is called before a task waits for the network that others use, and resume after it.
	Waiting func(ctx context.Context) (resume func())
}

// A Judge combines a network with the lexical judge. It is deterministic and safe for concurrent use.
type Judge struct{ o Options }

// New returns a judge.
func New(o Options) *Judge { return &Judge{o} }

// Threshold returns the minimum score of a supported claim.
func (j *Judge) Threshold() float64 { return j.o.Threshold }

// Limits of what the network reads of a task, and so of time and memory. The lexical judge alone decides the rest.
const (
	maxClaims       = 200
	maxContextBytes = 4 << 20
)

// Judge returns a verdict for each claim, in the order of the claims. Claims in another language than English, and those beyond the
// limits, get that of the lexical judge. The errors are those of the lexical judge and of ctx.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	out, err := j.o.Lexical.Judge(ctx, task)
	if err != nil {
		return out, err
	}
	size := 0
	for _, c := range task.Contexts {
		size += len(c)
	}
	if size > maxContextBytes || isForeign(task) {
		return out, nil
	}
	r := &reading{contexts: task.Contexts, index: newIndex(passages(task.Contexts, j.o.Sentences)), groups: map[int]int{}}
	if len(r.index.passages) == 0 {
		return out, nil
	}
	n, err := load()
	if err != nil {
		return verdict.Judgement{}, fmt.Errorf("embedded judge: %w", err)
	}
	several, claims := len(r.index.passages) > 1, task.Claims[:min(len(task.Claims), maxClaims)]
	for i, c := range claims {
		if v := &out.Verdicts[i]; isSettled(v) || several && math.Abs(wordOdds(v, several)) >= sure {
			continue
		}
		said := []string{task.Question}
		for _, c := range claims[max(0, i-2) : i+1] {
			said = append(said, c.Text)
		}
		if err := r.add(n, i, c.Judged(), strings.TrimSpace(strings.Join(said, " "))); err != nil {
			return out, err
		}
	}
	found, err := n.run(ctx, r.read, j.o.Waiting)
	if err != nil {
		return out, err
	}
	opinions := make([]opinion, len(claims))
	for k, claim := range slices.Concat(r.claims...) {
		opinions[claim].add(found[k])
	}
	for i, c := range claims {
		if v := &out.Verdicts[i]; !isSettled(v) {
			j.conclude(v, opinions[i], several, func() verdict.Evidence { return r.nearest(c.Judged()) })
		}
	}
	return out, nil
}

// An opinion is what the network says of a claim in n forms: alone, and after the question and the claims before it. The zero
// opinion is that of a claim that it has not read.
type opinion struct{ n, odds, contradiction float64 }

func (o *opinion) add(l logits) {
	o.n++
	o.odds += (l.odds() - o.odds) / o.n
	o.contradiction += (l.contradiction() - o.contradiction) / o.n
}

// isSettled reports whether the lexical verdict stands: the claim is verbatim, or it is not judged.
func isSettled(v *verdict.Verdict) bool { return v.Score == 1 || v.Label == verdict.Unjudged }

// isForeign reports whether a task is in another language than that of the network, English. If its claims are too short to tell,
// the question and the contexts do.
func isForeign(task verdict.Task) bool {
	var p language.Profile
	for _, c := range task.Claims {
		p.Add(c.Judged())
	}
	if p.Language() == "" {
		p.Add(task.Question)
		for _, c := range task.Contexts {
			p.Add(c)
		}
	}
	name := p.Language()
	return name != "" && name != "English"
}

// A reading is what the network reads for a task.
type reading struct {
	contexts []string
	index    index
	groups   map[int]int // index in read of each passage
	read     []group
	claims   [][]int // claims of each group, once for each form
}

// nearest returns the sentence that is nearest to a claim.
func (r *reading) nearest(claim string) verdict.Evidence {
	_, s := r.index.nearest(claim)
	return verdict.NewEvidence(r.contexts, s.chunk, s.start, s.end)
}

// add adds a claim, in its forms, to the group of the passage that is nearest to the first form.
func (r *reading) add(n *network, claim int, forms ...string) error {
	p, _ := r.index.nearest(forms[0])
	g, ok := r.groups[p]
	if !ok {
		ids, err := n.encodePassage(r.index.passages[p].text(r.contexts))
		if err != nil {
			return err
		}
		g = len(r.read)
		r.groups[p] = g
		r.read, r.claims = append(r.read, group{passage: ids}), append(r.claims, nil)
	}
	for i, text := range forms {
		if i > 0 && text == forms[0] {
			continue
		}
		ids, err := n.encodeClaim(text)
		if err != nil {
			return err
		}
		r.read[g].claims, r.claims[g] = append(r.read[g].claims, ids), append(r.claims[g], claim)
	}
	return nil
}

// Weights of the combined log odds of support, fitted by training/judge/combine.py on one half of its sets. The network reads one
// passage for a claim: if the contexts have several, it counts less, and words more.
const (
	bias                 = 0.16
	weightNetwork        = 1.76
	weightNetworkSeveral = weightNetwork - 1.01
	weightLexical        = 0.16
	weightLexicalSeveral = weightLexical + 0.51
	weightContradicted   = -0.83
)

const (
	// The log odds of the network count as tanh(odds/networkScale): very sure is hardly better than sure.
	networkScale = 3
	// maxLexical limits the log odds of the lexical judge.
	maxLexical = 4.6
	// sure is the absolute value of the log odds of the words from which a claim is not read beside several passages, where the
	// network weighs less. So more than half of the claims of the suites are not read, for .0005 of AUROC.
	sure = 0.6
	// differs is the maximum of the combined log odds of a claim that repeats a statement but for a value or a denial: what can be
	// compared exactly is not left to the network.
	differs = -0.04
	// clearContradiction is the probability of a contradiction that makes an unsupported claim contradicted.
	clearContradiction = 0.8
)

// wordOdds returns the log odds of support that the lexical verdict v gives. several reports that the contexts have more than one
// passage.
func wordOdds(v *verdict.Verdict, several bool) float64 {
	weight, sum := weightLexical, bias
	if several {
		weight = weightLexicalSeveral
	}
	if v.Label == verdict.Contradicted {
		sum += weightContradicted
	}
	return sum + weight*max(-maxLexical, min(math.Log(v.Score/(1-v.Score)), maxLexical))
}

// conclude combines the lexical verdict v with the opinion of the network. nearest returns the sentence with most words of the claim.
func (j *Judge) conclude(v *verdict.Verdict, o opinion, several bool, nearest func() verdict.Evidence) {
	weight := weightNetwork
	if several {
		weight = weightNetworkSeveral
	}
	before, sum := v.Label, wordOdds(v, several)+weight*math.Tanh(o.odds/networkScale)
	if v.Differs {
		sum = min(sum, differs)
	}
	v.Score = logistic(sum)
	switch {
	case v.Score >= j.o.Threshold:
		v.Label = verdict.Supported
	case before != verdict.Contradicted && o.contradiction < clearContradiction:
		v.Label = verdict.NotMentioned
	default:
		v.Label = verdict.Contradicted
	}
	v.Confidence = v.Score
	if v.Label != verdict.Supported {
		v.Confidence = 1 - v.Score
	}
	switch {
	case o.n == 0:
	case (before == verdict.Supported) != (v.Label == verdict.Supported):
		v.Reason = fmt.Sprintf("network: %.3f, although %s", logistic(o.odds), v.Reason)
	case before != v.Label:
		v.Reason = fmt.Sprintf("network: %.3f, contradicted; %s", logistic(o.odds), v.Reason)
	default:
		v.Reason = fmt.Sprintf("%s (network: %.3f)", v.Reason, logistic(o.odds))
	}
	if v.Label == before {
		return
	}
	if len(v.Evidence) == 0 {
		v.Evidence = []verdict.Evidence{nearest()}
	}
	for i := range v.Evidence {
		v.Evidence[i].Role = verdict.RoleOf(v.Label)
	}
	v.ChunkIDs = nil
	if v.Label == verdict.Supported {
		v.ChunkIDs, v.Unsupported = []int{v.Evidence[0].Chunk}, nil
		v.Evidence = v.Evidence[:1]
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
