package llm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseLocal(t *testing.T) {
	for text, want := range map[string][2]string{
		"ollama/qwen3:4b": {"ollama", "qwen3:4b"}, "lmstudio/qwen/qwen3-4b": {"lmstudio", "qwen/qwen3-4b"},
		"llamacpp": {"llamacpp", ""}, "vllm/": {"vllm", ""}, "llm": {}, "./ollama/x": {}, "ollamas/x": {},
	} {
		s, model, ok := ParseLocal(text)
		if ok != (want[0] != "") || s.Name != want[0] || model != want[1] {
			t.Errorf("%s: got %q, %q, %t; want %q", text, s.Name, model, ok, want)
		}
	}
}

func TestLocalBaseURL(t *testing.T) {
	for host, want := range map[string]string{
		"":                           "http://localhost:11434/v1",
		"127.0.0.1":                  "http://127.0.0.1:11434/v1",
		"127.0.0.1:5000":             "http://127.0.0.1:5000/v1",
		"0.0.0.0":                    "http://localhost:11434/v1",
		"0.0.0.0:5000":               "http://localhost:5000/v1",
		":5000":                      "http://localhost:5000/v1",
		"[::1]:5000":                 "http://[::1]:5000/v1",
		"[::]":                       "http://localhost:11434/v1",
		"gpu.example":                "http://gpu.example:11434/v1",
		"http://gpu.example":         "http://gpu.example/v1",
		"https://gpu.example":        "https://gpu.example/v1",
		"https://gpu.example:1/api/": "https://gpu.example:1/api/v1",
		" \"localhost:1\" ":          "http://localhost:1/v1",
		"ftp://gpu.example":          "http://localhost:11434/v1",
	} {
		if got := LocalServers()[0].BaseURL(host); got != want {
			t.Errorf("%q: got %s, want %s", host, got, want)
		}
	}
	if s, _, _ := ParseLocal("vllm"); s.BaseURL("elsewhere:1") != "http://localhost:8000/v1" {
		t.Errorf("got %s, want OLLAMA_HOST to be ignored", s.BaseURL("elsewhere:1"))
	}
}

// replies answers by path. A reply with several lines changes with every request.
func replies(all map[string]string) Ask {
	asked := map[string]int{}
	return func(_ context.Context, path string, body any) (json.RawMessage, error) {
		lines := strings.Split(all[path], "\n")
		n := min(asked[path], len(lines)-1)
		asked[path]++
		if lines[n] == "" || (body != nil) != (path == "/api/generate") {
			return nil, errors.New("not found: " + path)
		}
		return json.RawMessage(lines[n]), nil
	}
}

func TestLocalWindow(t *testing.T) {
	const unloaded, loaded = `{"models":[{"name":"other","context_length":1}]}`, `{"models":[{"name":"m","context_length":4096}]}`
	for _, tt := range []struct {
		name, server string
		replies      map[string]string
		want         int
	}{
		{"loaded", "ollama", map[string]string{"/api/ps": loaded}, 4096},
		{"loaded by the question", "ollama", map[string]string{"/api/ps": unloaded + "\n" + loaded, "/api/generate": `{"done":true}`}, 4096},
		{"not loadable", "ollama", map[string]string{"/api/ps": unloaded + "\n" + loaded}, 0},
		{"an old Ollama", "ollama", map[string]string{"/api/ps": `{"models":[{"name":"m"}]}`, "/api/generate": `{"done":true}`}, 0},
		{"loaded", "lmstudio", map[string]string{"/api/v0/models/m": `{"state":"loaded","loaded_context_length":8192,"max_context_length":131072}`}, 8192},
		{"not loaded", "lmstudio", map[string]string{"/api/v0/models/m": `{"state":"not-loaded","max_context_length":131072}`}, 0},
		{"slots", "llamacpp", map[string]string{"/props": `{"default_generation_settings":{"n_ctx":2048},"total_slots":4}`}, 2048},
		{"no properties", "llamacpp", map[string]string{}, 0},
		{"listed", "vllm", map[string]string{}, 512},
		{"another type", "llamacpp", map[string]string{"/props": `{"default_generation_settings":[]}`}, 0},
		{"negative", "llamacpp", map[string]string{"/props": `{"default_generation_settings":{"n_ctx":-1}}`}, 0},
	} {
		s, _, _ := ParseLocal(tt.server)
		if got := s.Window(t.Context(), replies(tt.replies), ServedModel{Name: "m", Window: 512}); got != tt.want {
			t.Errorf("%s, %s: got %d, want %d", tt.server, tt.name, got, tt.want)
		}
	}
}

func TestListModels(t *testing.T) {
	got, err := ListModels(t.Context(), replies(map[string]string{"/v1/models": `{"data":[{"id":"nomic-embed-text"},{"id":""},{"id":"bge-m3:latest"},{"id":"intfloat/e5-large-v2"},{"id":"all-minilm:22m"},{"id":"Qwen/Qwen3-Reranker-4B"},{"id":"a","owned_by":"vllm","max_model_len":10}]}`}))
	if want := (ServedModel{"a", "vllm", 10}); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, reply := range []string{"", `{"data":{}}`, `{"data":[{"id":"m","max_model_len":1e30}]}`} {
		if got, err := ListModels(t.Context(), replies(map[string]string{"/v1/models": reply})); err == nil || strings.Contains(err.Error(), "json:") {
			t.Errorf("%q: got %v, %v; want an error without Go types", reply, got, err)
		}
	}
}

func TestFindLocalReturnsChatModelsOfThisMachine(t *testing.T) {
	listings := map[string]string{
		"http://localhost:11434/v1": `{"data":[{"id":"gpt-oss:120b-cloud","owned_by":"library"},{"id":"qwen3:4b","owned_by":"library"}]}`,
		"http://localhost:1234/v1":  `{"data":[{"id":"bge-m3"}]}`,
		"http://localhost:8080/v1":  `{"data":[{"id":"website","owned_by":"me"}]}`,
		"http://localhost:8000/v1":  `{"data":[{"id":"org/m","owned_by":"vllm"}]}`,
	}
	find := func(ollamaHost string) (found []string) {
		for _, f := range FindLocal(t.Context(), ollamaHost, func(base string) (Ask, error) {
			if listings[base] == "" {
				t.Errorf("%s was asked", base)
			}
			return replies(map[string]string{"/v1/models": listings[base]}), nil
		}) {
			found = append(found, f.Name+" "+f.URL+" "+f.Model)
		}
		return found
	}
	if got, want := find(""), []string{"ollama http://localhost:11434 qwen3:4b", "vllm http://localhost:8000 org/m"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := find("gpu.example"), []string{"vllm http://localhost:8000 org/m"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLocalServersHaveNoPrice(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:11434/v1": true, "http://127.0.0.1:8000": true, "http://[::1]:8000/v1": true, "http://192.168.1.7/v1": true,
		"http://10.0.0.1": true, "http://0.0.0.0:1": true, "http://ollama:11434/v1": true, "http://gpu.local/v1": true,
		"http://host.docker.internal:11434/v1": true, "https://api.openai.com/v1": false, "http://8.8.8.8/v1": false,
		"http://localhost.example.com": false, "": false, "localhost:80": false,
	} {
		if got := IsNear(address); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}
