package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// Redact removes keys and header values from the text of an error that quotes the
// server.
func (c *Client) Redact(text string) string { return c.wire.redactError(text) }

// Ask requests a path below the root of the server, which is the base URL
// without /v1: by POST if body is not nil, and otherwise by GET. It returns the
// JSON object of the reply. It is meant for questions about the server itself,
// which cost nothing. It does not retry. Its errors are those of Complete.
func (c *Client) Ask(ctx context.Context, path string, body any) (json.RawMessage, error) {
	attemptCtx, cancel := withTimeout(ctx, c.timeout)
	defer cancel()
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	r, err := c.newRequest(attemptCtx, method, strings.TrimSuffix(c.endpoint.base, "/v1")+path, body)
	if err != nil {
		return nil, err
	}
	return c.fetch(ctx, r)
}

// newRequest returns a request with the key. body is sent as JSON unless it is nil.
func (c *Client) newRequest(ctx context.Context, method, url string, body any) (*http.Request, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	if c.key != "" && c.endpoint.apiType == openai.APITypeOpenAI {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	return r, nil
}

// fetch sends a request and returns the JSON object of the reply.
func (c *Client) fetch(ctx context.Context, r *http.Request) ([]byte, error) {
	res, err := c.wire.Do(r)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}
