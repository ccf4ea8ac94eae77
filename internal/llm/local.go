package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A LocalServer is a program that serves models on this machine.
type LocalServer struct {
	Name  string // as in --judge
	Title string // as its authors write it
	Start string // how to start it
	Get   string // how to get a model, followed by its name; may be empty
	Slots int    // requests at once with its default options; 0 for many

	port   int
	owner  string // "owned_by" of its models; any if empty
	window func(ctx context.Context, ask Ask, m ServedModel) int
}

// LocalServers returns all known servers.
func LocalServers() []LocalServer {
	return []LocalServer{
		{Name: "ollama", Title: "Ollama", Start: `"ollama serve"`, Get: "ollama pull", Slots: 1, port: 11434, window: ollamaWindow},
		{Name: "lmstudio", Title: "LM Studio", Start: `"lms server start"`, Get: "lms get", Slots: 1, port: 1234, window: lmStudioWindow},
		{Name: "llamacpp", Title: "llama.cpp", Start: `"llama-server -m MODEL.gguf"`, Slots: 1, port: 8080, owner: "llamacpp", window: llamaWindow},
		{
			Name: "vllm", Title: "vLLM", Start: `"vllm serve MODEL"`, port: 8000, owner: "vllm",
			window: func(_ context.Context, _ Ask, m ServedModel) int { return m.Window },
		},
	}
}

// ParseLocal splits SERVER/MODEL or SERVER. It returns false if there is no such server.
func ParseLocal(text string) (s LocalServer, model string, ok bool) {
	name, model, _ := strings.Cut(text, "/")
	servers := LocalServers()
	if i := slices.IndexFunc(servers, func(s LocalServer) bool { return s.Name == name }); i >= 0 {
		return servers[i], model, true
	}
	return LocalServer{}, "", false
}

// BaseURL returns the address of the server's OpenAI-compatible API. ollamaHost is the
// value of OLLAMA_HOST.
func (s LocalServer) BaseURL(ollamaHost string) string {
	if s.Name == "ollama" {
		if base := ollamaURL(ollamaHost); base != "" {
			return base
		}
	}
	return "http://localhost:" + strconv.Itoa(s.port) + "/v1"
}

// ollamaURL returns the address for a value of OLLAMA_HOST, which Ollama reads as
// [scheme://][host][:port][/path], or "" if it is empty or invalid.
func ollamaURL(host string) string {
	host = strings.Trim(strings.TrimSpace(host), `"'`)
	port := ""
	if !strings.Contains(host, "://") {
		host, port = "http://"+host, "11434"
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	name := u.Hostname()
	if ip, err := netip.ParseAddr(name); name == "" || err == nil && ip.IsUnspecified() { // addresses to listen on
		name = "localhost"
	}
	if port = cmp.Or(u.Port(), port); port != "" {
		name = net.JoinHostPort(name, port)
	}
	return (&url.URL{Scheme: u.Scheme, Host: name, Path: strings.TrimRight(u.Path, "/") + "/v1"}).String()
}

// Ask requests a path below the root of a server, by POST if body is not nil, and returns
// the JSON of its reply.
type Ask func(ctx context.Context, path string, body any) (json.RawMessage, error)

// A ServedModel is a model that a server lists.
type ServedModel struct {
	Name   string `json:"id"`
	Owner  string `json:"owned_by"`
	Window int    `json:"max_model_len"` // context window in tokens, or 0 if it is not listed
}

// embeds matches the names of models that embed or rank texts, which servers list too.
var embeds = regexp.MustCompile(`(?i)embed|rerank|(^|/)(all-minilm|all-mpnet|bge-|gte-|(multilingual-)?e5-|paraphrase-)`)

// ListModels returns the models that can answer chat requests.
func ListModels(ctx context.Context, ask Ask) ([]ServedModel, error) {
	reply, err := ask(ctx, "/v1/models", nil)
	if err != nil {
		return nil, err
	}
	var list struct{ Data []ServedModel }
	if err := json.Unmarshal(reply, &list); err != nil {
		return nil, errors.New("the reply is not a list of models")
	}
	return slices.DeleteFunc(list.Data, func(m ServedModel) bool { return m.Name == "" || embeds.MatchString(m.Name) }), nil
}

// Window returns the context window of a model in tokens of prompt and reply, or 0 if the
// server does not say. It may load the model.
func (s LocalServer) Window(ctx context.Context, ask Ask, m ServedModel) int {
	return max(0, s.window(ctx, ask, m))
}

// askInto decodes the reply to a request, and reports whether that was possible.
func askInto(ctx context.Context, ask Ask, path string, body, to any) bool {
	reply, err := ask(ctx, path, body)
	return err == nil && json.Unmarshal(reply, to) == nil
}

// ollamaWindow returns the window that a model was loaded with. The window that the model
// supports is often larger, and Ollama drops what exceeds the loaded one.
func ollamaWindow(ctx context.Context, ask Ask, m ServedModel) int {
	loaded := func() int {
		var running struct {
			Models []struct {
				Name   string
				Window int `json:"context_length"`
			}
		}
		if !askInto(ctx, ask, "/api/ps", nil, &running) {
			return 0
		}
		for _, r := range running.Models {
			if r.Name == m.Name {
				return r.Window
			}
		}
		return 0
	}
	if n := loaded(); n > 0 {
		return n
	}
	// A request without a prompt loads the model with the options of later requests.
	var done struct{ Done bool }
	if !askInto(ctx, ask, "/api/generate", map[string]any{"model": m.Name, "stream": false}, &done) {
		return 0
	}
	return loaded()
}

func lmStudioWindow(ctx context.Context, ask Ask, m ServedModel) int {
	var model struct {
		State  string
		Window int `json:"loaded_context_length"`
	}
	if !askInto(ctx, ask, "/api/v0/models/"+m.Name, nil, &model) || model.State != "loaded" {
		return 0
	}
	return model.Window
}

// llamaWindow returns the window of a slot.
func llamaWindow(ctx context.Context, ask Ask, _ ServedModel) int {
	var props struct {
		Settings struct {
			Window int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	_ = askInto(ctx, ask, "/props", nil, &props)
	return props.Settings.Window
}

// A FoundServer is a running server with one of its models.
type FoundServer struct {
	LocalServer
	URL   string // without path
	Model string
}

// Judge returns the value of --judge for the model.
func (f FoundServer) Judge() string { return f.Name + "/" + f.Model }

// hosted matches the names of models that Ollama lists but that run on its authors' servers.
var hosted = regexp.MustCompile(`[:-]cloud$`)

// FindLocal returns the servers that run on this machine at their usual addresses and have a model,
// with the first that they list. connect returns the function that asks the server at a base URL.
func FindLocal(ctx context.Context, ollamaHost string, connect func(base string) (Ask, error)) []FoundServer {
	servers := LocalServers()
	found := make([]FoundServer, len(servers))
	var wait sync.WaitGroup
	for i, s := range servers {
		u, err := url.Parse(s.BaseURL(ollamaHost))
		if err != nil || !isLoopback(u.Hostname()) {
			continue
		}
		wait.Go(func() {
			ask, err := connect(u.String())
			if err != nil {
				return
			}
			models, err := ListModels(ctx, ask)
			models = slices.DeleteFunc(models, func(m ServedModel) bool { return hosted.MatchString(m.Name) })
			if err != nil || len(models) == 0 || s.owner != "" && models[0].Owner != s.owner {
				return
			}
			found[i] = FoundServer{s, u.Scheme + "://" + u.Host, models[0].Name}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(found, func(f FoundServer) bool { return f.Model == "" })
}

// isLoopback reports whether a host name is this machine.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// IsNear reports whether a URL names this machine or a private network.
func IsNear(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || host == "host.docker.internal"
}
