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
	// Smaller token counts are not taken for a context window: the instructions of a
	// request would not fit.
	minWindow = 512
	// Limits are multiples of this number, or 2 more: Ollama keeps half of its window
	// plus two tokens of a prompt that does not fit.
	windowStep = 512
	// A request is probed if the server's count per token of our own is below this
	// fraction of the ratio for other requests.
	suspiciousRatio = 0.85
	// Words of a probe per token of the probed request, by our own count, so that the
	// probe is longer for any tokenizer.
	probeWordsPerToken = 2.5
	// A server that has read this multiple of a prompt's length, by our own count, can
	// read the prompt.
	enoughRatio = 2
	// The fraction of the words of a prompt that a server must at least count as tokens,
	// since some tokens span words.
	minTokensPerWord = 0.9
	// Upper bound on the tokens that a chat template adds.
	maxTemplateTokens = 1024
	// Limit of output tokens for a probe; some servers reject smaller ones.
	probeReplyTokens = 16
	// Each of these words is at least one token in any vocabulary.
	probeText = "the cat sat on a red box and saw two dogs run by the old tree"
)

// WindowDetector finds servers that silently truncate prompts which exceed their context
// window, as Ollama does beyond num_ctx. The reply to a truncated prompt becomes a
// ContextLengthError with Silent set, so that the caller can split its request.
//
// A reply is suspicious if the server reports fewer prompt tokens than the prompt has
// words, which no tokenizer produces. It is also suspicious if the count looks like a
// limit: no earlier prompt had more tokens, and the number is round, or the same as
// that of a longer prompt, or low for the length of the prompt. Dense texts and servers
// that do not count cached tokens look the same. So the first suspicion is verified by a
// probe of plain words that is longer than the prompt and unlike any other. Only a
// server that counts fewer tokens than the probe has words truncates. From then on,
// requests above the limit are not sent.
//
// If the limit is not a round number, the first truncated prompts of a run may lose too
// little to be suspicious. They are counted when the limit is found.
type WindowDetector struct {
	Next Completer
	// Tokens is our own token count of a text.
	Tokens func(string) int
	// Notify is called once with the detected limit and the number of earlier replies
	// that were to a truncated prompt. It may be nil.
	Notify func(limit, missed int)

	mu              sync.Mutex
	probing         chan struct{} // lock that holds a value during a probe
	limit           int           // prompt tokens above which the server truncates; 0 if unknown
	longest         int           // tokens of the longest prompt, as reported by the server
	longestEstimate int           // our own count of that prompt
	sameLength      int           // replies to prompts of that length
	minRatio        float64       // lowest ratio of the server's count to ours for complete prompts
	constantCount   bool          // the server reports the same count for any prompt
}

// NewWindowDetector returns a WindowDetector that wraps next.
func NewWindowDetector(next Completer, tokens func(string) int, notify func(limit, missed int)) *WindowDetector {
	return &WindowDetector{Next: next, Tokens: tokens, Notify: notify, probing: make(chan struct{}, 1), minRatio: math.Inf(1)}
}

// Limit returns the number of tokens of a prompt and its reply that the server reads,
// or 0 if it was not found to truncate.
func (w *WindowDetector) Limit() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limit == 0 {
		return 0
	}
	return max(w.limit, w.longest)
}

// ExpectedReplyTokens returns the part of the context window that the reply to r is expected to
// take: half of its limit of output tokens.
func ExpectedReplyTokens(r *Request) int { return r.MaxTokens / 2 }

// Complete implements Completer.
func (w *WindowDetector) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if limit := w.Limit(); limit > 0 && sizeOf(r, w.Tokens).Prompt+ExpectedReplyTokens(r) > limit {
		return nil, &ContextLengthError{Limit: limit, Silent: true}
	}
	reply, err := w.Next.Complete(ctx, r)
	used := UsageOf(err)
	if err == nil {
		used = reply.Usage
	}
	if used.PromptTokens < minWindow || !w.isServerCount(r, used) || IsFatal(err) || ctx.Err() != nil {
		return reply, err
	}
	probeUsage, truncated, probeErr := w.checkTruncation(ctx, r, used)
	total := used.Add(probeUsage)
	switch {
	case probeErr != nil:
		return nil, withUsage(fmt.Errorf("finding out whether the server drops text: %w", probeErr), total)
	case truncated:
		return nil, withUsage(&ContextLengthError{Limit: w.Limit(), Silent: true}, total)
	case probeUsage == usage.Usage{}:
		return reply, err
	case err != nil:
		return nil, withUsage(err, total)
	}
	out := *reply
	out.Usage = total
	return &out, nil
}

// checkTruncation decides whether the server truncated r. more is the usage of probes.
func (w *WindowDetector) checkTruncation(ctx context.Context, r *Request, used usage.Usage) (probeUsage usage.Usage, truncated bool, err error) {
	p := promptCount{reported: used.PromptTokens, reply: used.CompletionTokens, bytes: promptBytes(r)}
	var text strings.Builder
	for _, m := range r.Messages {
		p.estimated += tokensPerMessage + w.Tokens(m.Text)
		text.WriteString(m.Text)
		text.WriteByte('\n')
	}
	p.words = func() int { return minTokens(text.String()) }
	if certain, truncated := w.decideWithoutProbe(p); certain {
		return usage.Usage{}, truncated, nil
	}
	select { // one probe at a time, whose result serves all
	case w.probing <- struct{}{}:
	case <-ctx.Done():
		return usage.Usage{}, false, ctx.Err()
	}
	defer func() { <-w.probing }()
	if certain, truncated := w.decideWithoutProbe(p); certain {
		return usage.Usage{}, truncated, nil
	}
	return w.probe(ctx, p)
}

// A promptCount has the token counts of a prompt and its reply.
type promptCount struct {
	reported, reply, estimated, bytes int
	words                             func() int // lower bound on the tokens of the prompt
}

// decideWithoutProbe returns whether the prompt was truncated if that is certain without a probe.
func (w *WindowDetector) decideWithoutProbe(p promptCount) (certain, truncated bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.constantCount || p.reported > p.bytes+maxTemplateTokens {
		return true, false // not a count of this prompt
	}
	if w.limit > 0 {
		if p.reported > w.limit {
			w.longest = max(w.longest, p.reported)
			return true, false
		}
		// A reply that does not fit after its prompt pushes text out of the window.
		window := max(w.limit, w.longest)
		return true, p.reported == w.limit || p.reported+p.reply > window || p.estimated > window
	}
	ratio := float64(p.reported) / float64(p.estimated)
	isLongest := p.reported >= w.longest
	switch {
	case float64(p.reported) < minTokensPerWord*float64(p.words()) && w.longest < enoughRatio*p.estimated:
		return false, false
	case isLongest && (p.reported%windowStep == 0 || p.reported%windowStep == 2):
		return false, false
	case p.reported == w.longest && math.Abs(float64(p.estimated-w.longestEstimate)) > 0.05*float64(p.estimated):
		return false, false
	case isLongest && ratio < suspiciousRatio*w.minRatio && !math.IsInf(w.minRatio, 1):
		return false, false
	}
	w.minRatio = min(w.minRatio, ratio)
	if p.reported > w.longest {
		w.longest, w.longestEstimate, w.sameLength = p.reported, p.estimated, 0
	}
	if isLongest {
		w.sameLength++
	}
	return true, false
}

// probe sends plain words to find out how many of them the server reads.
func (w *WindowDetector) probe(ctx context.Context, p promptCount) (used usage.Usage, truncated bool, err error) {
	numWords := int(probeWordsPerToken * float64(p.estimated))
	long, u, err := w.sendProbe(ctx, numWords)
	used = u
	if err != nil {
		return used, false, err
	}
	if long == 0 || float64(long) >= minTokensPerWord*float64(numWords) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.longest = max(w.longest, long, numWords)
		return used, false, nil
	}
	short, u, err := w.sendProbe(ctx, minWindow/16)
	used = used.Add(u)
	if err != nil {
		return used, false, err
	}
	if float64(short) >= minTokensPerWord*float64(long) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.constantCount = true
		return used, false, nil
	}
	// A server that keeps half of its window reads some prompts that are longer.
	longer, u, err := w.sendProbe(ctx, long*3/2)
	used = used.Add(u)
	if err != nil {
		return used, false, err
	}
	w.mu.Lock()
	missed := 0
	if w.longest == long {
		missed = w.sameLength
	}
	w.limit, w.longest = long, 0
	if longer > long {
		w.longest = longer
	}
	limit := max(w.limit, w.longest)
	w.mu.Unlock()
	if w.Notify != nil {
		w.Notify(limit, missed)
	}
	return used, true, nil
}

// sendProbe sends a prompt of n words and returns the server's token count. A prompt that the
// server rejects as too long counts as read, since it was not truncated silently.
func (w *WindowDetector) sendProbe(ctx context.Context, n int) (tokens int, used usage.Usage, err error) {
	var b strings.Builder
	words := strings.Fields(probeText)
	for i := range n {
		if i < 4 { // keep the prompt out of the server's cache
			b.WriteByte(byte('a' + rand.IntN(26))) //nolint:gosec // not a secret
			b.WriteByte(' ')
			continue
		}
		b.WriteString(words[i%len(words)])
		b.WriteByte(' ')
	}
	r := &Request{Messages: []Message{{User, b.String()}}, MaxTokens: probeReplyTokens, Prompt: "probe/1"}
	reply, err := w.Next.Complete(ctx, r)
	_, tooLong := errors.AsType[*ContextLengthError](err)
	_, lengthErr := errors.AsType[*LengthError](err)
	_, parseErr := errors.AsType[*ParseError](err)
	_, refused := errors.AsType[*RefusalError](err)
	switch {
	case err == nil:
		used = reply.Usage
	case tooLong:
		return n, UsageOf(err), nil
	case lengthErr, parseErr, refused:
		used = UsageOf(err)
	default:
		return 0, UsageOf(err), err
	}
	if !w.isServerCount(r, used) {
		return 0, used, nil
	}
	return used.PromptTokens, used, nil
}

// isServerCount reports whether the prompt tokens are the server's count and not our own.
func (w *WindowDetector) isServerCount(r *Request, used usage.Usage) bool {
	return !used.Estimated || used.PromptTokens != sizeOf(r, w.Tokens).Prompt
}
