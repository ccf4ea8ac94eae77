package llm

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

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
	u.RawQuery = ""
	u.Path = strings.TrimRight(u.Path, "/")
	for _, suffix := range []string{"/chat/completions", "/embeddings"} {
		u.Path = strings.TrimSuffix(u.Path, suffix)
	}
	u.RawPath = ""
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
	public := *u
	public.User = nil
	e.publicURL = public.String()
	if e.deployment != "" {
		e.publicURL += "/openai/deployments/" + e.deployment
	}
	return e, nil
}
