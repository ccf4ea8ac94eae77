package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Config specifies a model and its server.
type Config struct {
	BaseURL         string `json:"-"` // defaults to OpenAI; Azure URLs are detected; may have a password
	Model           string
	APIKey          string `json:"-"` // optional
	ReasoningEffort string // sent as reasoning_effort if not empty
	Timeout         time.Duration
	// ReasoningTimeout replaces Timeout for requests to models that are known to reason, if
	// it is longer.
	ReasoningTimeout time.Duration
	Headers          Headers         // sent with every request
	ExtraBody        json.RawMessage // added to chat requests; from ParseExtraBody
}

// String returns a description without the key.
func (c Config) String() string {
	address := "an unusable base URL"
	if e, err := newEndpoint(c.BaseURL); err == nil {
		address = e.publicURL
	}
	return fmt.Sprintf("llm.Config{%s at %s}", c.Model, address)
}

// GoString returns the same as String.
func (c Config) GoString() string { return c.String() }

// ParseExtraBody parses a JSON object whose members are added to chat requests,
// and returns it in a canonical form. It rejects the members that this package
// sends itself. The result is nil if text is empty.
func ParseExtraBody(text string) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil || members == nil {
		return nil, errors.New(`want a JSON object such as {"top_p":0.9}`)
	}
	reserved := []string{ // follow from other options, or from how verdicts are requested
		"model", "messages", "prompt", "stream", "stream_options", "n", "response_format", "tools", "tool_choice", "functions", "function_call", "logprobs",
		"top_logprobs", "max_tokens", "max_completion_tokens", "reasoning_effort", "temperature", "seed",
	}
	for name := range members {
		if slices.Contains(reserved, name) {
			return nil, fmt.Errorf("%s can't be set: ragfaith sets it itself", name)
		}
	}
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}

// Headers are request headers in addition to those of the API. Their values are
// secrets, like the API key.
type Headers struct {
	values  http.Header
	secrets []string
}

// ParseHeaders parses headers of the form "Name: value". In values, $NAME and ${NAME} are replaced
// by environment variables and $$ by a dollar sign. Errors do not contain values.
func ParseHeaders(lines []string, lookup func(variable string) (string, bool)) (Headers, error) {
	h := Headers{values: http.Header{}}
	reserved := []string{ // depend on the request, the base URL or the proxy
		"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Idempotency-Key", "Keep-Alive",
		"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	}
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		value, secrets, err := expandVariables(strings.TrimSpace(value), lookup)
		switch {
		case !ok || !headerName.MatchString(name): // the line may consist of a value only
			return Headers{}, fmt.Errorf("%d of %d: want 'Name: value'", i+1, len(lines))
		case slices.Contains(reserved, name):
			return Headers{}, fmt.Errorf("%s can't be set: ragfaith sets it itself", name)
		case h.values.Get(name) != "":
			return Headers{}, fmt.Errorf("%s is set twice", name)
		case err != nil:
			return Headers{}, fmt.Errorf("%s: %w", name, err)
		case value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return Headers{}, fmt.Errorf("%s: want a value of one line", name)
		}
		h.values.Set(name, value)
		h.secrets = append(append(h.secrets, secrets...), secretParts(value)...)
	}
	return h, nil
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// expandVariables replaces $NAME, ${NAME} and $$ in text, and also returns the
// values of the variables.
func expandVariables(text string, lookup func(string) (string, bool)) (out string, values []string, err error) {
	reference := regexp.MustCompile(`\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\}|)`)
	out = reference.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "${}")
		value, _ := lookup(name)
		value = strings.TrimSpace(value)
		switch {
		case found == "$$":
			return "$"
		case name == "":
			err = errors.New("want $NAME or ${NAME} for a variable, or $$ for a dollar sign")
		case value == "" && err == nil:
			err = fmt.Errorf("%s is not set in the environment", name)
		}
		values = append(values, value)
		return value
	})
	return out, values, err
}

// secretParts returns the parts of a header value that a server may repeat
// separately: the words, and values as in NAME=VALUE.
func secretParts(value string) []string {
	parts := []string{value}
	for _, field := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t;,", r) }) {
		parts = append(parts, field)
		if _, after, ok := strings.Cut(field, "="); ok {
			parts = append(parts, after)
		}
	}
	return parts
}

// ReplaceKey reports whether the headers contain Authorization, so that the API key is not sent.
func (h Headers) ReplaceKey() bool { return h.values.Get("Authorization") != "" }

// withoutKey returns h without the headers that contain a key.
func (h Headers) withoutKey() Headers {
	h.values = h.values.Clone()
	h.values.Del("Authorization")
	h.values.Del("Api-Key")
	return h
}

// String returns the names of the headers.
func (h Headers) String() string { return strings.Join(slices.Sorted(maps.Keys(h.values)), ", ") }

// GoString returns the same as String, so that %#v does not print values.
func (h Headers) GoString() string { return h.String() }

const (
	openAIBase = "https://api.openai.com/v1"
	// azureVersion is the first stable Azure API version that supports JSON schemas.
	azureVersion = "2024-10-21"
)

// An endpoint identifies a server and its API variant.
type endpoint struct {
	base        string // without a slash at the end
	deployments bool   // Azure's API before v1, in which a deployment is a part of the path
	deployment  string // from the base URL; defaults to the model name
	version     string // Azure API version
	azure       bool   // the key is sent in Azure's header
	bearer      bool   // the key is sent as Authorization
	secret      string // password in the base URL
	publicURL   string // base URL without secrets
}

// url returns the address of a path of the API that is not below a deployment.
func (e *endpoint) url(path string) string {
	u := e.base
	if e.deployments {
		u += "/openai"
	}
	u += path
	if e.version == "" {
		return u
	}
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return u + separator + "api-version=" + url.QueryEscape(e.version)
}

// sameHost reports whether two base URLs have the same scheme, host and port.
func sameHost(a, b string) bool {
	u, err := url.Parse(cmp.Or(a, openAIBase))
	v, err2 := url.Parse(cmp.Or(b, openAIBase))
	return err == nil && err2 == nil && u.Scheme == v.Scheme && strings.EqualFold(u.Host, v.Host)
}

// newEndpoint parses a base URL. It is an Azure URL if indicated by its host, by a path
// with /openai/deployments/NAME or by an api-version in the query:
//
//	https://NAME.openai.azure.com                       deployments, named like the model
//	https://gateway/prefix/openai/deployments/NAME      one deployment
//	https://NAME.openai.azure.com/openai/v1             OpenAI's API with Azure's header
//	https://NAME.services.ai.azure.com/models           models by name, with Azure's header
//
// A trailing /chat/completions or /embeddings is removed.
func newEndpoint(base string) (endpoint, error) {
	base = cmp.Or(base, openAIBase)
	u, err := url.Parse(base)
	if err != nil {
		return endpoint{}, errors.New("base URL: invalid URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return endpoint{}, fmt.Errorf("base URL %q: want http:// or https:// and a host", u.Redacted())
	}
	q := u.Query()
	version := q.Get("api-version")
	q.Del("api-version")
	if len(q) > 0 || u.Fragment != "" {
		return endpoint{}, errors.New("base URL: only api-version is allowed in the query")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, suffix := range []string{"/chat/completions", "/embeddings"} {
		u.Path = strings.TrimSuffix(u.Path, suffix)
	}
	u.RawQuery, u.RawPath = "", ""
	e := endpoint{bearer: true}
	e.secret, _ = u.User.Password()
	host := strings.ToLower(u.Hostname())
	prefix, name, deployment := strings.Cut(u.Path, "/openai/deployments/")
	e.azure = version != "" || deployment || strings.HasSuffix(host, ".azure.com") || strings.HasSuffix(host, ".azure.us")
	switch {
	case !e.azure:
	case strings.HasSuffix(u.Path, "/openai/v1"):
		e.version = version
	case strings.HasSuffix(u.Path, "/models"):
		e.bearer, e.version = false, version
	default:
		e.bearer, e.deployments, e.version = false, true, cmp.Or(version, azureVersion)
		if deployment {
			u.Path = prefix
			e.deployment, _, _ = strings.Cut(name, "/")
		}
		u.Path = strings.TrimSuffix(u.Path, "/openai")
	}
	e.base = u.String()
	u.User = nil
	e.publicURL = u.String()
	if e.deployment != "" {
		e.publicURL += "/openai/deployments/" + e.deployment
	}
	return e, nil
}
