package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
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
	method, content := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(attemptCtx, method, strings.TrimSuffix(c.endpoint.base, "/v1")+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.wire.Do(r)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	return reply, err
}
