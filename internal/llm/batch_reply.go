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

// A batchReply is a line of a reply file.
type batchReply struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
}

// readReply parses a line; it returns the zero value if the line is invalid.
func readReply(line []byte) (l batchReply) {
	if json.Unmarshal(line, &l) != nil {
		return batchReply{}
	}
	return l
}

// key returns the key of the request, or nil if the id is not one of ours.
func (l *batchReply) key() []byte {
	key, err := base64.RawURLEncoding.DecodeString(l.CustomID)
	if err != nil || len(key) != sha256.Size {
		return nil
	}
	return key
}

// collect reads both reply files of a batch into the store. It ignores lines that are
// invalid, have an unknown id or occur twice. It may be called repeatedly.
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
			if err := c.content(ctx, id, func(line []byte) error { return b.storeLine(ctx, p, f, line, &to) }); err != nil {
				return err
			}
		}
		replies, misfits, err := f.count(ctx)
		if err != nil {
			return err
		}
		p.Replies = replies
		// A single rejected form may be an exception. If half of the requests were rejected,
		// the model does not support something, and they are all sent again without it.
		p.Misfit = misfits > 0 && misfits*2 >= p.Requests
		return nil
	})
	if err == nil && p.Misfit {
		b.state.Learned = mergeForms(b.state.Learned, to)
	}
	return err
}

// storeLine stores the reply in a line. It adds the form that a rejection suggests to to.
func (b *Batch) storeLine(ctx context.Context, p *batchPart, f *partFill, line []byte, to *form) error {
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
		if next, fits := b.checkForm(status, body); !fits {
			status = wrongForm
			*to = mergeForms(*to, next)
		}
	}
	known, err := f.put(ctx, key, status, bytes.Clone(body))
	if err == nil && known {
		p.Spent = p.Spent.Add(spent)
	}
	return err
}

// replyCost returns the cost of a reply, or false if body is not one.
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

// checkForm interprets a rejection. fits is false if the server names a part of the
// request's form that can be omitted; next is the form without it.
func (b *Batch) checkForm(status int, body []byte) (next form, fits bool) {
	final, room := classify(batchRefusal(status, body))
	if room > 0 {
		return next, true
	}
	next, guess, ok := adapt(b.state.Form, true, final)
	return next, !ok || guess
}

// mergeForms returns a form with the restrictions of both.
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

// replay interprets the stored result of a request like a new response. It returns false
// if the request has to be sent again.
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

// completion parses a reply; it returns the zero value if the reply is invalid.
func completion(body []byte) (res openai.ChatCompletionResponse) {
	if json.Unmarshal(body, &res) != nil {
		return openai.ChatCompletionResponse{}
	}
	return res
}

// batchRefusal returns the error in a line of a reply file.
func batchRefusal(status int, body []byte) *StatusError {
	e := &StatusError{Status: status, body: string(body)}
	e.read(body)
	if e.Message == "" {
		e.Message = shorten(string(body), 300)
	}
	return e
}

// A storedCompleter looks up replies in the store, and asks next if there is none.
type storedCompleter struct {
	b    *Batch
	next Completer
}

// Complete implements Completer.
func (s *storedCompleter) Complete(ctx context.Context, r *Request) (*Reply, error) {
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

// A lookup reads from the cache without writing to it, so that replies in the store are
// counted only by the last pass.
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
