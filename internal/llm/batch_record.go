package llm

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
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
	b.maxCost = amount{}
	var ask Completer = s.replyRetry(b, true)
	if s.opts.Cache != nil { // only the last pass stores and counts replies
		ask = &cachedCompleter{Cache: s.opts.Cache, next: ask, endpoint: s.Client.Endpoint(), model: s.Client.ModelKey(), readOnly: true}
	}
	return b.transact(ctx, func() error {
		if err := pass(ctx, ask); err != nil {
			return err
		}
		n := state.Requests
		if state.Round == 0 {
			state.First = n
		}
		if !isTooFewForBatch(n, state.First) {
			return b.checkLimits()
		}
		if n > 0 {
			b.notifyf("requests left, to be sent without a batch: %d", n)
		}
		state.Scoring = true
		_, err := b.store.exec(ctx, `DELETE FROM requests WHERE round = ?`, state.Round)
		return err
	})
}

// checkLimits returns an error if the recorded requests could exceed a limit, since a
// submitted batch can't be stopped when the budget is spent.
func (b *Batch) checkLimits() error {
	budget := b.stack.Client.sender.budget
	if e := budget.exceeded(budget.spent.add(b.maxCost)); e != nil {
		return fmt.Errorf("a batch of %d requests was not submitted: with replies of maximum length, %w", b.state.Requests, e)
	}
	return nil
}

// isTooFewForBatch reports whether n requests are not worth another batch: a twentieth of
// the first round, or fewer than ten if they are less than half of it. A few retries then do
// not take another day.
func isTooFewForBatch(n, first int) bool {
	const fewRequests, minFraction = 10, 20
	return n*minFraction <= first || n < fewRequests && n*2 < first
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
		size = b.stack.Tokens.Request(r)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return nil, cmp.Or(b.add(ctx, key, line, size), errDeferred)
}

// add stores a request if it fits in the file and was not recorded before. b.mu must be held.
func (b *Batch) add(ctx context.Context, key string, line []byte, size Size) error {
	s, n := &b.state, int64(len(line))
	if s.Requests >= b.maxRequests || s.Bytes+n > b.maxBytes {
		return nil
	}
	added, err := b.store.exec(ctx, `INSERT OR IGNORE INTO requests (key, round, request) VALUES (?, ?, ?)`, key, s.Round, line)
	if added > 0 { // no other row has sent the same request
		s.Requests, s.Bytes = s.Requests+1, s.Bytes+n
		b.maxCost = b.maxCost.add(b.cost(size.Prompt, size.Reply))
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

// replay processes the stored reply to a request like a new response. If there is none that
// can be used, the error is errDeferred.
func (b *Batch) replay(ctx context.Context, key string, r *Request) (*Reply, error) {
	c, body := b.stack.Client, []byte(nil)
	if err := b.store.get(ctx, `SELECT reply FROM requests WHERE key = ?`, []any{key}, &body); err != nil {
		return nil, err
	}
	res, err := c.wire.decodeChat(body)
	if err != nil || len(res.Choices) == 0 {
		return nil, errDeferred
	}
	used := usage.Usage{Requests: 1}.Add(c.replyUsage(r, res))
	reply, err := c.read(ctx, r, c.currentForm(), res)
	if err != nil {
		return nil, withUsage(err, used)
	}
	reply.Usage = used
	return reply, nil
}
