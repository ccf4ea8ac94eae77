package llm

import (
	"context"
	"errors"

	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// Combined finds the claims of an answer and judges them in one request, as
// rag_evals does. Contradictions are not told from what is not mentioned.
type Combined struct {
	judge *Judge
	lang  string
}

// NewCombined returns a Combined for answers in lang ("" where that is not
// known). Of the options, Style and Votes must be left at their defaults.
func NewCombined(opts Options, lang string) (*Combined, error) {
	if opts.Style != Chunks || opts.Votes > 1 {
		return nil, errors.New("claims and verdicts in one request: there is one style, and one vote")
	}
	j, err := New(opts)
	if err != nil {
		return nil, err
	}
	return &Combined{j, lang}, nil
}

// Evaluate returns the claims of answer and a verdict for each, in the order of
// the sentences; no claims where there are none. Sentences that claim nothing are
// set apart first, and an answer of nothing else costs nothing. No other sentence
// is lost: one that the model has no statement for in two tries is a claim
// itself, verbatim, and gets its verdict as a [Judge] gives it.
//
// Contexts that are too long for one request are judged in groups: the first goes
// with the sentences, and the claims that it does not support are held against
// the others. An answer that is too long is taken in parts. Errors are as those
// of [Judge.Judge]; the usage of both results together is what the row cost, with
// an error too.
func (c *Combined) Evaluate(ctx context.Context, question, answer string, contexts []string) (extract.Extraction, verdict.Judgement, error) {
	e, err := extract.Sentences{Lang: c.lang}.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 {
		return e, verdict.Judgement{}, err
	}
	s := &sitting{
		hearing:   hearing{judge: c.judge, task: verdict.Task{Question: question, Contexts: contexts}},
		sentences: e.Claims,
		found:     make([][]stated, len(e.Claims)),
		groups:    [][]piece{wholes(contexts)},
	}
	err = s.all(ctx)
	j := verdict.Judgement{Usage: s.usage}
	if err != nil {
		return extract.Extraction{}, j, err
	}
	e.Claims = s.task.Claims
	for i := range s.open {
		v := count([][]finding{s.open}, i)
		v.ClaimID = i
		j.Verdicts = append(j.Verdicts, v)
	}
	return e, j, nil
}

// A sitting is a hearing that finds its claims itself.
type sitting struct {
	hearing
	sentences []extract.Claim
	found     [][]stated // by sentence
	groups    [][]piece  // the first goes with the sentences
}

// A stated claim with what the first group of chunks says of it.
type stated struct {
	text    string
	finding finding
}

func (s *sitting) all(ctx context.Context) error {
	ids := make([]int, len(s.sentences))
	for i := range ids {
		ids[i] = i
	}
	if err := s.fit(ids); err != nil {
		return err
	}
	for n := s.judge.opts.ClaimsPerCall; len(ids) > 0; {
		k := min(n, len(ids))
		if err := s.ask(ctx, ids[:k]); err != nil {
			return err
		}
		ids = ids[k:]
	}
	for i, from := range s.sentences {
		if s.found[i] == nil {
			from.ID = len(s.open)
			s.task.Claims, s.open = append(s.task.Claims, from), append(s.open, finding{})
		}
		for _, st := range s.found[i] {
			s.task.Claims, s.open = append(s.task.Claims, s.claim(i, st.text)), append(s.open, st.finding)
		}
	}
	for g, group := range s.groups {
		var left []int
		for i, f := range s.open {
			if !f.known || g > 0 && f.label != verdict.Supported {
				left = append(left, i)
			}
		}
		for n := s.judge.opts.ClaimsPerCall; len(left) > 0; {
			k := min(n, len(left))
			if err := s.group(ctx, group, left[:k]); err != nil {
				return err
			}
			left = left[k:]
		}
	}
	for i := range s.open {
		if s.open[i].label == verdict.Contradicted { // which the one request does not tell
			s.open[i].label, s.open[i].evidence = verdict.NotMentioned, nil
		}
	}
	return nil
}

// fit groups the chunks so that the first group fits the window beside the
// sentences of one request.
func (s *sitting) fit(ids []int) error {
	if s.fits, _ = s.judge.window(); s.fits == 0 {
		return nil
	}
	r, err := s.statements(nil, ids[:min(len(ids), s.judge.opts.ClaimsPerCall)], 0)
	if err != nil {
		return err
	}
	if groups := pack(s.groups[0], max(s.judge.room(r), minWindow), s.judge.size); len(groups) > 0 {
		s.groups = groups
	}
	return nil
}

// claim is a statement of sentence i as a claim: verbatim where it is the
// sentence.
func (s *sitting) claim(i int, text string) extract.Claim {
	from := s.sentences[i]
	if text == from.Text {
		from.ID = len(s.open)
		return from
	}
	sources := []string{s.task.Question}
	for _, c := range s.sentences {
		sources = append(sources, c.Text)
	}
	return extract.Claim{
		ID: len(s.open), Text: text, Start: -1, End: -1,
		From: &extract.Span{Start: from.Start, End: from.End}, Invented: extractllm.Invented(text, sources...),
		Citations: from.Citations,
	}
}

const combinedTries = 2

// ask has some sentences stated and judged against the first group, and those
// that the reply leaves out once more.
func (s *sitting) ask(ctx context.Context, ids []int) error {
	for try := range combinedTries {
		group := s.groups[0]
		r, err := s.statements(group, ids, try)
		if err != nil {
			return err
		}
		reply, err := s.judge.opts.Model.Complete(ctx, r)
		if err != nil {
			s.usage = s.usage.Add(llm.UsageOf(err))
			_, unread := errors.AsType[*llm.ParseError](err)
			cut := llm.CutOff(err)
			_, tooLong := errors.AsType[*llm.ContextLengthError](err)
			switch {
			case tooLong && s.split():
				return s.ask(ctx, ids)
			case (cut || tooLong) && len(ids) > 1:
				return s.halves(ids, func(half []int) error { return s.ask(ctx, half) })
			case unread || cut:
				continue
			}
			return err
		}
		s.usage = s.usage.Add(reply.Usage)
		list, err := readStated(reply.JSON, len(ids))
		if err != nil {
			continue
		}
		var left []int
		for at, i := range ids {
			for _, st := range list[at] {
				s.found[i] = append(s.found[i], stated{st.text, st.answer.finding(group, s.task.Contexts)})
			}
			if s.found[i] == nil {
				left = append(left, i)
			}
		}
		if ids = left; len(ids) == 0 {
			return nil
		}
	}
	return nil
}

// split halves the first group, if that can be done.
func (s *sitting) split() bool {
	total := 0
	for _, p := range s.groups[0] {
		total += len(p.text) + pieceMarks
	}
	if total < 2*minBytes {
		return false
	}
	s.groups = append(pack(s.groups[0], (total+1)/2, bytesOf), s.groups[1:]...)
	return true
}
