package llm

import (
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

func TestTokensExact(t *testing.T) {
	for model, want := range map[string]int{"gpt-4o-mini": 4, "openai/gpt-4.1": 4, "gpt-4-turbo": 4} {
		n := NewTokens(model)
		if got := n.Text("hello world, again"); got != want || !n.Exact() {
			t.Errorf("%s: got %d tokens, exact %v; want %d, true", model, got, n.Exact(), want)
		}
	}
}

func TestTokensEstimate(t *testing.T) {
	n := NewTokens("llama-3.3-70b")
	if n.Exact() {
		t.Error("an estimate is reported as exact")
	}
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本語": 2, strings.Repeat("word ", 80): 100} {
		if got := n.Text(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCompletionTokens(t *testing.T) {
	for _, tt := range []struct {
		prompt, completion, total, want int
	}{
		{100, 20, 120, 20},
		{100, 20, 0, 20},
		{100, 20, 2620, 2520}, // reasoning only in the total
		{0, 20, 2620, 20},     // the prompt is unknown
		{100, 20, 1 << 40, 20},
		{100, 20, 50, 20},
	} {
		if got := completionTokens(&openai.Usage{PromptTokens: tt.prompt, CompletionTokens: tt.completion, TotalTokens: tt.total}); got != tt.want {
			t.Errorf("%+v: got %d, want %d", tt, got, tt.want)
		}
	}
}

func TestRequestSize(t *testing.T) {
	n := NewTokens("gpt-4o")
	plain := n.Request(&Request{Messages: []Message{{User, "hello"}}})
	if plain != (Size{Prompt: 8, Reply: defaultReplyTokens}) {
		t.Errorf("got %+v, want %+v", plain, (Size{Prompt: 8, Reply: defaultReplyTokens}))
	}
	if s := n.Request(newRequest(verdicts())); s.Reply != 100 || s.Prompt < 40 {
		t.Errorf("got %+v, want a reply of 100 and a prompt of at least 40", s)
	}
}

func TestPrices(t *testing.T) {
	for model, want := range map[string][2]float64{
		"gpt-4o-mini":                            {0.15, 0.6},
		"gpt-4o-mini-2024-07-18":                 {0.15, 0.6},
		"gpt-4o-2024-08-06":                      {2.5, 10},
		"gpt-4o-2024-05-13":                      {5, 15},
		"openai/gpt-4.1-nano":                    {0.1, 0.4},
		"claude-3-5-sonnet-20241022":             {3, 15},
		"anthropic/claude-sonnet-4":              {3, 15},
		"models/gemini-2.0-flash":                {0.1, 0.4},
		"mistral-small-latest":                   {0.1, 0.3},
		"DeepSeek-Chat":                          {0.28, 0.42},
		"meta-llama/llama-3.3-70b-instruct:free": {0.59, 0.79},
	} {
		in, out, ok := Price(model)
		if !ok || in != want[0] || out != want[1] {
			t.Errorf("%s: got prices %v and %v, known %v; want %v", model, in, out, ok, want)
		}
	}
	for _, model := range []string{"", "gpt", "gpt-4oo", "my-model", "smollm2", "gpt-4omni", "gpt-5.9"} {
		if _, _, ok := Price(model); ok {
			t.Errorf("%q: got a price, want none", model)
		}
	}
	p := readPrices()
	if len(p.Models) < 50 || len(PricesDate()) != len("2025-08-15") {
		t.Errorf("got %d prices of %q, want at least 50 with a date", len(p.Models), p.Date)
	}
	for m, v := range p.Models {
		if v[0] <= 0 || v[1] < 0 || v[0] > 200 || v[1] > 700 {
			t.Errorf("%s: got implausible price %v", m, v)
		}
	}
}

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
		if f, _ := familyOf(name); f.openAI != want {
			t.Errorf("%s: got %t, want %t", name, f.openAI, want)
		}
	}
}
