package llm

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestFamilyOf(t *testing.T) {
	for _, name := range []string{
		"o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "openai/gpt-5-mini", "gpt-5.1", "my-gpt-5-deployment",
		"gpt-oss-20b", "gpt-oss:20b", "openai/gpt-oss-120b", "deepseek-r1", "deepseek-r1:8b", "DeepSeek-R1-Distill-Llama-70B", "us.deepseek.r1-v1:0",
		"deepseek/deepseek-r1-0528:free", "deepseek-reasoner", "qwen3:4b", "Qwen/Qwen3-8B", "qwen3.5-27b", "qwen3-30b-a3b-thinking-2507", "qwq-32b", "magistral-small-2509",
		"kimi-k2-thinking", "gemini-2.5-flash", "google/gemini-3-pro-preview", "grok-4-fast-reasoning", "grok-3-mini", "glm-4.6", "phi-4-reasoning",
	} {
		if _, ok := familyOf(name); !ok {
			t.Errorf("%s: got no reasoning model, want one", name)
		}
	}
	for _, name := range []string{
		"gpt-4o-mini", "gpt-4.1", "gpt-35-turbo", "gpt-5-chat-latest", "llama3.1:8b", "claude-3-5-haiku-latest", "mistral-small", "gemma3:4b", "qwen2.5:7b",
		"Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-coder:30b", "gemini-2.5-flash-lite", "grok-4-fast-non-reasoning", "deepseek-chat", "prod-judge", "x", "",
	} {
		if f, ok := familyOf(name); ok {
			t.Errorf("%s: got %+v, want no reasoning model", name, f)
		}
	}
	for name, want := range map[string]bool{"gpt-5-mini": true, "openai/o3": true, "gpt-oss-20b": false, "gpt-4o": false} {
		if got := wantsOpenAIForm(name); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}

// A long reply raises the allowance of the next runs, which then falls slowly.
func TestPeakDecaysFromRunToRun(t *testing.T) {
	r := Reasoning{Replies: 60, Mean: 2000, Peak: 40_000}
	var peaks []int
	for range 12 {
		m := reasoningMeter{earlier: r}
		for range 60 {
			m.add(2000)
		}
		r = m.stored()
		peaks = append(peaks, r.Peak)
	}
	if peaks[0] != 30_000 || peaks[11] != 2000 || !slices.IsSortedFunc(peaks, func(a, b int) int { return b - a }) {
		t.Errorf("got peaks %v, want them to fall from 30000 to 2000", peaks)
	}
	if r.Mean != 2000 {
		t.Errorf("got a mean of %d, want 2000", r.Mean)
	}
	m := reasoningMeter{earlier: r}
	m.add(9000)
	if got := m.stored(); got.Peak != 9000 {
		t.Errorf("got a peak of %d after a longer reply, want 9000", got.Peak)
	}
}

func TestAllowanceIsLimited(t *testing.T) {
	for _, tt := range []struct {
		r    Reasoning
		want int
	}{
		{Reasoning{}, 0},
		{Reasoning{Replies: 100}, 0},
		{Reasoning{Replies: 1, Peak: 300}, minAllowance},
		{Reasoning{Replies: 1, Peak: 3000}, 12_000},
		{Reasoning{Replies: 100, Peak: 3000}, 6000},
		{Reasoning{Replies: 100, Peak: maxReasoning}, maxReasoning},
	} {
		if got := tt.r.allowance(); got != tt.want {
			t.Errorf("%+v: got %d, want %d", tt.r, got, tt.want)
		}
	}
}

// Only the first call pays for a truncated reply.
func TestFirstReplyDecides(t *testing.T) {
	const calls = 16
	var mu sync.Mutex
	var limits []int
	started := make(chan struct{}, calls)
	p := &ReplyRetry{Probe: true, Next: completerFunc(func(_ context.Context, r *Request) (*Reply, error) {
		mu.Lock()
		limits = append(limits, r.MaxTokens)
		n := len(limits)
		mu.Unlock()
		if n == 1 {
			for range calls - 1 { // the others have started, and wait
				<-started
			}
		}
		if r.MaxTokens < 3000 {
			return nil, &LengthError{Limit: r.MaxTokens, Reasoning: true}
		}
		return &Reply{reasoning: 2900}, nil
	})}
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			if i > 0 {
				p.budget.waitForFirst()
				started <- struct{}{}
			}
			if _, err := p.Complete(t.Context(), newRequest(nil)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if want := []int{100, 2048, 8192}; !slices.Equal(limits[:3], want) || len(limits) != calls+2 || slices.Min(limits[3:]) < 3000 {
		t.Errorf("got limits %v, want %v and then %d sufficient ones", limits, want, calls-1)
	}
}

// waitForFirst waits until the first call is leading.
func (b *reasoningBudget) waitForFirst() {
	for leading := false; !leading; {
		b.mu.Lock()
		leading = b.first != nil
		b.mu.Unlock()
	}
}

// Calls do not wait while the first one waits for its retry.
func TestFailedFirstAttemptEndsWait(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var n atomic.Int32
	third := make(chan struct{})
	p := &ReplyRetry{Probe: true, Next: through(testSender(Options{Retries: 1}), completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
		switch n.Add(1) {
		case 1:
			return nil, &StatusError{Status: 503}
		case 2:
			select {
			case <-third:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case 3:
			close(third)
		}
		return &Reply{}, nil
	}), 0)}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := p.Complete(ctx, newRequest(nil)); err != nil {
				t.Errorf("got %v, want no error: the calls waited for each other", err)
			}
		})
	}
	wg.Wait()
}
