package main

import "testing"

func TestLocalServersHaveNoPrice(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://localhost:11434/v1": true, "http://127.0.0.1:8000": true, "http://[::1]:8000/v1": true, "http://192.168.1.7/v1": true,
		"http://10.0.0.1": true, "http://0.0.0.0:1": true, "http://ollama:11434/v1": true, "http://gpu.local/v1": true,
		"http://host.docker.internal:11434/v1": true, "https://api.openai.com/v1": false, "http://8.8.8.8/v1": false,
		"http://localhost.example.com": false, "": false, "localhost:80": false,
	} {
		if got := isLocalServer(address); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}

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
