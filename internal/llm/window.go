package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/ragfaith/ragfaith/internal/usage"
)

const (
	// Below this many tokens a count is not taken for a context window: the
	// instructions of one request would not fit.
	minLimit = 512
	// Limits are multiples of this many tokens, or 2 more: Ollama keeps half of its
	// window and two tokens of a prompt that does not fit.
	limitStep = 512
	// A request of which the server counts this part of the tokens a word that it
	// counted for others is probed.
	fewerTokens = 0.85
	// A probe has this many words for a token of the request that it is sent for, by
	// our own count, so that it is longer than that for any tokenizer.
	probeWords = 2.5
	// A server that has read this many times our own count of a prompt has room for it.
	maxRatio = 2
	// The part of the words of a prompt that a server must count as tokens. The rest is
	// for words that are one token with what is beside them.
	dropped = 0.9
	// The tokens that a chat template adds are fewer.
	maxTemplate = 1024
	// Room for the reply to a probe, in tokens; some servers refuse less.
	probeRoom = 16
	// Each of these words is a token or more in any vocabulary.
	probeText = "the cat sat on a red box and saw two dogs run by the old tree"
)

// WindowDetector finds servers that drop a part of a prompt that does not fit their
// context window, without an error: Ollama does so beyond num_ctx. Such a reply is
// a ContextLengthError with Silent set, so that the caller asks again for less.
//
// Two things make a reply suspect. Its prompt has fewer tokens by the server's
// count than words, which no tokenizer does, or it looks like a limit: no prompt
// before it had more tokens, and the number is round, or the same as that of a
// longer prompt, or low for the length of the prompt. Servers that count only what
// was not in their cache, and dense texts, do so too. So the first suspect is not
// believed: a probe of plain words is sent, longer than the prompt and unlike any
// before it. Only a server that counts fewer tokens than the probe has words drops
// text. From then on a request that exceeds the limit is not even sent.
//
// The first prompts of a run that lose so little that they are not suspect are
// missed, if the limit is no round number. They are counted when it is found.
type WindowDetector struct {
	Next Completer
	// Tokens is our own count of a text.
	Tokens func(string) int
	// Notify is called once, with the limit that was found and the number of replies
	// before it that were to a part of their prompt too; it may be nil.
	Notify func(limit, missed int)

	mu      sync.Mutex
	probing chan struct{} // holds a value while a probe is under way
	limit   int           // tokens of a prompt beyond which text is dropped; 0 for none known
	most    int           // tokens of the longest prompt that the server reported
	mostOwn int           // and our own count of it
	alike   int           // replies to prompts of that length
	ratio   float64       // lowest of the server's count to ours, of prompts that were read whole
	useless bool          // the server reports the same count for any prompt
}

// NewWindowDetector puts a WindowDetector in front of next.
func NewWindowDetector(next Completer, tokens func(string) int, notify func(limit, missed int)) *WindowDetector {
	return &WindowDetector{Next: next, Tokens: tokens, Notify: notify, probing: make(chan struct{}, 1), ratio: math.Inf(1)}
}

// Limit is how many tokens of a prompt and its reply the server is known to read;
// 0 while it was not found to drop any.
func (w *WindowDetector) Limit() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limit == 0 {
		return 0
	}
	return max(w.limit, w.most)
}

// ReplyRoom is how much of a window a reply is expected to take: half of the room
// that it is given.
func ReplyRoom(r *Request) int { return r.MaxTokens / 2 }

// Complete implements Completer.
func (w *WindowDetector) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if limit := w.Limit(); limit > 0 && sizeOf(r, w.Tokens).Prompt+ReplyRoom(r) > limit {
		return nil, &ContextLengthError{Limit: limit, Silent: true}
	}
	reply, err := w.Next.Complete(ctx, r)
	used := UsageOf(err)
	if err == nil {
		used = reply.Usage
	}
	if used.PromptTokens < minLimit || !w.reported(r, used) || Fatal(err) || ctx.Err() != nil {
		return reply, err
	}
	more, cut, failed := w.check(ctx, r, used)
	all := used.Add(more)
	switch {
	case failed != nil:
		return nil, withUsage(fmt.Errorf("finding out whether the server drops text: %w", failed), all)
	case cut:
		return nil, withUsage(&ContextLengthError{Limit: w.Limit(), Silent: true}, all)
	case more == usage.Usage{}:
		return reply, err
	case err != nil:
		return nil, withUsage(err, all)
	}
	out := *reply
	out.Usage = all
	return &out, nil
}

// check decides whether the server dropped a part of r. more is what that took.
func (w *WindowDetector) check(ctx context.Context, r *Request, used usage.Usage) (more usage.Usage, cut bool, err error) {
	p := prompted{reported: used.PromptTokens, reply: used.CompletionTokens, bytes: promptBytes(r)}
	var text strings.Builder
	for _, m := range r.Messages {
		p.own += perMessage + w.Tokens(m.Text)
		text.WriteString(m.Text)
		text.WriteByte('\n')
	}
	p.words = func() int { return minTokens(text.String()) }
	if known, cut := w.known(p); known {
		return usage.Usage{}, cut, nil
	}
	select { // one probe at a time: the others wait for what it finds
	case w.probing <- struct{}{}:
	case <-ctx.Done():
		return usage.Usage{}, false, ctx.Err()
	}
	defer func() { <-w.probing }()
	if known, cut := w.known(p); known {
		return usage.Usage{}, cut, nil
	}
	return w.probe(ctx, p)
}

// A prompted request is one with the server's count of its prompt.
type prompted struct {
	reported, reply, own, bytes int
	words                       func() int // at least as many tokens it has
}

// known decides what can be decided without a probe.
func (w *WindowDetector) known(p prompted) (known, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.useless || p.reported > p.bytes+maxTemplate {
		return true, false // it is no count of this prompt
	}
	if w.limit > 0 {
		if p.reported > w.limit {
			w.most = max(w.most, p.reported)
			return true, false
		}
		// A reply that does not fit beside its prompt pushes text out of the window.
		window := max(w.limit, w.most)
		return true, p.reported == w.limit || p.reported+p.reply > window || p.own > window
	}
	ratio := float64(p.reported) / float64(p.own)
	top := p.reported >= w.most
	switch {
	case float64(p.reported) < dropped*float64(p.words()) && w.most < maxRatio*p.own:
		return false, false
	case top && (p.reported%limitStep == 0 || p.reported%limitStep == 2):
		return false, false
	case p.reported == w.most && math.Abs(float64(p.own-w.mostOwn)) > 0.05*float64(p.own):
		return false, false
	case top && ratio < fewerTokens*w.ratio && !math.IsInf(w.ratio, 1):
		return false, false
	}
	w.ratio = min(w.ratio, ratio)
	if p.reported > w.most {
		w.most, w.mostOwn, w.alike = p.reported, p.own, 0
	}
	if top {
		w.alike++
	}
	return true, false
}

// probe sends plain words, and learns what the server makes of them.
func (w *WindowDetector) probe(ctx context.Context, p prompted) (used usage.Usage, cut bool, err error) {
	words := int(probeWords * float64(p.own))
	long, u, err := w.ask(ctx, words)
	used = u
	if err != nil {
		return used, false, err
	}
	if long == 0 || float64(long) >= dropped*float64(words) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.most = max(w.most, long, words)
		return used, false, nil
	}
	short, u, err := w.ask(ctx, minLimit/16)
	used = used.Add(u)
	if err != nil {
		return used, false, err
	}
	if float64(short) >= dropped*float64(long) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.useless = true
		return used, false, nil
	}
	// A server that keeps half of its window reads prompts that are longer than that.
	further, u, err := w.ask(ctx, long*3/2)
	used = used.Add(u)
	if err != nil {
		return used, false, err
	}
	w.mu.Lock()
	missed := 0
	if w.most == long {
		missed = w.alike
	}
	w.limit, w.most = long, 0
	if further > long {
		w.most = further
	}
	limit := max(w.limit, w.most)
	w.mu.Unlock()
	if w.Notify != nil {
		w.Notify(limit, missed)
	}
	return used, true, nil
}

// ask sends a prompt of n words and returns the server's count of it. A prompt that
// the server refuses as too long counts as read: it does not drop text silently.
func (w *WindowDetector) ask(ctx context.Context, n int) (tokens int, used usage.Usage, err error) {
	var b strings.Builder
	plain := strings.Fields(probeText)
	for i := range n {
		if i < 4 { // nothing of it is in the server's cache of prompts
			b.WriteByte(byte('a' + rand.IntN(26))) //nolint:gosec // no secret
			b.WriteByte(' ')
			continue
		}
		b.WriteString(plain[i%len(plain)])
		b.WriteByte(' ')
	}
	r := &Request{Messages: []Message{{User, b.String()}}, MaxTokens: probeRoom, Prompt: "probe/1"}
	reply, err := w.Next.Complete(ctx, r)
	_, long := errors.AsType[*ContextLengthError](err)
	_, empty := errors.AsType[*LengthError](err)
	_, unread := errors.AsType[*ParseError](err)
	_, refused := errors.AsType[*RefusalError](err)
	switch {
	case err == nil:
		used = reply.Usage
	case long:
		return n, UsageOf(err), nil
	case empty, unread, refused:
		used = UsageOf(err)
	default:
		return 0, UsageOf(err), err
	}
	if !w.reported(r, used) {
		return 0, used, nil
	}
	return used.PromptTokens, used, nil
}

// reported says that the tokens of the prompt are the server's count and not ours.
func (w *WindowDetector) reported(r *Request, used usage.Usage) bool {
	return !used.Estimated || used.PromptTokens != sizeOf(r, w.Tokens).Prompt
}
