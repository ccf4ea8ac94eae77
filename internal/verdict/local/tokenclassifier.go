package local

import (
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

// A TokenClassifierModel classifies the tokens of the second text of a pair.
// *encoder.Model implements it if its kind is Tokens.
type TokenClassifierModel interface {
	Model
	// Tokens returns the logits of all tokens of each pair.
	Tokens(ctx context.Context, pairs []encoder.Pair) ([]encoder.Tagged, error)
}

// TokenClassifierOptions configure a TokenClassifier.
type TokenClassifierOptions struct {
	Options
	Model  TokenClassifierModel // required
	Layout TokenClassifierLayout
	// Strictest combines the probabilities of a token given several groups of contexts by
	// their maximum, as LettuceDetect does. A part of the answer that only one group
	// supports is then unsupported. Otherwise support by any group counts.
	Strictest bool
}

// A TokenClassifier is a judge whose model reads contexts and answer once and marks the
// parts of the answer that the contexts do not support, such as LettuceDetect. It is safe
// for concurrent use. Its results depend only on the task, the model and the options.
type TokenClassifier struct {
	o TokenClassifierOptions
	budget
}

// NewTokenClassifier returns a judge, or an error if the model is unsuitable.
func NewTokenClassifier(o TokenClassifierOptions) (*TokenClassifier, error) {
	info := o.Model.Info()
	if info.Kind != encoder.Tokens {
		return nil, fmt.Errorf("a model of kind %q can't mark unsupported parts: want one that classifies tokens", info.Kind)
	}
	if !slices.Contains(info.Meanings, encoder.Supported) {
		return nil, fmt.Errorf("none of the model's labels (%s) means supported", strings.Join(info.Labels, ", "))
	}
	return &TokenClassifier{o, newBudget(o.Model, o.Layout.Limit)}, nil
}

// Judge returns a verdict for each claim, in order. The claims are read together as one
// text, separated by spaces, unless they are longer than half of what the model reads. A
// claim is as probable as its least supported token.
func (j *TokenClassifier) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
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

// fit returns how many of claims are read together.
func (j *TokenClassifier) fit(claims []extract.Claim) (int, error) {
	if j.limit == 0 {
		return len(claims), nil
	}
	used := 0
	for i, c := range claims {
		n := j.o.Model.Count(c.Judged())
		if used += n + 1; used <= j.free/2 {
			continue
		}
		if i == 0 {
			return 1, j.checkClaim(n)
		}
		return i, nil
	}
	return len(claims), nil
}

// A mark is a token of the claims and the probability that it is unsupported.
type mark struct {
	start, end  int // byte range in the text of all claims, empty for white space
	probability float64
}

// judge returns the verdicts on claims that are read together.
func (j *TokenClassifier) judge(ctx context.Context, task verdict.Task, claims []extract.Claim) ([]verdict.Verdict, error) {
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
			var own []mark // relative to the start of the claim
			for _, m := range marks {
				if m.start < end && m.end > start {
					own = append(own, mark{max(0, m.start-start), min(m.end, end) - start, m.probability})
				}
			}
			if v, err = j.conclude(ctx, task, c, own); err != nil {
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
func (j *TokenClassifier) groups(ctx context.Context, task verdict.Task, answer string) ([][]string, error) {
	l := &j.o.Layout
	tokens := func(passages []string) int {
		return j.o.Model.Count(l.prompt(task.Question, passages)) + j.o.Model.Count(answer)
	}
	available := 0 // tokens of the passages
	if j.limit > 0 {
		if available = j.free - tokens([]string{""}); available < j.minContext {
			return nil, errors.New("the question and the answer leave no room for the contexts")
		}
	}
	const numbering = 8 // tokens of "passage 12: " at most
	s := encoder.Splitter{Count: j.o.Model.Count, Sentences: j.o.Sentences}
	ranges, err := s.Split(ctx, task.Contexts, max(0, available-numbering))
	if err != nil || len(ranges) == 0 {
		return nil, err
	}
	passages := make([]string, len(ranges))
	for i, r := range ranges {
		passages[i] = task.Contexts[r.Text][r.Start:r.End]
	}
	if j.limit == 0 || tokens(passages) <= j.free {
		return [][]string{passages}, nil
	}
	var groups [][]string
	used, first := 0, 0
	for i, p := range passages {
		n := j.o.Model.Count(l.line(i, p))
		if i > first && used+n+len(l.Join) > available {
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
func (j *TokenClassifier) marks(ctx context.Context, question, answer string, groups [][]string) ([]mark, error) {
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

func (j *TokenClassifier) conclude(ctx context.Context, task verdict.Task, c extract.Claim, marks []mark) (verdict.Verdict, error) {
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

// A TokenClassifierLayout is how a published token classifier was trained to read contexts.
type TokenClassifierLayout struct {
	// Passage is the format of a context, with its number from 1 if Numbered is set.
	// Passages are joined with Join.
	Passage  string
	Numbered bool
	Join     string
	// QA and Summary are the first text of a pair with and without a question. Their
	// placeholders are {question}, {passages} and {n}, the number of passages.
	QA, Summary string
	// Labels are the meanings of the logits, as names of labels.
	Labels []string
	// Limit is the maximum number of tokens of a pair. If it is 0, it follows from the
	// model's files.
	Limit int
}

// TokenClassifierLayouts returns the layouts of published token classifiers by repository.
func TokenClassifierLayouts() map[string]TokenClassifierLayout {
	v1, v2 := LettuceDetectLayout(), lettuceDetect2Layout()
	return map[string]TokenClassifierLayout{
		"KRLabsOrg/lettucedect-base-modernbert-en-v1":  v1,
		"KRLabsOrg/lettucedect-large-modernbert-en-v1": v1,
		"KRLabsOrg/tinylettuce-ettin-17m-en":           v1,
		"KRLabsOrg/tinylettuce-ettin-32m-en":           v1,
		"KRLabsOrg/tinylettuce-ettin-68m-en":           v1,
		"KRLabsOrg/lettucedect-v2-mmbert-base":         v2,
	}
}

// LettuceDetectLayout returns the English layout of LettuceDetect 1, which imitates the
// prompts of RAGTruth (lettucedetect/prompts of KRLabsOrg/LettuceDetect).
func LettuceDetectLayout() TokenClassifierLayout {
	return TokenClassifierLayout{
		Passage: "passage %d: %s", Numbered: true, Join: "\n",
		QA: "Briefly answer the following question:\n{question}\n" +
			"Bear in mind that your response should be strictly based on the following {n} passages:\n{passages}\n" +
			"In case the passages do not contain the necessary information to answer the question, please reply with: " +
			"\"Unable to answer based on given passages.\"\noutput:",
		Summary: "Summarize the following text:\n{passages}\noutput:",
		Labels:  []string{"supported", "hallucinated"},
		Limit:   4096,
	}
}

// lettuceDetect2Layout returns the layout on which LettuceDetect 2 was trained
// (scripts/canonicalize_prompts.py and generate_acl_hallucinations.py).
func lettuceDetect2Layout() TokenClassifierLayout {
	return TokenClassifierLayout{
		Passage: "%s", Join: "\n\n", QA: "User request: {question}\n\n{passages}", Summary: "{passages}",
		Labels: []string{"supported", "hallucinated"}, Limit: 8192,
	}
}

// TokenClassifierLayoutOf returns the layout of a token classifier that is not published, and its
// name. The training scripts of LettuceDetect 2 name its labels, those of version 1 do not.
func TokenClassifierLayoutOf(labels []string) (TokenClassifierLayout, string) {
	if slices.ContainsFunc(labels, func(label string) bool { return strings.EqualFold(label, "hallucinated") }) {
		return lettuceDetect2Layout(), "lettucedetect 2"
	}
	return LettuceDetectLayout(), "lettucedetect 1"
}

func (l *TokenClassifierLayout) line(i int, text string) string {
	if l.Numbered {
		return fmt.Sprintf(l.Passage, i+1, text)
	}
	return fmt.Sprintf(l.Passage, text)
}

// prompt returns the first text of a pair.
func (l *TokenClassifierLayout) prompt(question string, passages []string) string {
	lines := make([]string, len(passages))
	for i, p := range passages {
		lines[i] = l.line(i, p)
	}
	text := l.QA
	if question == "" {
		text = l.Summary
	}
	return strings.NewReplacer("{question}", question, "{n}", strconv.Itoa(len(passages)), "{passages}", strings.Join(lines, l.Join)).Replace(text)
}
