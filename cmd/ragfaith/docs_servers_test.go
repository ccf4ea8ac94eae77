package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

const docsServersPage = "docs/servers.md"

// localReplies are the replies of servers on this machine to questions about their models, by
// path below the name of the server.
func localReplies() map[string]string {
	return map[string]string{
		"/ollama/v1/models":                     `{"data":[{"id":"qwen3:4b"},{"id":"llama3.2:3b"}]}`,
		"/ollama/api/ps":                        `{"models":[{"name":"qwen3:4b","context_length":16384}]}`,
		"/llamacpp/v1/models":                   `{"data":[{"id":"model.gguf"}]}`,
		"/lmstudio/v1/models":                   `{"data":[{"id":"qwen/qwen3-4b"}]}`,
		"/lmstudio/api/v0/models/qwen/qwen3-4b": `{"state":"loaded","loaded_context_length":16384}`,
		"/vllm/v1/models":                       `{"data":[{"id":"Qwen/Qwen3-4B","max_model_len":32768}]}`,
	}
}

// TestDocsServersSendWhatProvidersExpect runs each block of docs/servers.md with a server that
// is also the proxy for all hosts, and compares address, key and body of the requests with the
// reference of the provider.
func TestDocsServersSendWhatProvidersExpect(t *testing.T) {
	t.Parallel()
	const azure, chat = "RESOURCE.openai.azure.com", "/v1/chat/completions"
	want := map[string]struct{ url, authorization, apiKey, model, extra string }{
		"OpenAI":                     {"api.openai.com" + chat, "Bearer secret of OPENAI_API_KEY", "", "gpt-4o-mini", ""},
		"Azure OpenAI with a key":    {azure + "/openai/deployments/DEPLOYMENT/chat/completions?api-version=2024-10-21", "", "secret of AZURE_OPENAI_API_KEY", "DEPLOYMENT", ""},
		"Azure OpenAI with Entra ID": {azure + "/openai" + chat, "Bearer token of az", "", "DEPLOYMENT", ""},
		"Anthropic":                  {"api.anthropic.com" + chat, "Bearer secret of ANTHROPIC_API_KEY", "", "claude-haiku-4-5", ""},
		"Gemini":                     {"generativelanguage.googleapis.com/v1beta/openai/chat/completions", "Bearer secret of GEMINI_API_KEY", "", "gemini-2.5-flash", ""},
		"Amazon Bedrock":             {"bedrock-runtime.us-west-2.amazonaws.com/openai" + chat, "Bearer secret of AWS_BEARER_TOKEN_BEDROCK", "", "openai.gpt-oss-20b-1:0", ""},
		"Vertex AI":                  {"us-central1-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-central1/endpoints/openapi/chat/completions", "Bearer token of gcloud", "", "google/gemini-2.5-flash", ""},
		"OpenRouter":                 {"openrouter.ai/api" + chat, "Bearer secret of OPENROUTER_API_KEY", "", "meta-llama/llama-3.3-70b-instruct", `"provider":{"require_parameters":true}`},
		"LiteLLM":                    {"LOCAL" + chat, "Bearer secret of LITELLM_KEY", "", "MODEL", ""},
		"Ollama":                     {"LOCAL/ollama" + chat, "", "", "qwen3:4b", ""},
		"llama.cpp":                  {"LOCAL/llamacpp" + chat, "", "", "model.gguf", ""},
		"LM Studio":                  {"LOCAL/lmstudio" + chat, "", "", "qwen/qwen3-4b", ""},
		"vLLM":                       {"LOCAL/vllm" + chat, "", "", "Qwen/Qwen3-4B", `"chat_template_kwargs":{"enable_thinking":false}`},
	}
	keys := []string{"OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "OPENROUTER_API_KEY", "LITELLM_KEY"}
	block := regexp.MustCompile("(?m)^#+ ([^#\n]+)\n[^#]*?```sh providers\n([^#]*?)```")
	local := regexp.MustCompile(`--judge (ollama|lmstudio|llamacpp|vllm)\S*`)
	for _, m := range block.FindAllStringSubmatch(docsPages(t)[docsServersPage], -1) {
		expected, ok := want[m[1]]
		if delete(want, m[1]); !ok {
			t.Errorf("got heading %q, want a known one", m[1])
			continue
		}
		t.Run(m[1], func(t *testing.T) {
			t.Parallel()
			backend, replies := &testServer{}, localReplies()
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if reply := replies[r.URL.Path]; reply != "" {
					_, _ = io.WriteString(w, reply)
					return
				}
				if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
					w.WriteHeader(http.StatusNotFound)
					return
				}
				requests.Add(1)
				var body struct {
					Model  string
					Format any `json:"response_format"`
				}
				raw, err := io.ReadAll(r.Body)
				if err = errors.Join(err, json.Unmarshal(raw, &body)); err != nil {
					t.Error(err)
				}
				if body.Model != expected.model || body.Format == nil || !bytes.Contains(raw, []byte(expected.extra)) {
					t.Errorf("got body %s, want a schema, the model %s and %s", raw, expected.model, expected.extra)
				}
				if got, want := r.Host+r.URL.RequestURI(), strings.Replace(expected.url, "LOCAL", "127.0.0.1", 1); !strings.EqualFold(regexp.MustCompile(`:\d+`).ReplaceAllString(got, ""), want) {
					t.Errorf("got address %s, want %s", got, want)
				}
				if got := r.Header.Get("Authorization"); got != expected.authorization {
					t.Errorf("got Authorization %q, want %q", got, expected.authorization)
				}
				if got := r.Header.Get("Api-Key"); got != expected.apiKey {
					t.Errorf("got api-key %q, want %q", got, expected.apiKey)
				}
				r.Body = io.NopCloser(bytes.NewReader(raw))
				backend.answer(w, r)
			}))
			defer server.Close()
			env := []string{"HTTP_PROXY=" + server.URL, "RAGFAITH_BASE_URL=http://api.openai.com/v1"}
			for _, key := range keys {
				env = append(env, key+"=secret of "+key)
			}
			script := strings.NewReplacer("https://", "http://", "http://localhost:4000", server.URL).Replace(m[2])
			script = local.ReplaceAllString(script, "$0 --base-url "+server.URL+"/$1/v1")
			newDocsShell(t).script(t, 0, env, "az() { echo token of az; }\ngcloud() { echo token of gcloud; }\n"+script)
			if requests.Load() == 0 {
				t.Error("got no request")
			}
		})
	}
	for heading := range want {
		t.Errorf("%s: no block", heading)
	}
}
