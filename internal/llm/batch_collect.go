package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A batchReply is a line of what a batch brought.
type batchReply struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
}

// readReply reads a line; the zero value for what is none.
func readReply(line []byte) (l batchReply) {
	if json.Unmarshal(line, &l) != nil {
		return batchReply{}
	}
	return l
}

// key is the key of the line's request; nil where it is no id of ours.
func (l *batchReply) key() []byte {
	key, err := base64.RawURLEncoding.DecodeString(l.CustomID)
	if err != nil || len(key) != sha256.Size {
		return nil
	}
	return key
}

// collect reads both files of a batch into the store. What is no line, has an id
// that was not asked for, or comes twice, is no reply. It may be called again.
func (b *Batch) collect(ctx context.Context, p *batchPart) error {
	c := b.stack.Client
	p.Spent, p.Replies = usage.Usage{}, 0
	p.Misfit = false
	to := b.state.Form
	err := b.store.fill(ctx, p.Name, func(f *filling) error {
		for _, id := range []string{p.Output, p.Failed} {
			if id == "" {
				continue
			}
			if err := c.content(ctx, id, func(line []byte) error { return b.take(ctx, p, f, line, &to) }); err != nil {
				return err
			}
		}
		replies, misfits, err := f.count(ctx)
		if err != nil {
			return err
		}
		p.Replies = replies
		// One request that is refused for its form may be an odd one. Where half of
		// them are, it is what the model does not take, and all are asked anew as it
		// does.
		p.Misfit = misfits > 0 && misfits*2 >= p.Requests
		return nil
	})
	if err == nil && p.Misfit {
		b.state.Learned = joined(b.state.Learned, to)
	}
	return err
}

// take puts a line into the store. to becomes the form that refusals ask for.
func (b *Batch) take(ctx context.Context, p *batchPart, f *filling, line []byte, to *form) error {
	l := readReply(line)
	key := l.key()
	if key == nil || l.Response == nil {
		return nil
	}
	status, body := l.Response.Status, []byte(l.Response.Body)
	var spent usage.Usage
	switch {
	case status == http.StatusOK:
		var ok bool
		if spent, ok = paid(body); !ok {
			return nil
		}
	case status < http.StatusBadRequest || status > 599:
		return nil
	default:
		if next, fits := b.misfit(status, body); !fits {
			status = misfit
			*to = joined(*to, next)
		}
	}
	known, err := f.put(ctx, key, status, bytes.Clone(body))
	if err == nil && known {
		p.Spent = p.Spent.Add(spent)
	}
	return err
}

// paid reads what a reply cost. It is not ok for what is no reply.
func paid(body []byte) (usage.Usage, bool) {
	var res struct {
		Choices []json.RawMessage `json:"choices"`
		Usage   struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &res) != nil || len(res.Choices) == 0 {
		return usage.Usage{}, false
	}
	return usage.Usage{Requests: 1, PromptTokens: max(0, res.Usage.Prompt), CompletionTokens: max(0, res.Usage.Completion)}, true
}

// misfit reads a refusal. It does not fit where the server names a part of the
// request's form that can be left out; next is the form without.
func (b *Batch) misfit(status int, body []byte) (next form, fits bool) {
	final, room := classify(batchRefusal(status, body))
	if room > 0 {
		return next, true
	}
	next, blind, ok := adapt(b.state.Form, true, final)
	return next, !ok || blind
}

// joined is what two forms leave out together.
func joined(a, b form) form {
	a.format, a.room = max(a.format, b.format), max(a.room, b.room)
	if b.maxRoom > 0 && (a.maxRoom == 0 || b.maxRoom < a.maxRoom) {
		a.maxRoom = b.maxRoom
	}
	a.told = a.told || b.told
	a.noTemperature = a.noTemperature || b.noTemperature
	a.noSeed = a.noSeed || b.noSeed
	a.noSystem = a.noSystem || b.noSystem
	a.noBrief = a.noBrief || b.noBrief
	return a
}
