package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
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
// the claims; no claims where there are none. Sentences that claim nothing are
// set apart first, and an answer of nothing else costs nothing.
//
// Contexts that are too long for one request are judged in groups: the claims
// are those of the first, and those of them that it does not support are held
// against the others one group after the other. An answer that is too long is
// taken in halves. Errors are as those of [Judge.Judge]; the usage of both
// results together is what the row cost, with an error too.
func (c *Combined) Evaluate(ctx context.Context, question, answer string, contexts []string) (extract.Extraction, verdict.Judgement, error) {
	e, err := extract.Sentences{Lang: c.lang}.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 {
		return e, verdict.Judgement{}, err
	}
	s := &sitting{
		hearing:   hearing{judge: c.judge, task: verdict.Task{Question: question, Contexts: contexts}},
		sentences: e.Claims,
	}
	first, rest, err := s.divide(wholes(contexts), answer)
	if err == nil {
		err = s.evaluate(ctx, first, rest, answer, e.Claims)
	}
	j := verdict.Judgement{Usage: s.usage}
	if err != nil {
		return extract.Extraction{}, j, err
	}
	if len(s.task.Claims) == 0 {
		for _, cl := range e.Claims {
			e.Skip(extract.Skipped{Kind: extract.Unstated, Text: cl.Text, Start: cl.Start, End: cl.End})
		}
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
}

// divide parts pieces into a group that fits the window beside answer, and the
// groups that are left.
func (s *sitting) divide(pieces []piece, answer string) (first []piece, rest [][]piece, err error) {
	window := s.judge.opts.MaxContextTokens
	if window == 0 {
		return pieces, nil, nil
	}
	r, err := s.statements(nil, answer, 0)
	if err != nil {
		return nil, nil, err
	}
	room := window - r.MaxTokens - perMessage
	for _, m := range r.Messages {
		room -= s.judge.opts.Tokens(m.Text)
	}
	groups := pack(pieces, max(room, minWindow), s.judge.size)
	if len(groups) == 0 {
		return nil, nil, nil
	}
	return groups[0], groups[1:], nil
}

// evaluate finds claims in answer and judges them against first, and then
// against rest.
func (s *sitting) evaluate(ctx context.Context, first []piece, rest [][]piece, answer string, sentences []extract.Claim) error {
	list, err := s.once(ctx, first, answer)
	if _, cut := errors.AsType[*llm.LengthError](err); cut && len(sentences) > 1 {
		n := (len(sentences) + 1) / 2
		for _, half := range [][]extract.Claim{sentences[:n], sentences[n:]} {
			if err := s.evaluate(ctx, first, rest, joined(half), half); err != nil {
				return err
			}
		}
		return nil
	}
	if _, tooLong := errors.AsType[*llm.ContextLengthError](err); tooLong {
		total := 0
		for _, p := range first {
			total += len(p.text) + pieceMarks
		}
		if total >= 2*minBytes {
			groups := pack(first, (total+1)/2, bytesOf)
			return s.evaluate(ctx, groups[0], append(groups[1:], rest...), answer, sentences)
		}
	}
	if err != nil {
		return err
	}
	from := len(s.task.Claims)
	for _, st := range list {
		s.task.Claims = append(s.task.Claims, s.claim(len(s.task.Claims), st.text))
		s.open = append(s.open, st.answer.finding(first, s.task.Contexts))
	}
	for _, g := range rest {
		var left []int
		for i := from; i < len(s.open); i++ {
			if s.open[i].label != verdict.Supported {
				left = append(left, i)
			}
		}
		for at := 0; at < len(left); at += s.judge.opts.ClaimsPerCall {
			part := left[at:min(at+s.judge.opts.ClaimsPerCall, len(left))]
			if err := s.group(ctx, g, part); err != nil {
				return err
			}
		}
	}
	for i := from; i < len(s.open); i++ {
		if s.open[i].label == verdict.Contradicted { // seen only by the judge of later groups
			s.open[i].label, s.open[i].evidence = verdict.NotMentioned, nil
		}
	}
	return nil
}

// claim is a statement as a claim: verbatim where it is a sentence.
func (s *sitting) claim(id int, text string) extract.Claim {
	for _, c := range s.sentences {
		if c.Text == text {
			c.ID = id
			return c
		}
	}
	sources := []string{s.task.Question}
	for _, c := range s.sentences {
		sources = append(sources, c.Text)
	}
	return extract.Claim{ID: id, Text: text, Start: -1, End: -1, Invented: extract.Invented(text, sources...)}
}

func joined(sentences []extract.Claim) string {
	texts := make([]string, len(sentences))
	for i, c := range sentences {
		texts[i] = c.Text
	}
	return strings.Join(texts, " ")
}

// once asks for the statements of answer and their verdicts, again where the
// reply can't be read, and once more where it has no statements.
func (s *sitting) once(ctx context.Context, pieces []piece, answer string) ([]stated, error) {
	var last error
	for try := range tries {
		r, err := s.statements(pieces, answer, try)
		if err != nil {
			return nil, err
		}
		reply, err := s.judge.opts.Model.Complete(ctx, r)
		if err != nil {
			s.usage = s.usage.Add(llm.UsageOf(err))
			if _, unread := errors.AsType[*llm.ParseError](err); unread {
				last = err
				continue
			}
			return nil, err
		}
		s.usage = s.usage.Add(reply.Usage)
		list, err := readStated(reply.JSON)
		if err == nil && (len(list) > 0 || try > 0) {
			return list, nil
		}
		last = err
	}
	if last == nil {
		return nil, nil
	}
	return nil, fmt.Errorf("no verdicts in %d tries: %w", tries, last)
}

const statedSchema = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"reasoning":{"type":"string"},"chunk_ids":{"type":"array","items":{"type":"integer"}},"is_supported":{"type":"boolean"}},"required":["text","reasoning","chunk_ids","is_supported"],"additionalProperties":false}}},"required":["statements"],"additionalProperties":false}`

// statements asks for the statements of answer and their verdicts.
func (s *sitting) statements(pieces []piece, answer string, try int) (*llm.Request, error) {
	o := &s.judge.opts
	d := prompt.Data{Strict: o.Strict, Again: try > 0, Question: s.task.Question, Answer: answer}
	for i, p := range pieces {
		d.Contexts = append(d.Contexts, prompt.Item{ID: i, Text: p.text})
	}
	text, err := o.Prompts.Render(prompt.RagEvals, d)
	if err != nil {
		return nil, err
	}
	r := &llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: text.System}, {Role: llm.User, Text: text.User}},
		Schema: &llm.Schema{Name: "checked_statements", JSON: json.RawMessage(statedSchema), Accept: func(raw json.RawMessage) error {
			_, err := readStated(raw)
			return err
		}},
		Seed:      o.Seed,
		MaxTokens: roomBase + roomClaim*(1+len(answer)/100),
		Prompt:    text.Version,
	}
	if try > 0 {
		r.Seed += try
		r.Temperature = warm
	}
	return r, nil
}

// stated is a statement with what is said of it.
type stated struct {
	text   string
	answer answer
}

// readStated reads a reply, which may have no statements. One that lacks its
// text or its verdict makes the whole of it unfit: who can't be counted would be
// missing from the score.
func readStated(raw json.RawMessage) ([]stated, error) {
	var reply struct {
		Statements *[]struct {
			Text        string          `json:"text"`
			Reasoning   json.RawMessage `json:"reasoning"`
			ChunkIDs    json.RawMessage `json:"chunk_ids"`
			IsSupported *bool           `json:"is_supported"`
		} `json:"statements"`
	}
	if json.Unmarshal(raw, &reply) != nil {
		return nil, errors.New("\"statements\" is not of the shape asked for")
	}
	if reply.Statements == nil {
		return nil, errors.New("it has no \"statements\"")
	}
	out := make([]stated, 0, len(*reply.Statements))
	for _, s := range *reply.Statements {
		text := plain(s.Text)
		if !says(text) || s.IsSupported == nil {
			return nil, errors.New("a statement lacks its text or its verdict")
		}
		a := answer{label: verdict.NotMentioned, reason: oneLine(str(s.Reasoning)), chunks: numbers(s.ChunkIDs)}
		if *s.IsSupported {
			a.label = verdict.Supported
		}
		out = append(out, stated{text, a})
	}
	return out, nil
}
