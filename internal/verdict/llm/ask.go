package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

const (
	tries      = 3   // that a claim has to get a verdict
	warm       = 0.4 // temperature of what must not come out as before
	roomBase   = 400 // tokens of a reply without claims
	roomClaim  = 160 // and of each claim
	seedStride = 100 // between the seeds of two votes
)

// ask gets a finding for each of claims against pieces, or an error. Claims whose
// verdict is missing, doubled or of no known kind are asked again: once
// together, in a schema that has a place for each, and then each alone. Those on
// which no reply can be used by then are asked about in one word, and so is at once
// a claim whose reply has no end: it was cut off with twice the room too.
func (h *hearing) ask(ctx context.Context, pieces []piece, claims []int) error {
	left, endless, why := claims, []int(nil), error(nil)
	for try := range tries {
		step := len(left)
		if try == tries-1 {
			step = 1
		}
		var still []int
		for at := 0; at < len(left); at += step {
			part := left[at:min(at+step, len(left))]
			missing, reason, err := h.once(ctx, pieces, part, try)
			if err != nil {
				return err
			}
			if len(missing) == 0 {
				continue
			}
			why = reason
			if _, cut := errors.AsType[*llm.LengthError](reason); cut && len(part) == 1 {
				endless = append(endless, missing...)
			} else {
				still = append(still, missing...)
			}
		}
		if left = still; len(left) == 0 {
			break
		}
	}
	return h.words(ctx, pieces, append(endless, left...), why)
}

// once sends one request, adds what it brings, and returns the claims that it
// has no usable verdict for, and why.
func (h *hearing) once(ctx context.Context, pieces []piece, claims []int, try int) (missing []int, why, err error) {
	r, err := h.request(pieces, claims, try)
	if err != nil {
		return nil, nil, err
	}
	reply, err := h.judge.opts.Model.Complete(ctx, r)
	var said json.RawMessage
	if err == nil {
		h.usage = h.usage.Add(reply.Usage)
		said = reply.JSON
	} else {
		h.usage = h.usage.Add(llm.UsageOf(err))
		broken, unread := errors.AsType[*llm.ParseError](err)
		cut := llm.CutOff(err)
		switch {
		case cut && len(claims) > 1:
			return nil, nil, h.halves(claims, func(part []int) error { return h.ask(ctx, pieces, part) })
		case unread && broken.Partial != nil:
			said = broken.Partial
		case unread && broken.NoAnswer:
			return nil, nil, err // nor would a part or a word get one
		case unread || cut:
			return claims, err, nil
		default:
			return nil, nil, err
		}
	}
	found, why := reconcile(said, len(claims), h.judge.opts.Style)
	for i, c := range claims {
		if found[i] == nil {
			missing = append(missing, c)
			continue
		}
		h.open[c].add(found[i].finding(pieces, h.task.Contexts))
	}
	return missing, why, nil
}

// request asks for claims against pieces, both numbered by their place here.
func (h *hearing) request(pieces []piece, claims []int, try int) (*llm.Request, error) {
	o := &h.judge.opts
	d := prompt.Data{Strict: o.Strict, Question: h.task.Question}
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		d.Contexts = append(d.Contexts, prompt.Item{ID: i, Text: p.text})
		texts[i] = p.text
	}
	d.Joined = strings.Join(texts, "\n")
	for i, c := range claims {
		d.Claims = append(d.Claims, prompt.Item{ID: i, Text: h.task.Claims[c].Judged()})
	}
	text, err := o.Prompts.Render(h.judge.prompt(), d)
	if err != nil {
		return nil, err
	}
	r := &llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Text: text.System}, {Role: llm.User, Text: text.User}},
		Schema:    schemaOf(o.Style, len(claims), try),
		Seed:      o.Seed,
		MaxTokens: roomBase + roomClaim*len(claims),
		Prompt:    text.Version,
	}
	if h.vote > 0 || try > 0 {
		r.Seed += h.vote*seedStride + try
		r.Temperature = warm
	}
	return r, nil
}

// named lists claims by their ids, for an error.
func (h *hearing) named(claims []int) string {
	var b strings.Builder
	b.WriteString("claim")
	for i, c := range claims {
		if i == 5 {
			fmt.Fprintf(&b, " and %d more", len(claims)-i)
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + strconv.Itoa(h.task.Claims[c].ID))
	}
	return b.String()
}
