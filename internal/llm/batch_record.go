package llm

import (
	"bufio"
	"bytes"
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

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// errDeferred marks a request whose reply arrives later.
var errDeferred = errors.New("the reply is not available yet")

// IsDeferred reports whether err only means that a batch or the last pass will
// answer the request. The row may send other requests that do not depend on it.
func IsDeferred(err error) bool { return errors.Is(err, errDeferred) }

func requestFile(part string) string { return "requests-" + part + ".jsonl" }

// A recorder is the innermost Completer of a recording pass. It writes requests
// to files.
type recorder struct {
	batch *Batch
	stack *Stack
	form  form

	mu   sync.Mutex
	part *batchPart // part being written, or nil
	file *os.File
	buf  *bufio.Writer
	err  error // first write error; ends recording
}

// Complete returns the reply from the store. If there is none, it records the
// request and returns errDeferred.
func (w *recorder) Complete(ctx context.Context, r *Request) (*Reply, error) {
	key := requestKey(w.stack.Client.Endpoint(), w.stack.Client.ModelKey(), r)
	a, known, err := w.batch.store.get(ctx, key)
	if err != nil {
		return nil, err
	}
	if known {
		if reply, err, ok := w.stack.Client.replay(ctx, r, a); ok {
			return reply, err
		}
		return nil, errDeferred // the last pass sends the request individually
	}
	if err := w.record(ctx, key, r); err != nil {
		return nil, err
	}
	return nil, errDeferred
}

// record writes a request to the current part.
func (w *recorder) record(ctx context.Context, key []byte, r *Request) error {
	line, err := w.stack.Client.batchLine(key, r, w.form)
	if err != nil {
		return err
	}
	var size Size
	if w.stack.opts.MaxCost > 0 || w.stack.opts.MaxTokens > 0 {
		size = w.stack.Tokens.Request(r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.err = w.append(ctx, key, line, size)
	return w.err
}

// append writes a line to the current part, or to a new one if it is full. w.mu must be
// held.
func (w *recorder) append(ctx context.Context, key, line []byte, size Size) error {
	if int64(len(line)) > w.batch.opts.MaxBytes {
		_, err := w.batch.store.add(ctx, key, "") // sent individually
		return err
	}
	if p := w.part; p != nil && (p.Requests >= w.batch.opts.MaxRequests || p.Bytes+int64(len(line)) > w.batch.opts.MaxBytes) {
		if err := w.finishPart(); err != nil {
			return err
		}
	}
	if w.part == nil {
		if err := w.startPart(); err != nil {
			return err
		}
	}
	added, err := w.batch.store.add(ctx, key, w.part.Name)
	if err != nil || !added { // another row sent the same request
		return err
	}
	if _, err := w.buf.Write(line); err != nil {
		return &StoreError{w.file.Name(), err}
	}
	w.part.Requests++
	w.part.Bytes += int64(len(line))
	w.part.PromptTokens += size.Prompt
	w.part.ReplyTokens += size.Reply
	return nil
}

func (w *recorder) startPart() error {
	state := w.batch.state
	name := strconv.Itoa(state.Round) + "." + strconv.Itoa(len(state.partsOf(state.Round))+1)
	path := filepath.Join(w.batch.opts.Dir, requestFile(name))
	file, err := safefile.Create(path, 0o600)
	if err != nil {
		return &StoreError{path, err}
	}
	w.file, w.buf = file, bufio.NewWriterSize(file, 256<<10)
	w.part = &batchPart{Name: name, Status: partRecorded}
	state.Parts = append(state.Parts, w.part)
	return nil
}

// finishPart flushes the current part to disk.
func (w *recorder) finishPart() error {
	if w.part == nil {
		return nil
	}
	err := w.buf.Flush()
	if err == nil {
		err = w.file.Sync()
	}
	if closeErr := w.file.Close(); err == nil {
		err = closeErr
	}
	w.part = nil
	if err != nil {
		return &StoreError{w.file.Name(), err}
	}
	return nil
}

// batchLine encodes a request as a line of a request file, with its key as
// custom id.
func (c *Client) batchLine(key []byte, r *Request, f form) ([]byte, error) {
	q := c.request(r, f)
	if c.endpoint.deployment != "" {
		q.Model = c.endpoint.deployment
	}
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(struct {
		CustomID string               `json:"custom_id"`
		Body     json.RawMessage      `json:"body"`
		Method   string               `json:"method"`
		URL      openai.BatchEndpoint `json:"url"`
	}{base64.RawURLEncoding.EncodeToString(key), mergeBody(body, c.wire.extraBody), http.MethodPost, c.batchURL()})
	if err != nil {
		return nil, err
	}
	return append(bytes.Replace(line, []byte(tinyTemperature), []byte(zeroedTemperature), 1), '\n'), nil
}

// chooseForm returns the form for the requests of a round. It combines the
// learned form with the model restrictions in go-openai, which checks them only
// when sending.
func (c *Client) chooseForm() form {
	f, _ := c.currentForm()
	for {
		q := c.request(&Request{Messages: []Message{{User, "?"}}, MaxTokens: 1, Logprobs: 1}, f)
		err := openai.NewReasoningValidator().Validate(q)
		if err == nil {
			break
		}
		next, _, ok := adaptForm(f, false, err)
		if !ok || next == f {
			break
		}
		f = next
	}
	c.adoptForm(f, nil)
	return f
}

// record makes a recording pass and decides on the next phase: sending, or scoring if
// there are too few requests.
func (b *Batch) record(ctx context.Context, pass Pass) error {
	s, state := b.stack, b.state
	if err := b.discardRound(ctx); err != nil {
		return err
	}
	for _, p := range state.Parts {
		if p.FormRejected {
			if err := b.store.deleteFormRejected(ctx, p.Name); err != nil {
				return err
			}
		}
	}
	// The form may have been learned in an earlier round or by another process.
	s.Client.adoptForm(mergeForms(state.Form, state.Learned), nil)
	state.Form = s.Client.chooseForm()
	if err := b.save(); err != nil {
		return err
	}
	rec := &recorder{batch: b, stack: s, form: state.Form}
	retrier := s.replyRetry(rec, true)
	retrier.Save = nil // the last pass measures the replies
	var completer Completer = retrier
	if cache := s.opts.Cache; cache != nil {
		completer = cacheReader{&cachedCompleter{Cache: cache, endpoint: s.Client.Endpoint(), model: s.Client.ModelKey()}, completer}
	}
	rows, err := pass(ctx, completer)
	if err == nil {
		err = b.CheckRows(rows)
	}
	if closeErr := rec.finishPart(); err == nil {
		err = closeErr
	}
	if err != nil {
		return errors.Join(err, b.discardRound(context.WithoutCancel(ctx)))
	}
	state.Rows = rows
	first, n := state.requestCount(1), state.requestCount(state.Round)
	if isTooFewForBatch(n, first) {
		if n > 0 {
			b.notifyf("%s left, to be sent without a batch", count(n, "request", "requests"))
		}
		if err := b.discardRound(ctx); err != nil {
			return err
		}
		state.Phase = phaseScoring
		return b.save()
	}
	if err := b.checkLimits(state.partsOf(state.Round)); err != nil {
		return errors.Join(err, b.discardRound(ctx))
	}
	if err := b.store.sync(ctx); err != nil {
		return err
	}
	state.Phase = phaseSending
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
	for _, p := range b.state.partsOf(b.state.Round) {
		if err := removeIfExists(filepath.Join(b.opts.Dir, requestFile(p.Name))); err != nil {
			return err
		}
	}
	b.state.Parts = b.state.Parts[:len(b.state.Parts)-len(b.state.partsOf(b.state.Round))]
	return b.store.deleteRound(ctx, b.state.Round)
}

func removeIfExists(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
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
