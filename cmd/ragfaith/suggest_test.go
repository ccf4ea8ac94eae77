package main

import "testing"

func TestAPIModelsAreRecognized(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"gpt-4o": "gpt-4o", "o1": "o1", "o3-mini": "o3-mini", "claude-3-5-sonnet-latest": "claude-3-5-sonnet-latest", "gemini-2.0-flash": "gemini-2.0-flash",
		"llama3": "llama3", "anthropic/claude-3-haiku": "claude-3-haiku", "openrouter/openai/gpt-4o": "gpt-4o", "mistral-large-latest": "mistral-large-latest",
		"lexical": "", "o1x": "", "org/llama-nli": "", "./gpt-4o": "", "hhem": "", "minicheck-roberta-large": "",
	} {
		model, ok := apiModel(name)
		if ok != (want != "") || ok && model != want {
			t.Errorf("%s: got %q, %v, want %q", name, model, ok, want)
		}
	}
}
