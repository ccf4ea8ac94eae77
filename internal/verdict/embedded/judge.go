// Package embedded implements a judge that combines the lexical judge with a small neural
// network, trained on claims that annotators wrote. The weights are embedded in the binary.
package embedded

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/language"
	"github.com/ragfaith/ragfaith/internal/values"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

//nolint:gochecknoglobals // loaded once from the embedded files, never changed
var load = sync.OnceValue(loadNetwork)

// Options configure a Judge.
type Options struct {
	// Lexical is the judge whose verdicts are combined with those of the network. Required.
	Lexical verdict.Judge
	// Threshold is the minimum score of a supported claim, from 0 to 1.
	Threshold float64
	// Sentences calls yield with the start and end byte offsets of each sentence of text. Required.
	Sentences func(text string, yield func(start, end int))
	// Values returns the values in a text. Required.
	Values func(text string) []values.Value
	// Waiting, if set, is called before a task waits for the network. It returns a function that
	// is called when the wait ends.
	Waiting func(ctx context.Context) (resume func())
}

// A Judge combines a network with the lexical judge. It is deterministic and safe for concurrent
// use.
type Judge struct{ o Options }

// New returns a judge.
func New(o Options) *Judge { return &Judge{o} }

// IsSlow reports whether this processor needs seconds for a row.
func IsSlow() bool { return must(kernel.New("")).Slow8() }

// Threshold returns the minimum score of a supported claim.
func (j *Judge) Threshold() float64 { return j.o.Threshold }

// Limits of what the network reads of a task, and so of time and memory. The lexical judge alone
// decides the rest.
const (
	maxClaims       = 200
	maxContextBytes = 4 << 20
)

// Judge returns a verdict for each claim, in the order of the claims. Claims in another language
// than English, and those beyond the limits, get that of the lexical judge. The errors are those
// of the lexical judge and of ctx.
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
	r := &reading{contexts: task.Contexts, values: j.o.Values, index: newIndex(passages(task.Contexts, j.o.Sentences)), passages: map[int]*nearby{}}
	if len(r.index.passages) == 0 {
		return out, nil
	}
	n := load()
	share, claims := r.index.share(), task.Claims[:min(len(task.Claims), maxClaims)]
	for i, c := range claims {
		if v := &out.Verdicts[i]; isSettled(v) || math.Abs(wordOdds(v, share)) >= weightNetwork*share {
			continue
		}
		before := []string{task.Question}
		for _, c := range claims[max(0, i-2):i] {
			before = append(before, c.Text)
		}
		if err := r.add(n, i, c, strings.TrimSpace(strings.Join(before, " "))); err != nil {
			return out, err
		}
	}
	found, err := n.run(ctx, r.read, j.o.Waiting)
	if err != nil {
		return out, err
	}
	means := make([]mean, len(claims))
	for k, f := range slices.Concat(r.forms...) {
		means[f.claim].add(found[k], claims[f.claim].Judged(), f.offsets)
	}
	for i, c := range claims {
		if v := &out.Verdicts[i]; !isSettled(v) {
			j.conclude(v, c, means[i], share, func() verdict.Evidence { return r.nearest(c.Judged()) })
		}
	}
	return out, nil
}

// A mean is the mean of the outputs of the network for a claim in n forms: alone, and after the
// question and the claims before it. It is zero for a claim that the network has not read.
type mean struct {
	n, odds, contradiction float64
	wrong                  [][2]int // words that are likely to be wrong, as byte ranges of the judged text
}

// add adds a finding. Its words count if offsets are the positions of its tokens in text, the
// judged text.
func (m *mean) add(f finding, text string, offsets [][2]int) {
	m.n++
	m.odds += (f.odds() - m.odds) / m.n
	m.contradiction += (f.contradiction() - m.contradiction) / m.n
	if offsets != nil {
		m.wrong = wrongWords(f.wrong, text, offsets)
	}
}

// wrongWords returns the byte ranges of the words of text, without punctuation around them, of
// which a token is likely to be wrong, given the log odds of the tokens.
func wrongWords(odds []float64, text string, offsets [][2]int) [][2]int {
	var words [][2]int
	start, top := 0, math.Inf(-1)
	for i, o := range offsets {
		if o[0] == o[1] { // special
			continue
		}
		if i == 1 || o[0] > offsets[i-1][1] {
			start, top = o[0], math.Inf(-1)
		}
		top = max(top, odds[i])
		if next := offsets[i+1]; next[0] == o[1] || top < wrongFrom { // the last token is special
			continue
		}
		word := strings.TrimLeftFunc(text[start:o[1]], unicode.IsPunct)
		start = o[1] - len(word)
		if word = strings.TrimRightFunc(word, unicode.IsPunct); word != "" {
			words = append(words, [2]int{start, start + len(word)})
		}
	}
	return words
}

// isSettled reports whether the lexical verdict stands: the claim is verbatim, or it is not judged.
func isSettled(v *verdict.Verdict) bool { return v.Score == 1 || v.Label == verdict.Unjudged }

// isForeign reports whether a task is in another language than that of the network, English. If
// its claims are too short to be sure, a decimal comma decides, or else the question and the
// contexts.
func isForeign(task verdict.Task) bool {
	var p language.Profile
	for _, c := range task.Claims {
		p.Add(c.Judged())
	}
	if p.Language() == "" {
		if p.HasDecimalComma() {
			return true
		}
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
	values   func(text string) []values.Value
	index    index
	passages map[int]*nearby
	read     []group
	forms    [][]form // of each group
}

// A nearby passage is the nearest one of a claim.
type nearby struct {
	text   string
	values []values.Value // those of its start
	group  int            // index in read of its last group, or -1
}

// A form is one of the texts in which the network reads a claim.
type form struct {
	claim   int
	offsets [][2]int // of its tokens in the judged text; nil if other text precedes it
}

func (r *reading) nearest(claim string) verdict.Evidence {
	_, s := r.index.nearest(claim)
	return verdict.NewEvidence(r.contexts, s.chunk, s.start, s.end)
}

// maxRestated limits the bytes of a passage whose values are compared, which are more than the
// network reads, and of a claim.
const maxRestated = 2000

// add adds a claim to the group of the passage that is nearest to it, alone and after the text
// before it.
func (r *reading) add(n *network, claim int, c extract.Claim, before string) error {
	i, _ := r.index.nearest(c.Judged())
	p := r.passages[i]
	if p == nil {
		p = &nearby{text: r.index.passages[i].text(r.contexts), group: -1}
		p.values = r.values(p.text[:min(len(p.text), maxRestated)])
		r.passages[i] = p
	}
	if p.group < 0 || r.read[p.group].size()+2*(maxClaim+2) > maxTokens {
		ids, err := n.encodePassage(p.text)
		if err != nil {
			return err
		}
		p.group = len(r.read)
		r.read, r.forms = append(r.read, group{passage: ids}), append(r.forms, nil)
	}
	for i, text := range []string{c.Judged(), c.Text} {
		if i > 0 && before == "" && text == c.Judged() {
			break
		}
		var edits []edit
		if len(text) <= maxRestated {
			edits = restate(text, p.text, r.values(text), p.values)
		}
		text = apply(text, edits)
		if i > 0 {
			text = strings.TrimSpace(before + " " + text)
		}
		ids, offsets, err := n.encodeClaim(text)
		if err != nil {
			return err
		}
		if i > 0 {
			offsets = nil
		}
		for k := range offsets {
			offsets[k] = original(offsets[k], edits)
		}
		g := p.group
		r.read[g].claims, r.forms[g] = append(r.read[g].claims, ids), append(r.forms[g], form{claim, offsets})
	}
	return nil
}

// Weights of the combined log odds of support, fitted by training/judge/combine.py on one half of
// its sets. The network reads one passage for a claim: its weight is multiplied by the share of
// the words that it reads. If the contexts have several passages, words weigh more.
const (
	bias                 = 0.00
	weightNetwork        = 2.09
	weightLexical        = 0.23
	weightLexicalSeveral = weightLexical + 0.47
	weightContradicted   = -0.70
)

const (
	// The log odds of the network count as tanh(odds/networkScale), so that extreme odds have
	// little more effect than high ones.
	networkScale = 3
	// maxLexical limits the log odds of the lexical judge.
	maxLexical = 4.6
	// maxDiffering is the maximum of the combined log odds of a claim that repeats a statement but
	// for a value or a denial: the exact comparison takes precedence over the network.
	maxDiffering = -0.04
	// clearContradiction is the probability of a contradiction that makes an unsupported claim contradicted.
	clearContradiction = 0.8
	// wrongFrom is the log odds from which a word of an unsupported claim is shown as what is
	// wrong with it.
	wrongFrom = 1
)

// wordOdds returns the log odds of support that the lexical verdict v gives, if a passage has that share of the words.
func wordOdds(v *verdict.Verdict, share float64) float64 {
	weight, sum := weightLexical, bias
	if share < 1 {
		weight = weightLexicalSeveral
	}
	if v.Label == verdict.Contradicted {
		sum += weightContradicted
	}
	return sum + weight*max(-maxLexical, min(math.Log(v.Score/(1-v.Score)), maxLexical))
}

// conclude combines the lexical verdict v on a claim with the mean of the network. nearest returns
// the sentence with most words of the claim.
func (j *Judge) conclude(v *verdict.Verdict, c extract.Claim, m mean, share float64, nearest func() verdict.Evidence) {
	before, sum := v.Label, wordOdds(v, share)+weightNetwork*share*math.Tanh(m.odds/networkScale)
	if v.Differs {
		sum = min(sum, maxDiffering)
	}
	v.Score = logistic(sum)
	switch {
	case v.Score >= j.o.Threshold:
		v.Label = verdict.Supported
	case before != verdict.Contradicted && m.contradiction < clearContradiction:
		v.Label = verdict.NotMentioned
	default:
		v.Label = verdict.Contradicted
	}
	v.Confidence = v.Certainty()
	network := fmt.Sprintf("network: %.3f", logistic(m.odds))
	if v.Label != verdict.Supported {
		v.Unsupported = verdict.UnsupportedSpans(c, m.wrong)
		if quotes := verdict.QuoteSpans(c, v.Unsupported); len(quotes) > 0 {
			network += ", doubts " + strings.Join(quotes, ", ")
		}
	}
	switch {
	case m.n == 0:
	case (before == verdict.Supported) != (v.Label == verdict.Supported):
		v.Reason = fmt.Sprintf("%s, although %s", network, v.Reason)
	case before != v.Label:
		v.Reason = fmt.Sprintf("%s, contradicted; %s", network, v.Reason)
	default:
		v.Reason = fmt.Sprintf("%s (%s)", v.Reason, network)
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
		v.ChunkIDs = []int{v.Evidence[0].Chunk}
		v.Evidence = v.Evidence[:1]
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
