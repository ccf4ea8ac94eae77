package llm

import "testing"

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
