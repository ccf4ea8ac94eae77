package llm

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

const (
	openAIBase = "https://api.openai.com/v1"
	// The first stable version of Azure's API that takes JSON schemas.
	azureVersion = "2024-10-21"
)

// An endpoint is where requests go and how they are dressed.
type endpoint struct {
	base       string // as go-openai wants it
	kind       openai.APIType
	version    string // of Azure's API
	deployment string // named by the base URL; else the model's name is taken
	azure      bool
	secret     string // a password in the base URL
	name       string // the base URL without secrets
}

// newEndpoint reads a base URL. Azure's are known by their host, by a path with
// /openai/deployments/NAME, by a query of api-version, or by version being given:
//
//	https://NAME.openai.azure.com                       deployments, named as the model
//	https://gateway/prefix/openai/deployments/NAME      one deployment
//	https://NAME.openai.azure.com/openai/v1             as OpenAI's own, with Azure's header
//	https://NAME.services.ai.azure.com/models           models by name, with Azure's header
//
// A path that ends in /chat/completions or /embeddings is cut to its base.
func newEndpoint(base, version string) (endpoint, error) {
	if base == "" {
		base = openAIBase
	}
	u, err := url.Parse(base)
	if err != nil {
		return endpoint{}, errors.New("base URL: it is not a URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return endpoint{}, fmt.Errorf("base URL %q: want http:// or https:// and a host", u.Redacted())
	}
	q := u.Query()
	if v := q.Get("api-version"); v != "" && version == "" {
		version = v
	}
	q.Del("api-version")
	if len(q) > 0 || u.Fragment != "" {
		return endpoint{}, errors.New("base URL: it may have no query but api-version")
	}
	u.RawQuery = ""
	u.Path = strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/chat/completions", "/embeddings"} {
		u.Path = strings.TrimSuffix(u.Path, end)
	}
	u.RawPath = ""
	e := endpoint{kind: openai.APITypeOpenAI}
	e.secret, _ = u.User.Password()
	host := strings.ToLower(u.Hostname())
	before, name, deployment := strings.Cut(u.Path, "/openai/deployments/")
	e.azure = version != "" || deployment || strings.HasSuffix(host, ".azure.com") || strings.HasSuffix(host, ".azure.us")
	switch {
	case !e.azure:
	case strings.HasSuffix(u.Path, "/openai/v1"):
		e.version = version
	case strings.HasSuffix(u.Path, "/models"):
		e.kind, e.version = openai.APITypeCloudflareAzure, version
	default:
		e.kind, e.version = openai.APITypeAzure, version
		if e.version == "" {
			e.version = azureVersion
		}
		if deployment {
			u.Path = before
			e.deployment, _, _ = strings.Cut(name, "/")
		}
		u.Path = strings.TrimSuffix(u.Path, "/openai")
	}
	e.base = u.String()
	open := *u
	open.User = nil
	e.name = open.String()
	if e.deployment != "" {
		e.name += "/openai/deployments/" + e.deployment
	}
	return e, nil
}
