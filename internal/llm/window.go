package llm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/ragfaith/ragfaith/internal/usage"
)

const (
	// minWindow is the smallest token count that is considered a context window. The
	// instructions of a request do not fit into less.
	minWindow = 512
	// windowStep divides all limits, or all but 2 of their tokens: Ollama keeps half of its
	// window plus two tokens of a prompt that does not fit.
	windowStep = 512
	// probeWordsPerToken is the number of probe words per estimated token of the request.
	// It makes the probe longer than the request for any tokenizer.
	probeWordsPerToken = 2.5
	// enoughRatio is the multiple of a prompt's estimated tokens that proves, once a server
	// has read as many, that it can read the prompt.
	enoughRatio = 2
	// minTokensPerWord is the minimum ratio of reported tokens to words. It is below 1
	// because some tokens span words.
	minTokensPerWord = 0.9
	// probeReplyTokens is the output token limit of a probe. Some servers reject less.
	probeReplyTokens = 16
	// probeText contains words that are at least one token each in any vocabulary.
	probeText = "the cat sat on a red box and saw two dogs run by the old tree"
)

// A WindowDetector detects servers that silently truncate prompts which exceed their context
// window, as Ollama does beyond num_ctx. It converts the reply to a truncated prompt into a
// ContextLengthError with Silent set, so that the caller can split its request.
//
// A reply is suspicious if the server reports fewer prompt tokens than the prompt has words. It is
// also suspicious if the count is the largest so far and looks like a limit: it is round, or equal
// to that of a prompt of different length. Dense texts and servers that do not count cached tokens
// look the same, so the first suspicion is verified by a probe of plain words that is longer than
// the prompt. If the server counts fewer tokens than the probe has words, it truncates. Later
// requests above the limit are not sent.
type WindowDetector struct {
	Next   Completer
	Notify func(limit int) // called once with the detected limit; may be nil

	tokens          func(string) int
	probing         chan struct{} // semaphore: one probe at a time
	mu              sync.Mutex
	limit           int // prompt tokens above which the server truncates; 0 if unknown
	longest         int // reported tokens of the longest prompt
	longestEstimate int // estimated tokens of that prompt
}

// NewWindowDetector returns a WindowDetector that wraps next. tokens counts the tokens of a
// text as next does if the server reports none.
func NewWindowDetector(next Completer, tokens func(string) int, notify func(limit int)) *WindowDetector {
	return &WindowDetector{Next: next, Notify: notify, tokens: tokens, probing: make(chan struct{}, 1)}
}

// Limit returns the detected limit in tokens of prompt and reply, or 0 if none was detected.
func (w *WindowDetector) Limit() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.limit
}

// ExpectedReplyTokens returns the part of the context window that the reply to
// r is expected to occupy: half of its output token limit.
func ExpectedReplyTokens(r *Request) int { return r.MaxTokens / 2 }

// Complete implements Completer.
func (w *WindowDetector) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if limit := w.Limit(); limit > 0 && sizeOf(r, EstimateTokens).Prompt+ExpectedReplyTokens(r) > limit {
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
		return nil, withUsage(fmt.Errorf("detecting whether the server truncates prompts: %w", withUsage(probeErr, usage.Usage{})), total)
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

// checkTruncation decides whether the server truncated r. probeUsage is the usage of probes.
func (w *WindowDetector) checkTruncation(ctx context.Context, r *Request, used usage.Usage) (probeUsage usage.Usage, truncated bool, err error) {
	p := promptCount{reported: used.PromptTokens, reply: used.CompletionTokens, bytes: promptBytes(r)}
	for _, m := range r.Messages {
		p.words += minTokens(m.Text)
		p.estimated += tokensPerMessage + EstimateTokens(m.Text)
	}
	certain, truncated := w.decideWithoutProbe(p)
	if certain {
		return usage.Usage{}, truncated, nil
	}
	select { // other calls wait for the result of the probe
	case w.probing <- struct{}{}:
	case <-ctx.Done():
		return usage.Usage{}, false, ctx.Err()
	}
	defer func() { <-w.probing }()
	if certain, truncated = w.decideWithoutProbe(p); certain {
		return usage.Usage{}, truncated, nil
	}
	return w.probe(ctx, p)
}

// A promptCount contains token counts of a prompt and its reply.
type promptCount struct {
	reported, reply, estimated, bytes int
	words                             int // lower bound on the tokens of the prompt
}

// decideWithoutProbe reports whether the prompt was truncated, if that is certain without a probe.
func (w *WindowDetector) decideWithoutProbe(p promptCount) (certain, truncated bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.reported > p.bytes+maxAddedTokens {
		return true, false // the count is unrelated to this prompt
	}
	if w.limit > 0 {
		// A reply that does not fit pushes text out of the window.
		return true, p.reported <= w.limit && (p.reported == w.limit || p.reported+p.reply > w.limit || p.estimated > w.limit)
	}
	isLongest := p.reported >= w.longest
	switch {
	case float64(p.reported) < minTokensPerWord*float64(p.words) && w.longest < enoughRatio*p.estimated:
		return false, false
	case isLongest && (p.reported%windowStep == 0 || p.reported%windowStep == 2):
		return false, false
	case p.reported == w.longest && math.Abs(float64(p.estimated-w.longestEstimate)) > 0.05*float64(p.estimated):
		return false, false
	}
	if p.reported > w.longest {
		w.longest, w.longestEstimate = p.reported, p.estimated
	}
	return true, false
}

// probe measures how many plain words the server reads.
func (w *WindowDetector) probe(ctx context.Context, p promptCount) (used usage.Usage, truncated bool, err error) {
	words := int(probeWordsPerToken * float64(p.estimated))
	read, used, err := w.sendProbe(ctx, words)
	if err != nil {
		return used, false, err
	}
	truncated = read > 0 && float64(read) < minTokensPerWord*float64(words)
	w.mu.Lock()
	if truncated {
		w.limit = read
	} else {
		w.longest = max(w.longest, read, words)
	}
	w.mu.Unlock()
	if truncated && w.Notify != nil {
		w.Notify(read)
	}
	return used, truncated, nil
}

// sendProbe sends a prompt of n words and returns the token count reported by the server. A prompt
// that the server rejects as too long counts as read, since it was not truncated silently.
func (w *WindowDetector) sendProbe(ctx context.Context, n int) (tokens int, used usage.Usage, err error) {
	var b strings.Builder
	words := strings.Fields(probeText)
	for i := range n {
		word := words[i%len(words)]
		if i < 4 { // make each probe unique to bypass caches
			word = string(rune('a' + rand.IntN(26))) //nolint:gosec // not a secret
		}
		b.WriteString(word + " ")
	}
	r := &Request{Messages: []Message{{User, b.String()}}, MaxTokens: probeReplyTokens, Prompt: "probe/1"}
	reply, err := w.Next.Complete(ctx, r)
	used = UsageOf(err)
	switch {
	case err == nil:
		used = reply.Usage
	case isA[*ContextLengthError](err):
		return n, used, nil
	case !isReply(err):
		return 0, used, err
	}
	if !w.isServerCount(r, used) {
		return 0, used, nil
	}
	return used.PromptTokens, used, nil
}

// isServerCount reports whether the prompt tokens in used were counted by the
// server rather than estimated.
func (w *WindowDetector) isServerCount(r *Request, used usage.Usage) bool {
	return !used.Estimated || used.PromptTokens != sizeOf(r, w.tokens).Prompt
}
