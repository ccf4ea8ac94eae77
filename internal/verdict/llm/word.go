package llm

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

// A word and what a model puts around it, in tokens. What it goes on to say is
// not read.
const roomWord = 16

// words asks for one word on each of claims, which no try has a usable verdict
// for; why says why. It is the last that is asked: small models that write no JSON
// can still say yes or no. A claim on which no such word comes fails.
func (h *hearing) words(ctx context.Context, pieces []piece, claims []int, why error) error {
	var later error
	for i, c := range claims {
		err := h.word(ctx, pieces, c)
		_, unread := errors.AsType[*llm.ParseError](err)
		_, cut := errors.AsType[*llm.LengthError](err)
		switch {
		case llm.Deferred(err):
			later = err // the other claims can be asked about meanwhile
		case unread || cut:
			return fmt.Errorf("%s: no verdict: %w; and asked for one word: %w", h.named(claims[i:]), why, err)
		case err != nil:
			return err
		}
	}
	return later
}

// word asks for one word on a claim.
func (h *hearing) word(ctx context.Context, pieces []piece, claim int) error {
	r, read, err := h.wordRequest(pieces, claim)
	if err != nil {
		return err
	}
	reply, err := h.judge.opts.Model.Complete(ctx, r)
	if err != nil {
		h.usage = h.usage.Add(llm.UsageOf(err))
		return err
	}
	h.usage = h.usage.Add(reply.Usage)
	a, err := read(reply.Text)
	if err != nil {
		return &llm.ParseError{Reason: err.Error(), Text: reply.Text}
	}
	h.open[claim].add(a.finding(pieces, h.task.Contexts))
	return nil
}

// wordRequest is the request for a word on a claim, and how its reply is read.
func (h *hearing) wordRequest(pieces []piece, claim int) (r *llm.Request, read func(reply string) (*answer, error), err error) {
	o := &h.judge.opts
	c := h.task.Claims[claim].Judged()
	d := prompt.Data{Strict: o.Strict, Question: h.task.Question, Claims: []prompt.Item{{Text: c}}}
	told := []string{c, h.task.Question}
	for i, p := range pieces {
		d.Contexts = append(d.Contexts, prompt.Item{ID: i, Text: p.text})
		told = append(told, p.text)
	}
	text, err := o.Prompts.Render(prompt.JudgeWord, d)
	if err != nil {
		return nil, nil, err
	}
	read = func(reply string) (*answer, error) { return readWord(reply, told, o.Style) }
	r = &llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: text.System}, {Role: llm.User, Text: text.User}},
		Accept: func(reply string) error {
			_, err := read(reply)
			return err
		},
		Seed:      o.Seed + h.vote*seedStride,
		MaxTokens: roomWord,
		Prompt:    text.Version,
	}
	if h.vote > 0 {
		r.Temperature = warm
	}
	return r, read, nil
}
