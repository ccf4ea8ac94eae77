package llm

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// errDeferred marks a request whose reply arrives later.
var errDeferred = errors.New("the reply is not available yet")

// IsDeferred reports whether err only means that a batch or the last pass will
// answer the request. The row may send other requests that do not depend on it.
func IsDeferred(err error) bool { return errors.Is(err, errDeferred) }

// record makes a recording pass, and decides whether its requests are enough for a batch.
func (b *Batch) record(ctx context.Context, pass Pass) error {
	s, state := b.stack, &b.state
	// The form may have been learned in an earlier round or by another process.
	s.Client.adoptForm(state.Form, nil)
	state.Form = s.Client.currentForm()
	b.maxUsage = usage.Usage{}
	var ask Completer = s.replyRetry(b, true)
	if s.opts.Cache != nil { // only the last pass stores and counts replies
		ask = &cachedCompleter{Cache: s.opts.Cache, next: ask, endpoint: s.Client.Endpoint(), model: s.Client.ModelKey(), readOnly: true}
	}
	return b.transact(ctx, func() error {
		if err := pass(ctx, ask); err != nil {
			return err
		}
		if b.recordErr != nil {
			return b.recordErr
		}
		n := state.Requests
		if state.Round == 0 {
			state.First = n
		}
		if !isTooFewForBatch(n, state.First) {
			return b.checkLimits()
		}
		if n > 0 {
			b.notifyf("%s left, to be sent without a batch", count(n, "request", "requests"))
		}
		state.Scoring = true
		_, err := b.store.exec(ctx, `DELETE FROM requests WHERE round = ?`, state.Round)
		return err
	})
}

// isTooFewForBatch reports whether n requests are not worth another batch. That
// is the case for none, for a twentieth of the first round, and for fewer than
// ten if they are less than half of the first round. A few retries then do not
// take another day.
func isTooFewForBatch(n, first int) bool {
	const fewRequests, minFraction = 10, 20
	return n == 0 || n*minFraction <= first || n < fewRequests && n*2 < first
}

// Complete returns the reply from the store. If there is none, the last pass sends the
// request. A recording pass stores it, unless it is left to a later pass, and returns
// errDeferred.
func (b *Batch) Complete(ctx context.Context, r *Request) (*Reply, error) {
	key := base64.RawURLEncoding.EncodeToString(requestKey(b.stack.Client.Endpoint(), b.stack.Client.ModelKey(), r))
	if reply, err := b.replay(ctx, key, r); !IsDeferred(err) {
		return reply, err
	}
	if b.state.Scoring {
		return b.stack.Client.Complete(ctx, r)
	}
	line, err := b.line(key, r)
	if err != nil {
		return nil, err
	}
	var size Size
	if b.stack.Client.sender.budget.isLimited() {
		size = SizeOf(r)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.recordErr == nil {
		b.recordErr = b.add(ctx, key, line, size)
	}
	return nil, cmp.Or(b.recordErr, errDeferred)
}

// add stores a request if it fits in the file and has no reply yet, not even one that can't
// be used. b.mu must be held.
func (b *Batch) add(ctx context.Context, key string, line []byte, size Size) error {
	s, n := &b.state, int64(len(line))
	if s.Requests >= b.maxRequests || s.Bytes+n > b.maxBytes {
		return nil
	}
	added, err := b.store.exec(ctx, `INSERT OR IGNORE INTO requests (key, round, body) VALUES (?, ?, ?)`, key, s.Round, line)
	if added > 0 { // no other row has sent the same request
		s.Requests, s.Bytes = s.Requests+1, s.Bytes+n
		b.maxUsage = b.maxUsage.Add(usage.Usage{PromptTokens: size.Prompt, CompletionTokens: size.Reply})
	}
	return err
}

// line encodes a request as a line of a request file, with its key as custom id.
func (b *Batch) line(key string, r *Request) ([]byte, error) {
	c := b.stack.Client
	q := c.request(r, b.state.Form)
	q.Model = cmp.Or(c.wire.endpoint.deployment, q.Model)
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(map[string]any{
		"custom_id": key, "method": http.MethodPost, "url": c.batchURL(), "body": json.RawMessage(c.wire.completeBody(body)),
	})
	return append(line, '\n'), err
}

// replay processes the stored result of a request like a new response. If there is none that
// can be used, the error is errDeferred.
func (b *Batch) replay(ctx context.Context, key string, r *Request) (*Reply, error) {
	l, err := b.store.reply(ctx, key)
	if err != nil {
		return nil, err
	}
	c, used := b.stack.Client, usage.Usage{Requests: 1}
	if rejection := l.err(); rejection != nil {
		tooLong, ok := errors.AsType[*ContextLengthError](rejection)
		if mayRejectForm(l.Response.Status) && (ok && tooLong.available < minOutputTokens || isA[*RefusalError](rejection)) {
			return nil, withUsage(rejection, used)
		}
		return nil, errDeferred
	}
	res, err := c.wire.decodeChat(l.Response.Body)
	if err != nil || len(res.Choices) == 0 {
		return nil, errDeferred
	}
	f := c.currentForm()
	used = used.Add(replyUsage(r, res))
	reply, err := c.read(ctx, r, f, res)
	if err != nil {
		return nil, withUsage(err, used)
	}
	reply.Usage = used
	return reply, nil
}
