package llm

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// errDeferred marks a request whose reply arrives later.
var errDeferred = errors.New("the reply is not available yet")

// IsDeferred reports whether err only means that a batch or the last pass will
// answer the request. The row may send other requests that do not depend on it.
func IsDeferred(err error) bool { return errors.Is(err, errDeferred) }

func (b *Batch) requestFile() string { return filepath.Join(b.opts.Dir, "requests.jsonl") }

// A recorder is the innermost Completer of a recording pass. It writes requests
// to a file.
type recorder struct {
	*Batch

	mu    sync.Mutex
	file  *os.File
	buf   *bufio.Writer
	bytes int64
	full  bool
	err   error // first write error; ends recording
}

// Complete returns the reply from the store. If there is none, it records the
// request, unless it is left to a later pass, and returns errDeferred.
func (w *recorder) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if reply, known, err := w.replay(ctx, r); known || err != nil {
		return reply, err
	}
	key := w.requestKey(r)
	line, err := w.line(key, r)
	if err != nil {
		return nil, err
	}
	var size Size
	if w.stack.Client.sender.budget.isLimited() {
		size = w.stack.Tokens.Request(r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.append(ctx, key, line, size)
	}
	if w.err != nil {
		return nil, w.err
	}
	return nil, errDeferred
}

// append writes a line to the file unless it is full. A request that alone exceeds the
// limit is left to the last pass. w.mu must be held.
func (w *recorder) append(ctx context.Context, key, line []byte, size Size) error {
	n := int64(len(line))
	if w.full || n > w.maxBytes {
		return nil
	}
	if w.state.Requests >= w.maxRequests || w.bytes+n > w.maxBytes {
		w.full = true
		return nil
	}
	added, err := w.store.add(ctx, key, w.state.Round)
	if err != nil || !added { // another row sent the same request
		return err
	}
	if _, err := w.buf.Write(line); err != nil {
		return &StoreError{w.file.Name(), err}
	}
	w.state.Requests++
	w.bytes += n
	w.state.Limit = w.state.Limit.Add(usage.Usage{PromptTokens: size.Prompt, CompletionTokens: size.Reply})
	return nil
}

// close flushes the file to disk.
func (w *recorder) close() error {
	if err := cmp.Or(w.buf.Flush(), w.file.Sync(), w.file.Close()); err != nil {
		return &StoreError{w.file.Name(), err}
	}
	return nil
}

func (b *Batch) requestKey(r *Request) []byte {
	return requestKey(b.stack.Client.Endpoint(), b.stack.Client.ModelKey(), r)
}

// line encodes a request as a line of a request file, with its key as custom id.
func (b *Batch) line(key []byte, r *Request) ([]byte, error) {
	c := b.stack.Client
	q := c.request(r, b.state.Form)
	q.Model = cmp.Or(c.wire.endpoint.deployment, q.Model)
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	body = c.wire.completeBody(body)
	line, err := json.Marshal(map[string]any{
		"custom_id": base64.RawURLEncoding.EncodeToString(key), "method": http.MethodPost, "url": c.batchURL(), "body": json.RawMessage(body),
	})
	return append(line, '\n'), err
}

// replay processes the stored result of a request like a new response. known is false if
// the request is not stored. If its result can't be used, the error is errDeferred.
func (b *Batch) replay(ctx context.Context, r *Request) (reply *Reply, known bool, err error) {
	status, body, known, err := b.store.get(ctx, b.requestKey(r))
	if err != nil || !known {
		return nil, known, err
	}
	c := b.stack.Client
	used := usage.Usage{Requests: 1}
	if status == http.StatusOK {
		res, err := c.wire.decodeChat(body)
		if err != nil || len(res.Choices) == 0 {
			return nil, true, errDeferred
		}
		f, _ := c.currentForm()
		used = used.Add(c.replyUsage(r, res))
		if reply, err = c.read(ctx, r, f, res); err != nil {
			return nil, true, withUsage(err, used)
		}
		reply.Usage = used
		return reply, true, nil
	}
	if mayRejectForm(status) {
		rejection := classify(batchStatusError(status, body))
		if tooLong, ok := errors.AsType[*ContextLengthError](rejection); ok && tooLong.available < minOutputTokens || isA[*RefusalError](rejection) {
			return nil, true, withUsage(rejection, used)
		}
	}
	return nil, true, errDeferred
}

// batchStatusError returns the error in a line of a reply file.
func batchStatusError(status int, body []byte) *StatusError {
	e := &StatusError{Status: status}
	e.parseBody(string(body))
	return e
}

// record makes a recording pass and decides on the next phase: sending, or scoring if
// there are too few requests.
func (b *Batch) record(ctx context.Context, pass Pass) error {
	s, state := b.stack, b.state
	if err := b.discardRound(ctx); err != nil {
		return err
	}
	// The form may have been learned in an earlier round or by another process.
	s.Client.adoptForm(state.Form, nil)
	state.Form, _ = s.Client.currentForm()
	if err := b.save(); err != nil {
		return err
	}
	file, err := safefile.Create(b.requestFile(), 0o600)
	if err != nil {
		return &StoreError{b.requestFile(), err}
	}
	rec := &recorder{Batch: b, file: file, buf: bufio.NewWriterSize(file, 256<<10)}
	retrier := s.replyRetry(rec, true)
	var completer Completer = retrier
	if s.opts.Cache != nil { // read only, so that only the last pass counts replies in the store
		cached := &cachedCompleter{Cache: s.opts.Cache, endpoint: s.Client.Endpoint(), model: s.Client.ModelKey()}
		completer = completerFunc(func(ctx context.Context, r *Request) (*Reply, error) {
			if reply := cached.find(ctx, b.requestKey(r), r); reply != nil {
				return reply, nil
			}
			return retrier.Complete(ctx, r)
		})
	}
	rows, err := pass(ctx, completer)
	if err == nil {
		err = b.CheckRows(rows)
	}
	if err = cmp.Or(err, rec.close()); err != nil {
		return errors.Join(err, b.discardRound(context.WithoutCancel(ctx)))
	}
	state.Rows = rows
	if state.Round == 1 {
		state.First = state.Requests
	}
	if n := state.Requests; isTooFewForBatch(n, state.First) {
		if n > 0 {
			b.notifyf("%s left, to be sent without a batch", count(n, "request", "requests"))
		}
		state.Status = batchScoring
		return errors.Join(b.discardRound(ctx), b.save())
	}
	if err := b.checkLimits(); err != nil {
		return errors.Join(err, b.discardRound(ctx))
	}
	if err := b.store.sync(ctx); err != nil {
		return err
	}
	state.Status = batchRecorded
	return b.save()
}

// isTooFewForBatch reports whether n requests are not worth another batch. That
// is the case for none, for a twentieth of the first round, and for fewer than
// ten if they are less than half of the first round. A few retries then do not
// take another day.
func isTooFewForBatch(n, first int) bool {
	const fewRequests, minFraction = 10, 20
	return n == 0 || n*minFraction <= first || n < fewRequests && n*2 < first
}

// discardRound deletes the recorded requests of this round.
func (b *Batch) discardRound(ctx context.Context) error {
	b.state.Requests, b.state.Limit = 0, usage.Usage{}
	return errors.Join(removeIfExists(b.requestFile()), b.store.deleteRound(ctx, b.state.Round))
}

func removeIfExists(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// count returns "1 request" or "2 requests".
func count(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return strconv.Itoa(n) + " " + plural
}
