package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A tokenCounter is a Completer that reports token counts computed by a function.
type tokenCounter struct {
	mu       sync.Mutex
	requests int
	before   string
	count    func(text, before string) int // token count, given the prompt and the previous one
	err      func(text string) error
}

func (c *tokenCounter) Complete(_ context.Context, r *Request) (*Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := r.Messages[len(r.Messages)-1].Text
	c.requests++
	if c.err != nil {
		if err := c.err(text); err != nil {
			return nil, err
		}
	}
	n := c.count(text, c.before)
	c.before = text
	return &Reply{Text: "ok", Usage: usage.Usage{Requests: 1, PromptTokens: n, CompletionTokens: 1}}, nil
}

func countTokens(text string) int { return len(text) / 4 }

// prose returns a text of about that many tokens.
func prose(tokens int) string {
	var b strings.Builder
	for i := 0; b.Len() < 4*tokens; i++ {
		fmt.Fprintf(&b, "Sentence %d contains no remarkable facts. ", i)
	}
	return b.String()[:4*tokens]
}

func TestDetectTruncatedPrompt(t *testing.T) {
	limited := func(window int) func(string, string) int {
		return func(text, _ string) int { return min(countTokens(text), window) }
	}
	halfWindow := func(text, _ string) int {
		if n := countTokens(text); n <= 4096 {
			return n
		}
		return 2050
	}
	countUncached := func(text, before string) int { // tokens that are not in the cached prefix
		n := 0
		for n < min(len(text), len(before)) && text[n] == before[n] {
			n++
		}
		return countTokens(text[n:])
	}
	for _, tt := range []struct {
		name   string
		count  func(text, before string) int
		tokens string // prompts in order; ! marks those detected as truncated
		limit  int
		probes int // probe requests
	}{
		{"2048 tokens", limited(2048), "700 1900 2300! 9000! 600", 2048, 1},
		{"slightly above the window", limited(2048), "2100! 1500", 2048, 1},
		{"half of the window is read", halfWindow, "700 2000 5000! 1900", 2050, 1},
		{"odd size, first truncation undetected", limited(3001), "3200 3500! 2000", 3001, 1},
		{"odd size, far above the window", limited(3001), "9000! 2000", 3001, 1},
		{"unlimited", limited(1 << 20), "700 9000 4000 30000 700 650", 0, 0},
		{"round count by chance", limited(1 << 20), "700 2048 2060 4000", 0, 1},
		{"cached tokens not counted", func(text, before string) int { return countUncached("system"+text, "system"+before) }, "3000 5000 5600 6000 900", 0, 1},
		{"dense tokenizer", func(text, _ string) int { return countTokens(text) * 8 / 10 }, "700 2500 9000 3000", 0, 0},
		{"sparse tokenizer", func(text, _ string) int { return countTokens(text) * 2 }, "700 2500 9000 3000", 0, 0},
		{"constant count below any window", func(string, string) int { return 100 }, "700 9000 4000", 0, 0},
		{"no count", func(string, string) int { return 0 }, "700 9000 4000", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &tokenCounter{count: tt.count}
			limit, notified := 0, 0
			w := NewWindowDetector(s, EstimateTokens, func(n int) { limit, notified = n, notified+1 })
			sent := 0
			for _, field := range strings.Fields(tt.tokens) {
				n, truncated := 0, strings.HasSuffix(field, "!")
				if _, err := fmt.Sscan(strings.TrimSuffix(field, "!"), &n); err != nil {
					t.Fatal(err)
				}
				before := s.requests
				reply, err := w.Complete(t.Context(), &Request{Messages: []Message{{User, prose(n)}}, MaxTokens: 100})
				e, rejected := errors.AsType[*ContextLengthError](err)
				if rejected != truncated || truncated && !e.Silent || !truncated && err != nil {
					t.Fatalf("prompt of %d tokens: got %v, %v; want truncated: %t", n, reply, err, truncated)
				}
				if s.requests > before {
					sent++
				}
				if used := UsageOf(err); rejected && used.Requests != s.requests-before {
					t.Errorf("got usage of %d requests, want %d", used.Requests, s.requests-before)
				}
			}
			if s.requests-sent != tt.probes {
				t.Errorf("got %d probes, want %d", s.requests-sent, tt.probes)
			}
			if w.Limit() < tt.limit || (tt.limit == 0) != (w.Limit() == 0) || (tt.limit > 0) != (notified == 1) {
				t.Errorf("got limit %d after %d notifications of %d, want %d", w.Limit(), notified, limit, tt.limit)
			}
		})
	}
}

// If a probe can't be sent, the request fails, since its prompt may have been truncated.
func TestFailedProbeFailsRequest(t *testing.T) {
	s := &tokenCounter{count: func(text, _ string) int { return min(countTokens(text), 2048) }, err: func(text string) error {
		if strings.Contains(text, "the cat sat") || strings.Contains(text, "tree the") {
			return &BudgetError{Unit: "tokens"}
		}
		return nil
	}}
	_, err := NewWindowDetector(s, EstimateTokens, nil).Complete(t.Context(), &Request{Messages: []Message{{User, prose(5000)}}, MaxTokens: 100})
	if !IsFatal(err) || UsageOf(err).Requests != 1 {
		t.Errorf("got %v, %+v; want a fatal error after 1 request", err, UsageOf(err))
	}
}

// minTokens must be a lower bound for every included vocabulary.
func TestMinTokensIsLowerBound(t *testing.T) {
	for _, model := range []string{"gpt-4o", "gpt-4"} {
		tokens := NewTokens(model)
		for _, text := range []string{
			prose(300), "don't can't I'd, \"quoted\" (and) more; well... yes!", strings.Repeat("1234567890 ", 40), `{"id":0,"text":"A b c.","n":[1,2,33]}`,
			strings.Repeat("这是一个关于天气的句子。", 30), strings.Repeat("今日はとても良い天気です。", 30), strings.Repeat("Сегодня хорошая погода. ", 30),
			strings.Repeat("วันนี้อากาศดีมาก", 30), strings.Repeat("오늘은 날씨가 좋습니다. ", 30), strings.Repeat("    \n\n\t", 50), strings.Repeat("=", 300), "x := f(a[i], b...)\n\treturn x\n",
			strings.Repeat("آب و هوا امروز خوب است. ", 30), strings.Repeat("आज मौसम अच्छा है। ", 30), "",
		} {
			if bound, got := minTokens(text), tokens.Text(text); float64(got) < minTokensPerWord*float64(bound) {
				t.Errorf("%s: %.40q: got %d tokens, want at least %d", model, text, got, bound)
			}
		}
	}
	if n := minTokens("The cat, don't sit. 这是一个天气"); n != 4+2 {
		t.Errorf("got %d, want %d", n, 4+2)
	}
}
