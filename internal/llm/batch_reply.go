package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
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

// parseBatchReply parses a line of a reply file. It returns the zero value if
// the line is invalid.
func parseBatchReply(line []byte) (l batchReply) {
	if json.Unmarshal(line, &l) != nil {
		return batchReply{}
	}
	return l
}

// requestKey returns the key of the request, or nil if the custom id is not a
// key.
func (l *batchReply) requestKey() []byte {
	key, err := base64.RawURLEncoding.DecodeString(l.CustomID)
	if err != nil || len(key) != sha256.Size {
		return nil
	}
	return key
}

// collect stores the replies from both reply files of a batch. It ignores lines
// that are invalid, contain an unknown id or occur twice. It may be called
// repeatedly.
func (b *Batch) collect(ctx context.Context, p *batchPart) error {
	c := b.stack.Client
	p.Usage, p.Replies = usage.Usage{}, 0
	p.FormRejected = false
	form := b.state.Form
	err := b.store.replaceReplies(ctx, p.Name, func(w *replyWriter) error {
		for _, id := range []string{p.Output, p.Failed} {
			if id == "" {
				continue
			}
			if err := c.forEachLine(ctx, id, func(line []byte) error { return b.storeLine(ctx, p, w, line, &form) }); err != nil {
				return err
			}
		}
		replies, misfits, err := w.counts(ctx)
		if err != nil {
			return err
		}
		p.Replies = replies
		// A single rejection may be an exception. If half of the requests were rejected, the
		// model does not support the form, and all of them are sent again in another one.
		p.FormRejected = misfits > 0 && misfits*2 >= p.Requests
		return nil
	})
	if err == nil && p.FormRejected {
		b.state.Learned = mergeForms(b.state.Learned, form)
	}
	return err
}

// storeLine stores the reply in a line. If the server rejected the form of the
// request, it merges a better one into form.
func (b *Batch) storeLine(ctx context.Context, p *batchPart, w *replyWriter, line []byte, form *form) error {
	l := parseBatchReply(line)
	key := l.requestKey()
	if key == nil || l.Response == nil {
		return nil
	}
	status, body := l.Response.Status, []byte(l.Response.Body)
	var spent usage.Usage
	switch {
	case status == http.StatusOK:
		var ok bool
		if spent, ok = replyUsage(body); !ok {
			return nil
		}
	case status < http.StatusBadRequest || status > 599:
		return nil
	default:
		if next, accepted := b.acceptsForm(status, body); !accepted {
			status = statusFormRejected
			*form = mergeForms(*form, next)
		}
	}
	known, err := w.put(ctx, key, status, bytes.Clone(body))
	if err == nil && known {
		p.Usage = p.Usage.Add(spent)
	}
	return err
}

// replyUsage returns the usage of a reply. ok is false if body is not a reply.
func replyUsage(body []byte) (usage.Usage, bool) {
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

// acceptsForm interprets a rejection. accepted is false if the error identifies
// an unsupported part of the form; next is a form without it.
func (b *Batch) acceptsForm(status int, body []byte) (next form, accepted bool) {
	final, room := classify(newBatchStatusError(status, body))
	if room > 0 {
		return next, true
	}
	next, guess, ok := adaptForm(b.state.Form, true, final)
	return next, !ok || guess
}

// mergeForms combines the restrictions of both forms.
func mergeForms(a, b form) form {
	a.Format, a.TokenParam = max(a.Format, b.Format), max(a.TokenParam, b.TokenParam)
	if b.MaxOutput > 0 && (a.MaxOutput == 0 || b.MaxOutput < a.MaxOutput) {
		a.MaxOutput = b.MaxOutput
	}
	a.SchemaInPrompt = a.SchemaInPrompt || b.SchemaInPrompt
	a.NoTemperature = a.NoTemperature || b.NoTemperature
	a.NoSeed = a.NoSeed || b.NoSeed
	a.NoSystem = a.NoSystem || b.NoSystem
	a.NoBounds = a.NoBounds || b.NoBounds
	a.NoEffort = a.NoEffort || b.NoEffort
	a.NoLogprobs = a.NoLogprobs || b.NoLogprobs
	return a
}

// replay processes the stored result of a request like a new response. ok is
// false if the request must be sent again.
func (c *Client) replay(ctx context.Context, r *Request, a storedResult) (reply *Reply, err error, ok bool) {
	if a.status == http.StatusOK {
		res := parseCompletion(a.body)
		if len(res.Choices) == 0 {
			return nil, nil, false
		}
		f, _ := c.currentForm()
		reply, err := c.read(ctx, r, f, res, c.replyUsage(r, res).Add(usage.Usage{Requests: 1}))
		return reply, err, true
	}
	if !mayRejectForm(a.status) {
		return nil, nil, false
	}
	final, room := classify(newBatchStatusError(a.status, a.body))
	if isA[*RefusalError](final) || isA[*ContextLengthError](final) && room < minOutputTokens {
		return nil, withUsage(final, usage.Usage{Requests: 1}), true
	}
	return nil, nil, false
}

// parseCompletion parses a chat completion. It returns the zero value if it is
// invalid.
func parseCompletion(body []byte) (res openai.ChatCompletionResponse) {
	if json.Unmarshal(dropInvalidLogprobs(body), &res) != nil {
		return openai.ChatCompletionResponse{}
	}
	return res
}

// newBatchStatusError returns the error in a line of a reply file.
func newBatchStatusError(status int, body []byte) *StatusError {
	e := &StatusError{Status: status, body: string(body)}
	e.parseBody(body)
	if e.Message == "" {
		e.Message = truncateText(string(body), 300)
	}
	return e
}

// A storedCompleter looks up replies in the store before calling next.
type storedCompleter struct {
	batch *Batch
	next  Completer
}

// Complete implements Completer.
func (s *storedCompleter) Complete(ctx context.Context, r *Request) (*Reply, error) {
	c := s.batch.stack.Client
	a, known, err := s.batch.store.get(ctx, requestKey(c.Endpoint(), c.ModelKey(), r))
	if err != nil {
		return nil, err
	}
	if known {
		if reply, err, ok := c.replay(ctx, r, a); ok {
			return reply, err
		}
	}
	return s.next.Complete(ctx, r)
}

// A cacheReader reads from the cache without writing to it, so that only the
// last pass counts replies in the store.
type cacheReader struct {
	*cachedCompleter
	next Completer
}

// Complete implements Completer.
func (l cacheReader) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if reply := l.find(ctx, requestKey(l.endpoint, l.model, r), r); reply != nil {
		return reply, nil
	}
	return l.next.Complete(ctx, r)
}
