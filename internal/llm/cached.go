package llm

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"golang.org/x/sync/singleflight"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// cacheVersion must be incremented when the meaning of keys or values changes.
const cacheVersion = 2

// Completer returns a Completer that answers requests from the cache and stores new replies of
// next. The key consists of endpoint, model, messages, schema, parameters and prompt version.
// Cached replies have Cached set and cost nothing. Replies that can't be parsed or that Accept
// rejects are neither stored nor used.
func (c *Cache) Completer(next Completer, endpoint, model string) Completer {
	return &cachedCompleter{Cache: c, next: next, endpoint: endpoint, model: model}
}

type cachedCompleter struct {
	*Cache
	next            Completer
	endpoint, model string
	readOnly        bool // store no replies
	flights         singleflight.Group
}

// Complete implements Completer. Calls with equal requests wait for the first of them and
// share its reply, which counts as cached for them, or its error. If it was canceled,
// another one sends the request.
func (c *cachedCompleter) Complete(ctx context.Context, r *Request) (*Reply, error) {
	key := requestKey(c.endpoint, c.model, r)
	for {
		first := false
		v, err, _ := c.flights.Do(string(key), func() (any, error) {
			first = true
			return c.fetch(ctx, key, r)
		})
		reply, _ := v.(*Reply)
		switch {
		case first:
			return reply, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			shared := *reply
			if !reply.Cached {
				shared.OriginalUsage = reply.Usage
			}
			shared.Usage, shared.Cached = usage.Usage{CachedRequests: 1}, true
			return &shared, nil
		case !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
			return nil, withUsage(err, usage.Usage{})
		}
	}
}

// fetch returns the cached reply to r, or requests and stores one.
func (c *cachedCompleter) fetch(ctx context.Context, key []byte, r *Request) (*Reply, error) {
	if v, ok := c.queryValue(ctx, `SELECT value FROM replies WHERE key = ?`, key); ok {
		if reply := decodeReply(v, r); reply != nil {
			return reply, nil
		}
	}
	reply, err := c.next.Complete(ctx, r)
	if err != nil || c.readOnly {
		return reply, err
	}
	if v, err := json.Marshal(storedReply{reply.Text, string(reply.JSON), reply.Usage, reply.Downgraded, reply.Logprobs}); err == nil {
		// Store a paid reply even if the run is canceled.
		c.exec(context.WithoutCancel(ctx), `INSERT OR REPLACE INTO replies VALUES (?, ?, ?)`, key, v, c.clock.Now().Unix())
	}
	return reply, nil
}

// A storedReply is a cached reply. JSON is a string to preserve its exact bytes.
type storedReply struct {
	Text          string      `json:"text"`
	JSON          string      `json:"json,omitempty"`
	OriginalUsage usage.Usage `json:"made"`
	Downgraded    bool        `json:"downgraded,omitempty"`
	Logprobs      []Token     `json:"logprobs,omitempty"`
}

// decodeReply returns the stored reply to r, or nil if it can't be used.
func decodeReply(v []byte, r *Request) *Reply {
	var k storedReply
	if json.Unmarshal(v, &k) != nil || r.LogprobsRequired && len(k.Logprobs) == 0 || !validTokens(k.Logprobs, k.Text) {
		return nil
	}
	var value json.RawMessage
	if r.Schema != nil {
		value = json.RawMessage(k.JSON)
		if !json.Valid(value) || r.Schema.Accept(value) != nil {
			return nil
		}
	} else if r.Accept != nil && r.Accept(k.Text) != nil {
		return nil
	}
	return &Reply{Text: k.Text, JSON: value, Usage: usage.Usage{CachedRequests: 1}, Cached: true, OriginalUsage: k.OriginalUsage, Downgraded: k.Downgraded, Logprobs: k.Logprobs}
}

// requestKey returns the SHA-256 of everything that determines a reply.
func requestKey(endpoint, model string, r *Request) []byte {
	type schema struct{ Name, JSON string }
	k := struct {
		Version                 int
		Endpoint, Model, Prompt string
		Messages                []Message
		Schema                  *schema
		Seed, MaxTokens         int
		Temperature             float64
	}{Version: cacheVersion, Endpoint: endpoint, Model: model, Prompt: r.Prompt, Messages: slices.Clone(r.Messages), Seed: r.Seed, MaxTokens: r.MaxTokens}
	for i, m := range k.Messages {
		if !utf8.ValidString(m.Text) { // JSON replaces all invalid bytes with the same rune
			k.Messages[i].Text = "sha256:" + sha256Hex(m.Text)
		}
	}
	if !math.IsNaN(r.Temperature) && !math.IsInf(r.Temperature, 0) {
		k.Temperature = r.Temperature
	}
	if r.Schema != nil {
		k.Schema = &schema{r.Schema.Name, string(r.Schema.JSON)}
	}
	b, _ := json.Marshal(k)
	sum := sha256.Sum256(b)
	return sum[:]
}

func sha256Hex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Get returns the value stored for key in a namespace, which should be JSON.
func (c *Cache) Get(ctx context.Context, namespace, key string) (json.RawMessage, bool) {
	return c.queryValue(ctx, `SELECT value FROM items WHERE space = ? AND key = ?`, namespace, key)
}

// Put stores the JSON value for key in a namespace.
func (c *Cache) Put(ctx context.Context, namespace, key string, value json.RawMessage) {
	c.exec(context.WithoutCancel(ctx), `INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)`, namespace, key, []byte(value), c.clock.Now().Unix())
}

// List returns all values in a namespace, sorted by key.
func (c *Cache) List(ctx context.Context, namespace string) (values []json.RawMessage) {
	c.use(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, `SELECT value FROM items WHERE space = ? ORDER BY key`, namespace)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var v []byte
			if err := rows.Scan(&v); err != nil {
				return err
			}
			values = append(values, v)
		}
		return rows.Err()
	})
	return values
}
