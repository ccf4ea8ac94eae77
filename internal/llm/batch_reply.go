package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"

	openai "github.com/sashabaranov/go-openai"

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
	err := b.store.fill(ctx, p.Name, func(f *partFill) error {
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
		b.state.Learned = mergeForms(b.state.Learned, to)
	}
	return err
}

// take puts a line into the store. to becomes the form that refusals ask for.
func (b *Batch) take(ctx context.Context, p *batchPart, f *partFill, line []byte, to *form) error {
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
		if spent, ok = replyCost(body); !ok {
			return nil
		}
	case status < http.StatusBadRequest || status > 599:
		return nil
	default:
		if next, fits := b.misfit(status, body); !fits {
			status = misfit
			*to = mergeForms(*to, next)
		}
	}
	known, err := f.put(ctx, key, status, bytes.Clone(body))
	if err == nil && known {
		p.Spent = p.Spent.Add(spent)
	}
	return err
}

// paid reads what a reply cost. It is not ok for what is no reply.
func replyCost(body []byte) (usage.Usage, bool) {
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
	next, guess, ok := adapt(b.state.Form, true, final)
	return next, !ok || guess
}

// joined is what two forms release out together.
func mergeForms(a, b form) form {
	a.format, a.tokenParam = max(a.format, b.format), max(a.tokenParam, b.tokenParam)
	if b.maxOutput > 0 && (a.maxOutput == 0 || b.maxOutput < a.maxOutput) {
		a.maxOutput = b.maxOutput
	}
	a.schemaInPrompt = a.schemaInPrompt || b.schemaInPrompt
	a.noTemperature = a.noTemperature || b.noTemperature
	a.noSeed = a.noSeed || b.noSeed
	a.noSystem = a.noSystem || b.noSystem
	a.noBounds = a.noBounds || b.noBounds
	return a
}

// replay reads what a batch brought as if it had just come. It is not ok where the
// request has to be asked online.
func (c *Client) replay(r *Request, a answered) (reply *Reply, err error, ok bool) {
	if a.status == http.StatusOK {
		res := completion(a.body)
		if len(res.Choices) == 0 {
			return nil, nil, false
		}
		f, _ := c.current()
		reply, err := c.read(r, f, res, c.replyUsage(r, res).Add(usage.Usage{Requests: 1}))
		return reply, err, true
	}
	if !negotiable(a.status) {
		return nil, nil, false
	}
	final, room := classify(batchRefusal(a.status, a.body))
	_, long := errors.AsType[*ContextLengthError](final)
	_, refused := errors.AsType[*RefusalError](final)
	if refused || long && room < minOutputTokens {
		return nil, withUsage(final, usage.Usage{Requests: 1}), true
	}
	return nil, nil, false
}

// completion reads a reply; the zero value for what is none.
func completion(body []byte) (res openai.ChatCompletionResponse) {
	if json.Unmarshal(body, &res) != nil {
		return openai.ChatCompletionResponse{}
	}
	return res
}

// batchRefusal is the error that a line of a batch stands for.
func batchRefusal(status int, body []byte) *StatusError {
	e := &StatusError{Status: status, body: string(body)}
	e.read(body)
	if e.Message == "" {
		e.Message = shorten(string(body), 300)
	}
	return e
}

// A stored Completer looks into the store, and asks next for what has no reply
// there.
type stored struct {
	b    *Batch
	next Completer
}

// Complete implements Completer.
func (s *stored) Complete(ctx context.Context, r *Request) (*Reply, error) {
	c := s.b.stack.Client
	a, known, err := s.b.store.get(ctx, requestKey(c.Endpoint(), c.Model(), r))
	if err != nil {
		return nil, err
	}
	if known {
		if reply, err, ok := c.replay(r, a); ok {
			return reply, err
		}
	}
	return s.next.Complete(ctx, r)
}

// A lookup answers from the cache and keeps nothing in it: what a recording pass
// reads of the store is counted when the last pass does.
type lookup struct {
	*cachedCompleter
	next Completer
}

// Complete implements Completer.
func (l lookup) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if reply := l.find(ctx, requestKey(l.endpoint, l.model, r), r); reply != nil {
		return reply, nil
	}
	return l.next.Complete(ctx, r)
}
