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

// A deferredError is a request whose reply comes later, by a batch or online.
type deferredError struct{}

func (*deferredError) Error() string { return "the reply comes later" }

// Deferred says that err is no failure: the row has a request that a batch, or the
// last pass, will answer. What else the row asks may be asked in the meantime,
// where it does not depend on that reply.
func Deferred(err error) bool {
	_, ok := errors.AsType[*deferredError](err)
	return ok
}

func requestFile(part string) string { return "requests-" + part + ".jsonl" }

// A recorder is the Completer of a recording pass, below Reask.
type recorder struct {
	b *Batch
	s *Stack
	f form

	mu   sync.Mutex
	part *batchPart // that is written now; nil for none
	file *os.File
	buf  *bufio.Writer
	err  error // for which nothing more can be recorded
}

// Complete answers from the store, or puts the request into a batch. Its error is
// Deferred then.
func (w *recorder) Complete(ctx context.Context, r *Request) (*Reply, error) {
	key := requestKey(w.s.Client.Endpoint(), w.s.Client.Model(), r)
	a, known, err := w.b.store.get(ctx, key)
	if err != nil {
		return nil, err
	}
	if known {
		if reply, err, ok := w.s.Client.replay(r, a); ok {
			return reply, err
		}
		return nil, &deferredError{} // the last pass asks online
	}
	if err := w.record(ctx, key, r); err != nil {
		return nil, err
	}
	return nil, &deferredError{}
}

// record writes a request into the open part.
func (w *recorder) record(ctx context.Context, key []byte, r *Request) error {
	line, err := w.s.Client.batchLine(key, r, w.f)
	if err != nil {
		return err
	}
	var size Size
	if w.s.opts.MaxCost > 0 || w.s.opts.MaxTokens > 0 {
		size = w.s.Tokens.Request(r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.err = w.append(ctx, key, line, size)
	return w.err
}

// append puts a line into the part that has room for it; w is locked.
func (w *recorder) append(ctx context.Context, key, line []byte, size Size) error {
	if int64(len(line)) > w.b.o.MaxBytes {
		_, err := w.b.store.add(ctx, key, "") // in no part, it is asked online
		return err
	}
	if p := w.part; p != nil && (p.Requests >= w.b.o.MaxRequests || p.Bytes+int64(len(line)) > w.b.o.MaxBytes) {
		if err := w.end(); err != nil {
			return err
		}
	}
	if w.part == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	fresh, err := w.b.store.add(ctx, key, w.part.Name)
	if err != nil || !fresh { // an equal request of another row
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

func (w *recorder) begin() error {
	state := w.b.state
	name := strconv.Itoa(state.Round) + "." + strconv.Itoa(len(state.of(state.Round))+1)
	path := filepath.Join(w.b.o.Folder, requestFile(name))
	file, err := safefile.Create(path, 0o600)
	if err != nil {
		return &StoreError{path, err}
	}
	w.file, w.buf = file, bufio.NewWriterSize(file, 256<<10)
	w.part = &batchPart{Name: name, Status: partRecorded}
	state.Parts = append(state.Parts, w.part)
	return nil
}

// end puts the open part on the disk.
func (w *recorder) end() error {
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

// batchLine is a request as a line of a batch's file. Its id is its key.
func (c *Client) batchLine(key []byte, r *Request, f form) ([]byte, error) {
	q := c.request(r, f)
	if c.at.deployment != "" {
		q.Model = c.at.deployment
	}
	line, err := json.Marshal(openai.BatchChatCompletionRequest{
		CustomID: base64.RawURLEncoding.EncodeToString(key), Body: q, Method: http.MethodPost, URL: c.batchURL(),
	})
	if err != nil {
		return nil, err
	}
	return append(bytes.Replace(line, []byte(tinyTemperature), []byte(zeroedTemperature), 1), '\n'), nil
}

// settle finds the form of a round's requests: what was learned, and what
// go-openai knows of the model by its name, which it checks only where it sends.
func (c *Client) settle() form {
	f, _ := c.current()
	for {
		q := c.request(&Request{Messages: []Message{{User, "?"}}, MaxTokens: 1}, f)
		err := openai.NewReasoningValidator().Validate(q)
		if err == nil {
			break
		}
		next, _, ok := adapt(f, false, err)
		if !ok || next == f {
			break
		}
		f = next
	}
	c.adopt(f, nil)
	return f
}

// record is a recording pass and what follows from it: the next phase is that of
// sending, or where there is little to send the last.
func (b *Batch) record(ctx context.Context, pass Pass) error {
	s, state := b.stack, b.state
	if err := b.discardRound(ctx); err != nil {
		return err
	}
	for _, p := range state.Parts {
		if p.Misfit {
			if err := b.store.release(ctx, p.Name); err != nil {
				return err
			}
		}
	}
	// Of an earlier round, perhaps in another process.
	s.Client.adopt(mergeForms(state.Form, state.Learned), nil)
	state.Form = s.Client.settle()
	if err := b.save(); err != nil {
		return err
	}
	w := &recorder{b: b, s: s, f: state.Form}
	var ask Completer = &Reask{Next: w, MaxOutputTokens: s.opts.MaxOutputTokens, Fixed: true}
	if k := s.opts.Cache; k != nil {
		ask = lookup{&cachedCompleter{Cache: k, endpoint: s.Client.Endpoint(), model: s.Client.Model()}, ask}
	}
	rows, err := pass(ctx, ask)
	if err == nil {
		err = b.Check(rows)
	}
	if endErr := w.end(); err == nil {
		err = endErr
	}
	if err != nil {
		return errors.Join(err, b.discardRound(context.WithoutCancel(ctx)))
	}
	state.Rows = rows
	first, n := state.requests(1), state.requests(state.Round)
	if tooFew(n, first) {
		if n > 0 {
			b.notifyf("%s left, which %s asked online", count(n, "request"), areOrIs(n))
		}
		if err := b.discardRound(ctx); err != nil {
			return err
		}
		state.Phase = phaseScoring
		return b.save()
	}
	if err := b.checkLimits(state.of(state.Round)); err != nil {
		return errors.Join(err, b.discardRound(ctx))
	}
	if err := b.store.sync(ctx); err != nil {
		return err
	}
	state.Phase = phaseSending
	return b.save()
}

// little says that n requests are not worth another batch after a first one: none,
// or a twentieth of the first round's, or a handful and less than half of them. So
// the replies to ask again for cost no second day.
func tooFew(n, first int) bool {
	const handful, part = 10, 20
	return n == 0 || n*part <= first || n < handful && n*2 < first
}

// discardRound takes back what was recorded of this round.
func (b *Batch) discardRound(ctx context.Context) error {
	for _, p := range b.state.of(b.state.Round) {
		if err := removeIfThere(filepath.Join(b.o.Folder, requestFile(p.Name))); err != nil {
			return err
		}
	}
	b.state.Parts = b.state.Parts[:len(b.state.Parts)-len(b.state.of(b.state.Round))]
	return b.store.forget(ctx, b.state.Round)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// count is "1 request" or "2 requests".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

func areOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
