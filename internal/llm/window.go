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
	// suspiciousRatio triggers a probe if the ratio of reported to estimated tokens falls
	// below this fraction of its previous minimum.
	suspiciousRatio = 0.85
	// probeWordsPerToken is the number of probe words per estimated token of the request.
	// It makes the probe longer than the request for any tokenizer.
	probeWordsPerToken = 2.5
	// enoughRatio is the multiple of a prompt's estimated tokens that proves, once a server
	// has read as many, that it can read the prompt.
	enoughRatio = 2
	// minTokensPerWord is the minimum ratio of reported tokens to words. It is below 1
	// because some tokens span words.
	minTokensPerWord = 0.9
	// repliesToCompare is the number of replies whose counts are compared with estimates,
	// even if they are shorter than others.
	repliesToCompare = 32
	// maxTemplateTokens is an upper bound on the tokens that a chat template adds.
	maxTemplateTokens = 1024
	// probeReplyTokens is the output token limit of a probe. Some servers reject less.
	probeReplyTokens = 16
	// probeText contains words that are at least one token each in any vocabulary.
	probeText = "the cat sat on a red box and saw two dogs run by the old tree"
)

// A WindowDetector detects servers that silently truncate prompts which exceed
// their context window, as Ollama does beyond num_ctx. It converts the reply to
// a truncated prompt into a ContextLengthError with Silent set, so that the
// caller can split its request.
//
// A reply is suspicious if the server reports fewer prompt tokens than the
// prompt has words. It is also suspicious if the count looks like a limit: it
// is the largest so far, and it is round, equal to that of a prompt of
// different length, or low for the length of the prompt. Dense texts and
// servers that do not count cached tokens look the same, so the first suspicion
// is verified by a probe of plain words that is longer than the prompt. If the
// server counts fewer tokens than the probe has words, it truncates. Later
// requests above the limit are not sent.
//
// If the limit is not round, the first truncated prompts of a run may lose too
// little text to be suspicious. They are counted when the limit is detected.
type WindowDetector struct {
	Next Completer
	// Notify is called once with the detected limit and the number of earlier replies to
	// truncated prompts. It may be nil.
	Notify func(limit, missed int)

	tokens          func(string) int // counts tokens as the Client does if the server reports none
	mu              sync.Mutex
	probing         chan struct{} // semaphore: one probe at a time
	limit           int           // prompt tokens above which the server truncates; 0 if unknown
	longest         int           // reported tokens of the longest prompt
	longestEstimate int           // estimated tokens of that prompt
	sameLength      int           // number of replies to prompts of that length
	replies         int           // replies with a token count
	minRatio        float64       // lowest ratio of reported to estimated tokens for complete prompts
	constantCount   bool          // the server reports the same count for all prompts
}

// NewWindowDetector returns a WindowDetector that wraps next.
func NewWindowDetector(next Completer, notify func(limit, missed int)) *WindowDetector {
	return &WindowDetector{Next: next, Notify: notify, tokens: EstimateTokens, probing: make(chan struct{}, 1), minRatio: math.Inf(1)}
}

// Limit returns the detected limit in tokens of prompt and reply, or 0 if none
// was detected.
func (w *WindowDetector) Limit() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limit == 0 {
		return 0
	}
	return max(w.limit, w.longest)
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

// checkTruncation decides whether the server truncated r. probeUsage is the
// usage of probes.
func (w *WindowDetector) checkTruncation(ctx context.Context, r *Request, used usage.Usage) (probeUsage usage.Usage, truncated bool, err error) {
	p := promptCount{reported: used.PromptTokens, reply: used.CompletionTokens, bytes: promptBytes(r)}
	p.words = sync.OnceValue(func() int {
		n := 0
		for _, m := range r.Messages {
			n += minTokens(m.Text)
		}
		return n
	})
	if w.isShort(p) {
		return usage.Usage{}, false, nil
	}
	for _, m := range r.Messages {
		p.estimated += tokensPerMessage + EstimateTokens(m.Text)
	}
	if certain, truncated := w.decideWithoutProbe(p); certain {
		return usage.Usage{}, truncated, nil
	}
	select { // other calls wait for the result of the probe
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

// A promptCount contains token counts of a prompt and its reply.
type promptCount struct {
	reported, reply, estimated, bytes int
	words                             func() int // lower bound on the tokens of the prompt
}

// isShort reports whether a longer prompt is known to have been read completely. It
// needs no token count, which takes milliseconds, but only after enough replies have
// shown how the counts of server and estimate compare.
func (w *WindowDetector) isShort(p promptCount) bool {
	w.mu.Lock()
	known := w.limit == 0 && w.replies >= repliesToCompare && p.reported < w.longest
	w.replies++
	w.mu.Unlock()
	return known && float64(p.reported) >= minTokensPerWord*float64(p.words())
}

// decideWithoutProbe reports whether the prompt was truncated, if that is
// certain without a probe.
func (w *WindowDetector) decideWithoutProbe(p promptCount) (certain, truncated bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.constantCount || p.reported > p.bytes+maxTemplateTokens {
		return true, false // the count is unrelated to this prompt
	}
	if w.limit > 0 {
		if p.reported > w.limit {
			w.longest = max(w.longest, p.reported)
			return true, false
		}
		// A reply that does not fit pushes text out of the window.
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

// probe measures how many plain words the server reads.
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
	// A server that keeps half of its window reads some longer prompts completely.
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

// sendProbe sends a prompt of n words and returns the token count reported by
// the server. A prompt that the server rejects as too long counts as read,
// since it was not truncated silently.
func (w *WindowDetector) sendProbe(ctx context.Context, n int) (tokens int, used usage.Usage, err error) {
	var b strings.Builder
	words := strings.Fields(probeText)
	for i := range n {
		if i < 4 { // make each probe unique to bypass caches
			b.WriteByte(byte('a' + rand.IntN(26))) //nolint:gosec // not a secret
			b.WriteByte(' ')
			continue
		}
		b.WriteString(words[i%len(words)])
		b.WriteByte(' ')
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
